"""Interleaved data: a vector of every second, third or fourth element, by whole vectors of memory and shuffles.

Complex numbers, colours of a pixel and stereo samples lie side by side. Along the pixels, each access has a stride of
2, 3 or 4. All accesses at one stride that begin within one stride form a group; what a vector of the group touches is
one piece of memory, which is loaded whole and taken apart in registers, or put together there and stored whole.
Nothing is loaded before the group's first element nor behind its last one, because the program itself reads both.

Where it is computed on more bits than elements have, two or four neighbours are the parts of one lane's word: they are
taken apart and put together by shifts, without a shuffle, or with one for all of them.
Of a stride of three, each vector that goes to or from memory takes its elements from all members at once, where the
machine permutes bytes: LLVM has a scheme of its own for these, of three times as many instructions. Longer elements of
a member lie in different lanes of the three vectors, because 3 divides no power of 2: they are blended to one vector,
which is permuted once. Any unit blends; one permutes.
Shuffles of AVX2 stay within halves of a vector. Where most of what a loop touches are pairs, its lanes are in the order
that these shuffles give (`Form`): whatever is computed, putting the pairs together again undoes it.

    before  for i: out[i] = a[2 * i]
    after   %x, %y = vector.load %a[2 * i], vector.load %a[2 * i + 8] : vector<8xf32>
            vector.store (vector.shuffle %x, %y [0, 2, 4, 6, 8, 10, 12, 14]), %out[i]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from raising.affine.ir.affine_expr import Affine
from raising.native.loops.sums import Grouped
from raising.native.loops.vector_ops import element_bits, joined, vector_type
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Array
from raising.support.record import dataclass

MOST = 4
"""The largest stride: beyond it, most of what whole vectors load is of no use."""


SHORT = 16
"""Bits of the elements, at most, whose strides of three have a scheme here."""
_WORD = 64
"""Bits of the widest lanes that are shifted."""
PARTS = 2
"""Elements of a lane, at most, where strides of three have it: LLVM moves pieces of fewer bytes one by one."""


@dataclass(frozen=True)
class Form:
    """The lanes of a loop: the `bits` that each is computed on, and whether the machine `permutes` bytes.

    A `chunk` is as many lanes as shuffles stay within, where lanes are in the order in which such shuffles take pairs
    apart; 0 where they are in the order of the loop. Of eight, with chunks of four: 0, 1, 4, 5, and 2, 3, 6, 7.
    """

    bits: int = 0
    permutes: bool = False
    chunk: int = 0

    def points(self, lanes: int) -> list[int]:
        """Which point of a vector each lane is; the same list says which lane each point is."""
        half = self.chunk // 2
        starts = (
            [start for first in range(0, lanes // 2, half) for start in (first, lanes // 2 + first)] if half else [0]
        )
        return [start + k for start in starts for k in range(half or lanes)]


def reordered(code: Lines, name: str, element: str, lanes: int, form: Form) -> str:
    """A vector in the order of the loop as one in the order of a form's lanes, or the other way round."""
    if not form.chunk:
        return name
    kind = vector_type(element, lanes)
    return code.op(f"vector.shuffle {name}, {name} {form.points(lanes)} : {kind}, {kind}", "l")


@dataclass(frozen=True)
class Shape:
    """How a vector loop is written.

    `lanes` of a vector, in a `form`, `copies` of the body side by side, `rows` of the loop around; `ordered`: sums
    are taken one after the other, as they stand; `masked`: what whole vectors leave over is done under a mask;
    `strict`: no sum of floats may be in another order; `grouped`: the sum of each nest, if an instruction joins its
    lanes; `masks_stores`: its stores under masks cost little.
    """

    lanes: int
    copies: int
    rows: int
    ordered: bool
    masked: bool = True
    strict: bool = False
    grouped: tuple[Grouped, ...] = ()
    form: Form = Form()
    masks_stores: bool = True


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
    if one.array == two.array and any(_differ(*pair, d) for pair in zip(one.map, two.map, strict=True)):
        return True
    first, second = place_of(one, d), place_of(two, d)
    return first is not None and second is not None and first.group == second.group and first.phase != second.phase


