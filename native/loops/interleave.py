"""Interleaved data: a vector of every second, third or fourth element, by whole vectors of memory and shuffles.

Complex numbers, colours of a pixel and stereo samples lie side by side. Along the pixels, each access has a stride of
2, 3 or 4. All accesses at one stride that begin within one stride form a group; what a vector of the group touches is
one piece of memory, which is loaded whole and taken apart in registers, or put together there and stored whole.
Nothing is loaded before the group's first element nor behind its last one, because the program itself reads both.

Where it is computed on more bits than elements have, two or four neighbours are the parts of one lane's word: they are
taken apart and put together by shifts, without a shuffle, or with one for all of them.

    before  for i: out[i] = a[2 * i]
    after   %x, %y = vector.load %a[2 * i], vector.load %a[2 * i + 8] : vector<8xf32>
            vector.store (vector.shuffle %x, %y [0, 2, 4, 6, 8, 10, 12, 14]), %out[i]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from raising.affine.ir.affine_expr import Affine
from raising.native.loops.vector_ops import element_bits, vector_type
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Array
from raising.support.record import dataclass

MOST = 4
"""The largest stride: beyond it, most of what whole vectors load is of no use."""


@dataclass(frozen=True)
class Group:
    """Accesses of an array at one stride: `outer` subscripts, and the element behind them where the stride begins."""

    array: Array
    outer: tuple[Affine, ...]
    base: Affine
    step: int


@dataclass(frozen=True)
class Place:
    """An access as a member of a group: which element of each stride it is."""

    group: Group
    phase: int


def place_of(access: Access, d: int) -> Place | None:
    """The group of an access along a dimension; None if it has no small stride there."""
    strides = access.array.strides
    if not strides or strides[-1] != 1:
        return None
    first = next((axis for axis in reversed(range(len(strides))) if strides[axis] is None), -1) + 1
    outer, inner = access.map[:first], access.map[first:]
    if any(index.coefficient(d) for index in outer):
        return None
    flat = sum((index * (stride or 0) for index, stride in zip(inner, strides[first:], strict=True)), Affine(0))
    step = flat.coefficient(d)
    if not 2 <= step <= MOST:
        return None
    phase = flat.constant % step
    return Place(Group(access.array, outer, flat - phase, step), phase)


def apart(one: Access, two: Access, d: int) -> bool:
    """Whether two accesses never touch the same element, whatever lanes of one vector along a dimension they are."""
    first, second = place_of(one, d), place_of(two, d)
    return first is not None and second is not None and first.group == second.group and first.phase != second.phase


def is_whole(access: Access, others: Iterable[Access], d: int) -> bool:
    """Whether an access and others are all members of one group."""
    place = place_of(access, d)
    if place is None:
        return False
    found = [place_of(other, d) for other in others]
    phases = {each.phase for each in found if each is not None and each.group == place.group}
    return len(phases) == place.group.step


@dataclass(frozen=True)
class Piece:
    """The memory of a group's vector: it begins at the member `first`; `span` elements from there to the last one."""

    first: Access
    phase: int
    span: int


def piece_of(members: Iterable[Access], d: int) -> Piece:
    """The elements that the members of one group cover within one stride."""
    phases = {place.phase: member for member in members if (place := place_of(member, d)) is not None}
    low = min(phases)
    return Piece(phases[low], low, max(phases) - low + 1)


def load_whole(code: Lines, where: Callable[[int], str], piece: Piece, step: int, lanes: int) -> str:
    """Contiguous vectors of a piece, concatenated; `where` gives the subscripts at a distance from its first element.

    A piece that is shorter than `step` vectors is loaded to its end only: its last vector overlaps the one before,
    see `taken`.
    """
    array = piece.first.array
    if piece.span == step:
        return code.op(f"vector.load {where(0)} : {array.type}, {vector_type(array.element, step * lanes)}", "l")
    kind = vector_type(array.element, lanes)
    parts = [
        code.op(f"vector.load {where(start)} : {array.type}, {kind}", "l") for start in _starts(piece, step, lanes)
    ]
    return _joined(code, parts, array.element, lanes)


def _starts(piece: Piece, step: int, lanes: int) -> list[int]:
    """Where each vector of a piece begins: the last one ends with the piece."""
    end = step * (lanes - 1) + piece.span
    return [min(number * lanes, end - lanes) for number in range(step)]


