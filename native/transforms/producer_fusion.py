"""Producer fusion: an elementwise nest is computed where its result is read, so that no array is between the two.

A temporary that only one nest reads, each element at one point or none, costs its way to memory and back. It also ties
the loops of the reader to its own layout: the columns of a matrix may be summed row by row, those of its transpose not.
Where several nests read it, each computes it again if that is cheaper than to store and load it.

    before  for i, j: t[i, j] = a[i, j] * x; for j, i: out[j, i] += t[i, j]
    after   for j, i: out[j, i] += a[i, j] * x

Where an iteration reads what the one before it left there, the first iteration, which has another value, is done alone.

    before  t[0] = last; for i: t[i + 1] = a[i] * x; for i: out[i] = a[i] - t[i]
    after   out[0] = a[0] - last; for i: out[i + 1] = a[i + 1] - a[i] * x
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeGuard

from mlir import ir

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.loops.loop_plan import expressible, length_of
from raising.native.nest.active import without
from raising.native.nest.dataflow import Flow, Leaf, elementwise, fragment_of, made_there, writes
from raising.native.nest.dependence import apart
from raising.native.nest.fragment import Fragment
from raising.native.nest.fragment_algebra import Rewrite, bounds, moved
from raising.native.nest.nest import Access, Array, Effects, Nest, Scalar
from raising.native.nest.read_nests import Item
from raising.native.nest.read_views import Reader
from raising.native.transforms.copy_elimination import undisturbed
from raising.native.transforms.memory_writer import LoopWriter
from raising.support.mlir.walk import maker
from raising.support.record import dataclass

AGAIN = 2
"""Operations, at most, that are done again for each reader."""
FARTHEST = 4
"""Iterations, at most, that are done alone before the others."""
FEW = 8
"""Operations, at most, that are done again within a nest, or for each nest, that reads what earlier iterations made."""
_SLOW = re.compile(r"math\.(?!abs)|arith\.\w*(div|rem)")
_LIGHT = frozenset(f"arith.{name}" for name in ("addf", "subf", "mulf", "addi", "subi", "negf", "select"))


def inlined(items: list[Item], local: frozenset[str]) -> list[Item]:
    """The items, with such temporaries read by nobody; `local` are the buffers that nothing outside can see.

    A nest that no loops are written for stays the operation that it is, and reads what that reads.
    """
    what = [item.what for item in items]
    flow = Flow(what, local)
    for at, nest in enumerate(what):
        if isinstance(nest, Nest):
            what[at] = _inlined(flow, at, nest)
    return [replace(item, what=new) for item, new in zip(items, what, strict=True)]


def _inlined(flow: Flow, at: int, nest: Nest) -> Nest:
    for read in nest.reads:
        alone = read.array.root in flow.local and _each_once(read, nest)
        made = flow.producer(read, at, nest.extents) if alone else None
        if made is None:
            continue
        source, code = made
        if flow.readers(source) != [at] and not _cheap(code, read):
            continue
        if all(flow.stable(Leaf(access, source), at) and undisturbed(access, nest) for access in code.reads):
            new = _with(nest, read, code)
            nest = new if _knows_its_extents(new) and expressible(new) else nest
    return nest


def _cheap(code: Fragment, read: Access) -> bool:
    """Whether code does a sum, a difference or a product or two with an array as large as its result, along its rows.

    What it computes of smaller arrays does not count, nor what chooses a part of the array by its subscripts.
    """
    sides = [access for access in code.reads if access.dims == read.dims]
    if read.map and any(access.map[-1].dims != read.map[-1].dims for access in sides):
        return False
    large = {f"in{number}" for number, access in enumerate(code.reads) if access in sides}
    names, operations = set(large), []
    for number, scalar in enumerate(code.body):
        if names.intersection(scalar.args):
            names.add(f"v{number}")
            operations.append(scalar.name)
    return len(large) == 1 and len(operations) <= AGAIN and all(name in _LIGHT for name in operations)


def _knows_its_extents(nest: Nest) -> bool:
    """Whether what is not known when compiling can be asked of the arrays that the nest has."""
    arrays = {access.array.name for access in (*nest.reads, *nest.writes)}
    return all("." not in symbol or symbol.partition(".")[0] in arrays for symbol in nest.symbols)


def _each_once(read: Access, nest: Nest) -> bool:
    """Whether every point of a nest reads an element of its own, in an array that the nest does not write.

    Where it reads a part only, nothing else of the array is read: three neighbours would be computed three times.
    """
    alone = {min(index.dims) for index in read.map if len(index.dims) == 1}
    whole = all(index == dim(min(index.dims, default=-1)) for index in read.map)
    others = [access for access in nest.reads if access.array == read.array and access != read]
    written = any(write.array.may_overlap(read.array) for write in nest.writes)
    return len(alone) == len(nest.extents) and (whole or not others) and not written


def _with(nest: Nest, read: Access, code: Fragment) -> Nest:
    """The nest with code in place of an element that it reads."""
    whole = Fragment(nest.reads, nest.body, "", "")
    copy = Rewrite(whole, lambda _: None)
    value = Rewrite(code, lambda _: None, copy.reads, copy.body).value(code.result)
    copy.swap = lambda name: value if name.startswith("in") and nest.reads[int(name[2:])] == read else None
    yields = tuple(copy.value(name) for name in nest.yields)
    captured = tuple({**dict(nest.captured), **dict(code.captured)}.items())
    return replace(nest, reads=tuple(copy.reads), body=tuple(copy.body), yields=yields, captured=captured)


def first_apart(items: list[Item], local: frozenset[str], reader: Reader) -> list[Item]:
    """The items, where what finds another value in such a temporary is done alone: the first iteration, or a few."""
    flow, result = Flow([item.what for item in items], local), list[Item]()
    for at, item in reversed([*enumerate(items)]):
        place = ir.InsertionPoint(item.operation)
        *alone, rest = _pieces(flow, at, item.what, reader, place) if isinstance(item.what, Nest) else [item.what]
        pieces = [Item(item.operation.clone(place).operation, piece) for piece in alone]
        result = [*pieces, replace(item, what=rest), *result]
    return result


def _pieces(flow: Flow, at: int, nest: Nest, reader: Reader, before: ir.InsertionPoint) -> list[Nest]:
    """The first iterations of a nest one by one, and the others; only the nest if it treats all of them alike."""
    delayed, known = (_delayed(flow, at, nest, reader), _known_later(nest)) if len(nest.extents) == 1 else ({}, [])
    alone = max([*(place.far for place in delayed.values()), *(-bound.constant for bound in known)], default=0)
    pieces = []
    for number, count in enumerate(_counts(nest.extents[0], alone, reader, before) if alone else []):
        piece = _moved_by(nest, known if number == alone else None, number, count)
        for read, place in delayed.items():
            code = place.at(flow, number) if number < alone else moved(place.code, {0: dim(0) + alone - place.far})
            piece = None if piece is None or code is None else _computed(piece, read.moved({0: dim(0) + number}), code)
        if piece is None or not expressible(piece):
            return [nest]
        pieces.append(piece)
    done = [_without_temporaries(flow, at, piece, reader) for piece in pieces[:-1]]
    return [*done, *_pieces(flow, at, pieces[-1], reader, before)] if pieces else [nest]


def _without_temporaries(flow: Flow, at: int, piece: Nest, reader: Reader) -> Nest:
    """An iteration that is done alone, with what there is before it in place of other temporaries."""
    for read, place in _delayed(flow, at, piece, reader).items():
        code = place.at(flow, 0)
        new = None if code is None else _computed(piece, read, code)
        piece = piece if new is None or not expressible(new) else new
    return piece


def _known_later(nest: Nest) -> list[Affine]:
    """Expressions that a nest compares with 0, and that are not negative after a few iterations."""
    code = Fragment(nest.reads, nest.body, "", "", nest.captured)
    found = {bound for number in range(len(nest.body)) for bound in bounds(code, f"v{number}") or []}
    later = [bound for bound in found if bound - bound.constant == dim(0) and -FARTHEST <= bound.constant < 0]
    return later if not all(nest.parallel) or not set(nest.writes) & set(nest.reads) else []


def _moved_by(nest: Nest, known: list[Affine] | None, first: int, count: Affine) -> Nest | None:
    """So many iterations of a nest, from one on: one at most, or if something is `known`, maybe more.

    None if these count themselves.
    """
    nest = nest if known is None else without(nest, known).tidy
    body = _counted(nest.body, first)
    later: dict[Term, Affine] = {0: dim(0) + first}
    reads, writes = (tuple(each.moved(later) for each in accesses) for accesses in (nest.reads, nest.writes))
    guarded = tuple((name, Affine(1)) for name in count.symbols) if known is None else ()
    new = replace(nest, extents=(count,), reads=reads, writes=writes, body=body, guarded=guarded)
    return new if known is None or body == nest.body else None


def _computed(nest: Nest, read: Access, code: Fragment) -> Nest | None:
    """The nest with code in place of an element that it reads; None if it writes what the code reads."""
    return _with(nest, read, code) if all(undisturbed(access, nest) for access in code.reads) else None


@dataclass(frozen=True)
class _Delayed:
    """What is read of a temporary: what `code` computes `far` iterations later, or is there before."""

    read: Access
    far: int
    makers: tuple[int, ...]
    code: Fragment

    def at(self, flow: Flow, number: int) -> Fragment | None:
        """What the iteration of this number reads, done alone as the first of a loop; None if that is not known."""
        if number >= self.far:
            return _in_iteration(self.code, number - self.far)
        place = self.read.moved({0: Affine(number)})
        for made in reversed(self.makers[:-1]):
            nest = flow.items[made]
            assert isinstance(nest, Nest)
            dims = made_there(nest, place, ())
            if dims is not None:
                return _in_iteration(fragment_of(nest), dims[0].constant) if [*dims] == [0] else fragment_of(nest)
            if not apart(nest.writes[0].map[0], nest.extents, place.map[0], ()):
                break
        return None


def _in_iteration(code: Fragment, number: int) -> Fragment:
    """The code of an iteration, in one that is the first of another loop."""
    return replace(
        code, reads=tuple(read.moved({0: dim(0) + number}) for read in code.reads), body=_counted(code.body, number)
    )


def _counted(body: tuple[Scalar, ...], number: int) -> tuple[Scalar, ...]:
    """A body with the number of its iteration."""
    here = Scalar("arith.constant", (), f"<{{value = {number} : index}}>", (), "index")
    return tuple(here if scalar.name == "linalg.index" else scalar for scalar in body)


def _delayed(flow: Flow, at: int, nest: Nest, reader: Reader) -> dict[Access, _Delayed]:
    """The reads of a nest of temporaries in which its own iterations would find what earlier ones have left there."""
    found = {}
    for read in nest.reads:
        array = read.array
        makers = tuple(number for number in range(at) if writes(flow.items[number], array))
        if array.root not in flow.local or len(array.extents) != 1 or not makers:
            continue
        nests = [each for each in (flow.items[number] for number in makers) if _writes_only(each, array)]
        written = any(write.array.may_overlap(array) for write in nest.writes)
        if written or len(nests) < len(makers):
            continue
        far = nests[-1].writes[0].map[0] - read.map[0]
        early = length_of(nest, 0) == 1 and far.is_constant and far.constant > 0  # it finds what was there before
        if not early and not _as_long(nests[-1], nest, reader):
            continue
        codes = [(number, fragment_of(each)) for number, each in zip(makers, nests, strict=True)]
        stable = all(flow.stable(Leaf(access, number), at) for number, code in codes for access in code.reads)
        used = sum(access.array == array for access in nest.reads) > 1 or flow.readers(makers[-1]) != [at]
        if far.is_constant and 0 <= far.constant <= FARTHEST and stable and not (used and _takes_long(codes[-1][1])):
            found[read] = _Delayed(read, far.constant, makers, codes[-1][1])
    return found


def _writes_only(item: Nest | Effects | None, array: Array) -> TypeGuard[Nest]:
    """Whether an item computes elements of an array one by one, and nothing else."""
    return isinstance(item, Nest) and elementwise(item) and item.writes[0].array == array


def _takes_long(code: Fragment) -> bool:
    """Whether to compute something twice takes longer than to store it and load it again."""
    return len(code.body) > FEW or any(_SLOW.match(scalar.name) for scalar in code.body)


def _as_long(one: Nest, other: Nest, reader: Reader) -> bool:
    """Whether a nest has as many iterations as another one that has any, but for some that are done alone there."""
    if len(one.extents) > 1:
        return False
    more = one.extents[0] - other.extents[0]
    counts = [name in reader.values and maker(reader.values[name], "arith.minsi") is not None for name in more.symbols]
    return more.constant >= 0 and all(counts) and all(factor > 0 for _, factor in more.terms)


def _counts(extent: Affine, alone: int, reader: Reader, before: ir.InsertionPoint) -> list[Affine]:
    """How many iterations a nest does alone, each 0 or 1, and the others; none if its extent is no value.

    What is not known when compiling is written before the operation.
    """
    if extent.is_constant:
        return [*[Affine(1)] * alone, extent - alone] if extent.constant > alone else []
    if any(name not in reader.values for name in extent.symbols):
        return []
    writer, counts, least = LoopWriter(before, reader), list[Affine](), list[ir.Value]()
    total = writer.value(extent, reader.values)
    for number in range(alone):
        least.append(writer.same("arith.minsi", total, writer.index(number + 1)))
        count = writer.same("arith.subi", least[number], least[number - 1]) if number else least[0]
        counts.append(dim(reader.name(count)))
    return [*counts, extent - dim(reader.name(least[-1]))]