def _differ(one: Affine, two: Affine, d: int) -> bool:
    """Whether two subscripts are some rows apart, in all lanes."""
    apart_by = one - two
    return not one.coefficient(d) and apart_by.is_constant and apart_by.constant != 0


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


def load_whole(code: Lines, where: Callable[[int], str], piece: Piece, place: Place, shape: tuple[int, Form]) -> str:
    """Contiguous vectors of a piece, concatenated; `where` gives the subscripts at a distance from its first element.

    A piece that is shorter than a stride's vectors is loaded to its end only: its last vector overlaps the one before,
    see `taken`. Where the members of a stride are parts of one word, each of its words is shifted to its place.
    """
    (lanes, form), step = shape, place.group.step
    array = piece.first.array
    if piece.span == step:
        return code.op(f"vector.load {where(0)} : {array.type}, {vector_type(array.element, step * lanes)}", "l")
    kind = vector_type(array.element, lanes)
    parts = [
        code.op(f"vector.load {where(start)} : {array.type}, {kind}", "l") for start in _starts(piece, step, lanes)
    ]
    if _fills(piece, place, lanes, form):
        size = element_bits(array.element)
        words = f"vector<{lanes // step}xi{size * step}>"
        last = code.op(f"vector.bitcast {parts[-1]} : {kind} to {words}", "l")
        last = _shifted(code, "shrui", last, size * (step - piece.span), words)
        parts[-1] = code.op(f"vector.bitcast {last} : {words} to {kind}", "l")
    return joined(code, parts, array.element, lanes)


def _fills(piece: Piece, place: Place, lanes: int, form: Form) -> bool:
    """Whether what is loaded of a piece is as good as whole strides: the members of one are in one word."""
    step, element = place.group.step, place.group.array.element
    fits = _in_a_word(step, element, form.bits) > 1 and element_bits(element) * step <= _WORD and lanes % step == 0
    return piece.span == step or fits


def _starts(piece: Piece, step: int, lanes: int) -> list[int]:
    """Where each vector of a piece begins: the last one ends with the piece."""
    end = step * (lanes - 1) + piece.span
    return [min(number * lanes, end - lanes) for number in range(step)]