def _joined(code: Lines, parts: list[str], element: str, lanes: int) -> str:
    """Vectors one behind the other, as many as the next power of two: the last one again where there are less."""
    while len(parts) > 1:
        parts = [*parts, parts[-1]] if len(parts) % 2 else parts
        kind, order = vector_type(element, lanes), list(range(2 * lanes))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [code.op(f"vector.shuffle {a}, {b} {order} : {kind}, {kind}", "l") for a, b in pairs]
        lanes *= 2
    return parts[0]


def _in_a_word(step: int, element: str, bits: int) -> int:
    """How many members of a stride are parts of one word, where lanes have so many bits; 1 if each is by itself."""
    if step % 2 or not element.startswith("i") or element in ("i1", "index"):
        return 1
    return max(1, min(step, bits // element_bits(element)))


def taken(code: Lines, whole: str, piece: Piece, place: Place, lanes: int, bits: int) -> str:
    """The vector of one member, out of what was loaded; lanes are computed on so many bits."""
    step, element = place.group.step, place.group.array.element
    together = _in_a_word(step, element, bits)
    if together > 1 and piece.span == step:
        return _part(code, whole, (place.phase, step, together), element, lanes)
    if piece.span == step:
        size, starts = step * lanes, [number * lanes for number in range(step)]
    else:
        size, starts = 1 << (step * lanes - 1).bit_length(), _starts(piece, step, lanes)
    order = []
    for lane in range(lanes):
        wanted = step * lane + place.phase - piece.phase
        number = next(k for k, start in enumerate(starts) if start <= wanted < start + lanes)
        order.append(number * lanes + wanted - starts[number])
    kind = vector_type(element, size)
    return code.op(f"vector.shuffle {whole}, {whole} {order} : {kind}, {kind}", "l")


def _part(code: Lines, whole: str, which: tuple[int, int, int], element: str, lanes: int) -> str:
    """A member of so many, of which so many are together in a word, as a part of its words."""
    phase, step, together = which
    size = element_bits(element)
    word, kind = f"i{size * together}", vector_type(element, lanes)
    words, several = vector_type(word, lanes), vector_type(word, step // together * lanes)
    found = code.op(f"vector.bitcast {whole} : {vector_type(element, step * lanes)} to {several}", "l")
    if step > together:
        order = [step // together * lane + phase // together for lane in range(lanes)]
        found = code.op(f"vector.shuffle {found}, {found} {order} : {several}, {several}", "l")
    if phase % together:
        found = _shifted(code, "shrui", found, phase % together * size, words)
    return code.op(f"arith.trunci {found} : {words} to {kind}", "l")


def _shifted(code: Lines, operation: str, value: str, by: int, kind: str) -> str:
    distance = code.op(f"arith.constant dense<{by}> : {kind}")
    return code.op(f"arith.{operation} {value}, {distance} : {kind}")


def _word(code: Lines, members: list[str], element: str, lanes: int) -> str:
    """Neighbours as the parts of a word."""
    words, found = vector_type(f"i{element_bits(element) * len(members)}", lanes), ""
    for number, member in enumerate(members):
        part = code.op(f"arith.extui {member} : {vector_type(element, lanes)} to {words}")
        if number:
            part = _shifted(code, "shli", part, number * element_bits(element), words)
            part = code.op(f"arith.ori {found}, {part} : {words}")
        found = part
    return found


def interleaved(code: Lines, members: list[str], element: str, lanes: int, bits: int) -> str:
    """The members of a whole group as one vector: first of each, second of each ...; lanes have so many bits."""
    step = len(members)
    together = _in_a_word(step, element, bits)
    if together > 1:
        words = [_word(code, members[k : k + together], element, lanes) for k in range(0, step, together)]
        word = f"i{element_bits(element) * together}"
        whole = interleaved(code, words, word, lanes, 0) if step > together else words[0]
        several, kind = vector_type(word, step // together * lanes), vector_type(element, step * lanes)
        return code.op(f"vector.bitcast {whole} : {several} to {kind}", "v")
    whole = _joined(code, members, element, lanes)
    kind = vector_type(element, lanes << (step - 1).bit_length())
    order = [phase * lanes + lane for lane in range(lanes) for phase in range(step)]
    return code.op(f"vector.shuffle {whole}, {whole} {order} : {kind}, {kind}", "v")