def _in_a_word(step: int, element: str, bits: int) -> int:
    """How many members of a stride are parts of one word, where lanes have so many bits; 1 if each is by itself."""
    if step % 2 or not element.startswith("i") or element in ("i1", "index"):
        return 1
    return max(1, min(step, bits // element_bits(element)))


def taken(code: Lines, whole: str, piece: Piece, place: Place, lanes: int, form: Form) -> str:
    """The vector of one member, out of what was loaded."""
    step, element, phase = place.group.step, place.group.array.element, place.phase - piece.phase
    together, filled = _in_a_word(step, element, form.bits), _fills(piece, place, lanes, form)
    if together > 1 and filled:
        return _part_of_words(code, whole, (phase, step, together), element, lanes)
    if piece.span == step and _in_thirds(step, element, form):
        return _member_of_three(code, whole, (phase, _elements_of_lane(element, form)), element, lanes)
    if piece.span == step and _in_blends(step, element, form):
        return _blended(code, whole, phase, element, lanes)
    if piece.span == step:
        size, starts = step * lanes, [number * lanes for number in range(step)]
    else:
        size, starts = 1 << (step * lanes - 1).bit_length(), _starts(piece, step, lanes)
    order = []
    for point in form.points(lanes):
        wanted = step * point + phase
        number = next(k for k, start in enumerate(starts) if start <= wanted < start + lanes)
        order.append(number * lanes + wanted - starts[number])
    kind = vector_type(element, size)
    return code.op(f"vector.shuffle {whole}, {whole} {order} : {kind}, {kind}", "l")


def _part_of_words(code: Lines, whole: str, which: tuple[int, int, int], element: str, lanes: int) -> str:
    """The vector of one member of a stride, as a part of the words that it lies in.

    `which` has the member's number, the members of a stride, and how many of them are together in a word.
    """
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
    """Shift every lane of a vector by so many bits."""
    distance = code.op(f"arith.constant dense<{by}> : {kind}")
    return code.op(f"arith.{operation} {value}, {distance} : {kind}")


def _word(code: Lines, members: list[str], parts: int, element: str, lanes: int) -> str:
    """The words of which neighbouring members are the parts, the first one the lowest."""
    words, found = vector_type(f"i{element_bits(element) * parts}", lanes), ""
    if parts == 1:
        return members[0]
    for number, member in enumerate(members):
        part = code.op(f"arith.extui {member} : {vector_type(element, lanes)} to {words}")
        if number:
            part = _shifted(code, "shli", part, number * element_bits(element), words)
            part = code.op(f"arith.ori {found}, {part} : {words}")
        found = part
    return found


def _in_thirds(step: int, element: str, form: Form) -> bool:
    """Whether the members of a stride of three are taken from, or put to, whole vectors by any permutation."""
    short = element.startswith("i") and element not in ("i1", "index") and element_bits(element) <= SHORT
    return form.permutes and step == 3 and short and form.bits <= PARTS * element_bits(element)


def _in_blends(step: int, element: str, form: Form) -> bool:
    """Whether the members of a stride of three are blended: words, where a vector's lanes are taken by masks."""
    return form.permutes and step == 3 and element_bits(element) > SHORT


def _blended(code: Lines, whole: str, phase: int, element: str, lanes: int) -> str:
    """A member of three: out of each lane of the three vectors the one element that is its, put in their order."""
    kind, places = vector_type(element, lanes), _places(phase, lanes)
    vectors = [part_of(code, whole, (start, 3 * lanes), element, lanes) for start in range(0, 3 * lanes, lanes)]
    found = blend(code, vectors, [place // lanes for place in places], kind)
    order = [(3 * lane + phase) % lanes for lane in range(lanes)]
    return code.op(f"vector.shuffle {found}, {found} {order} : {kind}, {kind}", "l")


def _blends(code: Lines, members: list[str], element: str, lanes: int) -> list[tuple[str, int, int]]:
    """The three members of a group as vectors: each is put where its elements go, and then they are blended."""
    kind = vector_type(element, lanes)
    orders = ([place // 3 for place in _places(phase, lanes)] for phase in range(3))
    ready = [code.op(f"vector.shuffle {each}, {each} {order} : {kind}, {kind}", "v")
             for each, order in zip(members, orders, strict=True)]  # fmt: skip
    starts = range(0, 3 * lanes, lanes)
    return [(blend(code, ready, [(start + k) % 3 for k in range(lanes)], kind), start, lanes) for start in starts]


def _places(phase: int, lanes: int) -> list[int]:
    """For each lane, which element of three vectors lies in it that is of a member of three."""
    return [next(place for place in range(lane, 3 * lanes, lanes) if place % 3 == phase) for lane in range(lanes)]


def blend(code: Lines, vectors: list[str], chosen: list[int], kind: str) -> str:
    """Each lane of one of three vectors, by its number."""
    lanes, found = len(chosen), vectors[0]
    for number, vector in enumerate(vectors[1:], start=1):
        order = [lane + (lanes if at == number else 0) for lane, at in enumerate(chosen)]
        found = code.op(f"vector.shuffle {found}, {vector} {order} : {kind}, {kind}", "v")
    return found


def _elements_of_lane(element: str, form: Form) -> int:
    """How many elements a lane has room for."""
    return max(1, form.bits // element_bits(element))


def _member_of_three(code: Lines, whole: str, which: tuple[int, int], element: str, lanes: int) -> str:
    """The vector of one member of a stride of three, by permutations.

    `which` has the member's number and the elements that a lane has room for: the member is the lowest of them, the
    others are zeros.
    """
    phase, parts = which
    size = parts * lanes
    vectors = [part_of(code, whole, (start, 3 * lanes), element, size) for start in range(0, 3 * lanes, size)]
    order = [3 * lane + phase if part == 0 else 3 * lanes for lane in range(lanes) for part in range(parts)]
    found = permuted(code, vectors, order, element, size)
    if parts == 1:
        return found
    words = vector_type(f"i{element_bits(element) * parts}", lanes)
    found = code.op(f"vector.bitcast {found} : {vector_type(element, size)} to {words}", "l")
    return code.op(f"arith.trunci {found} : {words} to {vector_type(element, lanes)}", "l")


def part_of(code: Lines, whole: str, ends: tuple[int, int], element: str, size: int) -> str:
    """So many elements of a vector from one place on, with zeros beyond its end."""
    first, end = ends
    count, kind = min(size, end - first), vector_type(element, end)
    if count < end:
        text = f"{{offsets = [{first}], sizes = [{count}], strides = [1]}} : {kind} to {vector_type(element, count)}"
        whole, kind = code.op(f"vector.extract_strided_slice {whole} {text}", "l"), vector_type(element, count)
    if count == size:
        return whole
    zeros = code.op(f"arith.constant dense<0> : {kind}")
    return code.op(f"vector.shuffle {whole}, {zeros} {list(range(size))} : {kind}, {kind}", "l")


def permuted(code: Lines, vectors: list[str], order: list[int], element: str, size: int) -> str:
    """Elements of vectors of one size, by their places in all of them: of up to three."""
    used = sorted({place // size for place in order})
    vectors = [vectors[number] for number in used]
    order = [used.index(place // size) * size + place % size for place in order]
    kind, first = vector_type(element, size), [place if place < 2 * size else 0 for place in order]
    found = code.op(f"vector.shuffle {vectors[0]}, {vectors[min(1, len(vectors) - 1)]} {first} : {kind}, {kind}", "l")
    if len(vectors) < 3:
        return found
    last = [number if place < 2 * size else place - size for number, place in enumerate(order)]
    return code.op(f"vector.shuffle {found}, {vectors[2]} {last} : {kind}, {kind}", "l")


def _three_joined(code: Lines, members: list[str], parts: int, element: str, lanes: int) -> list[tuple[str, int, int]]:
    """The members of a stride of three as vectors of memory, each with its first place and its length."""
    size, kind = parts * lanes, vector_type(element, parts * lanes)
    vectors = []
    for first in range(0, 3, parts):
        word = _word(code, members[first : first + parts], parts, element, lanes)
        words = vector_type(f"i{element_bits(element) * parts}", lanes)
        vectors.append(word if parts == 1 else code.op(f"vector.bitcast {word} : {words} to {kind}", "v"))
    order = [(k % 3) // parts * size + k // 3 * parts + k % 3 % parts for k in range(3 * lanes)]
    found = []
    for start in range(0, 3 * lanes, size):
        vector, length = _memory_vector(code, vectors, order[start : start + size], element, size)
        found.append((vector, start, length))
    return found


def _memory_vector(code: Lines, vectors: list[str], order: list[int], element: str, size: int) -> tuple[str, int]:
    """One vector of memory out of those of the members, and its length: half the size if it needs upper halves only."""
    half = size // 2
    if len(order) == half and all(place % size >= half for place in order):
        upper = [part_of(code, each, (half, size), element, half) for each in vectors]
        return permuted(
            code, upper, [place // size * half + place % size - half for place in order], element, half
        ), half
    return permuted(code, vectors, order, element, size), len(order)


def interleaved(code: Lines, members: list[str], element: str, lanes: int, form: Form) -> list[tuple[str, int, int]]:
    """The members of a whole group as vectors of memory: each with the place of its first element and its length."""
    step = len(members)
    together = _in_a_word(step, element, form.bits)
    if _in_thirds(step, element, form):
        return _three_joined(code, members, _elements_of_lane(element, form), element, lanes)
    if _in_blends(step, element, form):
        return _blends(code, members, element, lanes)
    if together > 1:
        words = [_word(code, members[k : k + together], together, element, lanes) for k in range(0, step, together)]
        word = f"i{element_bits(element) * together}"
        whole = interleaved(code, words, word, lanes, Form())[0][0] if step > together else words[0]
        several, kind = vector_type(word, step // together * lanes), vector_type(element, step * lanes)
        return [(code.op(f"vector.bitcast {whole} : {several} to {kind}", "v"), 0, step * lanes)]
    whole = joined(code, members, element, lanes)
    kind = vector_type(element, lanes << (step - 1).bit_length())
    order = [phase * lanes + lane for lane in form.points(lanes) for phase in range(step)]
    return [(code.op(f"vector.shuffle {whole}, {whole} {order} : {kind}, {kind}", "v"), 0, step * lanes)]
