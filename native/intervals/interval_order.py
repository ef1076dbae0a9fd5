"""Whether two loops over the ends of intervals may run in blocks, and their sums be taken as early as blocks allow.

Iterations a, b of one loop in another run in blocks of both if no iteration needs one with a smaller a and a larger b.
The terms of a sum may be added before their iteration if what they read is not written in between: those far from both
ends before a block, those at the end that the outer loop moves before the inner one begins, and each other one behind
the iteration that computes the part that it reads. What is not empty for some sizes, blocks and iterations is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.intervals.interval_sums import Loops, Sum
from raising.native.nest.nest import Access, Nest
from raising.native.nest.read_nests import Item
from raising.native.nest.read_views import Reader, unguarded
from raising.native.transforms.left_looking import single
from raising.support.mlir.predicates import CMPI, FIRST_UNSIGNED
from raising.support.mlir.walk import maker
from raising.support.record import dataclass

_SINGLE = ("memref.load", "memref.store")


@dataclass(frozen=True)
class Touch:
    """An element that iterations read or write, over the loops' names and dimensions below `extents`.

    It is touched where all `conditions` are at least 0.
    """

    access: Access
    extents: tuple[Affine, ...] = ()
    conditions: tuple[Affine, ...] = ()


@dataclass(frozen=True)
class Touched:
    """What the body of two loops reads and writes of memory that is not its own."""

    reads: tuple[Touch, ...]
    writes: tuple[Touch, ...]


def touched(items: Sequence[Item], local: frozenset[str], reader: Reader) -> Touched | None:
    """Every element that a body touches; None if that is not known."""
    reads, writes = list[Touch](), list[Touch]()
    for item in items:
        if isinstance(item.what, Nest):
            extents = tuple(unguarded(extent, reader) for extent in item.what.extents)
            reads += [Touch(access, extents) for access in item.what.reads]
            writes += [Touch(access, extents) for access in item.what.writes]
        elif item.operation.name in _SINGLE:
            found = single(item.operation, reader)
            reads += [Touch(access) for access in found[0]]
            writes += [Touch(access, (), condition_of(item.operation, items, reader)) for access in found[1]]
        elif not item.what.pure and item.operation.name != "memref.dealloc":
            return None
    kept = [tuple(t for t in each if t.access.array.root not in local) for each in (reads, writes)]
    return Touched(*kept)


def condition_of(store: Any, items: Sequence[Item], reader: Reader) -> tuple[Affine, ...]:
    """Where a store changes anything, as forms that are at least 0: else, it stores what the element has."""
    chosen = maker(store.operands[0], "arith.select")
    kept = None if chosen is None else maker(chosen.operands[2], "memref.load")
    test = None if chosen is None else maker(chosen.operands[0], "arith.cmpi")
    if chosen is None or kept is None or test is None or not isinstance(test.operands[0].type, ir.IndexType):
        return ()
    if single(kept, reader)[0] != single(store, reader)[1] or _written_between(kept, store, items, reader):
        return ()
    number = ir.IntegerAttr(test.attributes["predicate"]).value
    left, right = (reader.index(value) for value in test.operands)
    forms = {
        "eq": (left - right, right - left),
        "ge": (left - right,),
        "le": (right - left,),
        "gt": (left - right + -1,),
        "lt": (right - left + -1,),
    }
    return forms.get(CMPI[number], ()) if number < FIRST_UNSIGNED else ()


def _written_between(load: Any, store: Any, items: Sequence[Item], reader: Reader) -> bool:
    """Whether an operation between a load and a store of a block may write the element, or they are in two blocks."""
    places = [number for number, item in enumerate(items) if item.operation in (load, store)]
    if len(places) != 2:
        return True
    between = [item.what for item in items[places[0] + 1 : places[1]]]
    ((access,), _) = single(load, reader)
    for what in between:
        roots = {write.array.root for write in what.writes} if isinstance(what, Nest) else what.writes
        if roots is None or None in roots or access.array.root in roots:
            return True
    return False


def in_order(loops: Loops, sums: Sequence[Sum], found: Touched) -> bool:
    """Whether everything keeps the values that it has in the loops' order."""
    pairs = list(product(found.writes, (*found.reads, *found.writes)))
    if any(w.access.array.may_overlap(t.access.array) and w.access.array != t.access.array for w, t in pairs):
        return False
    if not all(_is_known(touch, loops) for touch in (*found.reads, *found.writes)):
        return False
    asked = _Questions(loops)
    apart = all(asked.in_blocks(one, other) for w, t in pairs for one, other in ((w, t), (t, w)))
    return apart and all(asked.early(each, write) for each in sums for write in found.writes)


def _is_known(touch: Touch, loops: Loops) -> bool:
    """Whether an element follows from the iteration: all else that it depends on is there before the loops."""
    forms = (*touch.access.map, *touch.extents, *touch.conditions)
    names = {name.split(".")[0] for form in forms for name in form.symbols} - {*loops.names}
    return all(loops.outside(loops.reader.values[name]) for name in (touch.access.array.name, *names))


class _Questions:
    """Questions to isl about pairs of iterations (a, b) and (c, d) of two loops."""

    def __init__(self, loops: Loops) -> None:
        self.loops = loops
        self.parameters: dict[str, str] = {}

    def in_blocks(self, first: Touch, second: Touch) -> bool:
        """Whether no element is touched in an iteration first and in another second that blocks would have before."""
        return self._never(first, second, ["a < c", "d < b"])

    def early(self, each: Sum, write: Touch) -> bool:
        """Whether the terms of a sum, in iterations (a, b), may be added where blocks add them."""
        u, v = self._ends(each)
        x = f"({self._text(each.start + dim(0), _first)})"
        low, high = (f"({u('A')})", f"({v('B')})")[:: each.turn]
        block = ["A <= a < M", "A <= c < M", "B <= b < N", "B <= d < N"]
        far = [*block, f"{low} <= {x} < {high}"]
        start = f"{x} < {v('B')}" if each.turn == 1 else f"{x} >= {v('B')}"
        row = ["a = c", "B <= d < b", start]
        last = f"{x} = {v('B')}" if each.turn == 1 else f"{x} = {v('B')} - 1"
        behind = ["a = c", "B < d < b", last]
        reads = [Touch(read, (self._extent(each),)) for read in each.original]
        return all(self._never(read, write, case) for read in reads for case in (far, row, behind))

    def _ends(self, each: Sum) -> Any:
        """The outer end for an outer iteration, and the inner end for an inner one."""
        at = [self._text(index, _first) for index in each.at]
        u, v = ("-", "+")[:: each.turn]
        return lambda a: f"{at[0]} {u} {a}", lambda b: f"{at[1]} {v} {b}"

    def _extent(self, each: Sum) -> Affine:
        """The number of terms."""
        a, b = (dim(name) for name in self.loops.names)
        return each.at[1] - each.at[0] + a + b if each.turn == 1 else each.at[0] - each.at[1] + a + b

    def _never(self, first: Touch, second: Touch, where: Sequence[str]) -> bool:
        """Whether two touches are of no element in common where some conditions hold."""
        if first.access.array != second.access.array:
            return True
        import islpy  # takes a while, and few programs ask

        conditions = [*where, *self._touched(first, _first), *self._touched(second, _second)]
        for one, other in zip(first.access.map, second.access.map, strict=True):
            conditions.append(f"{self._text(one, _first)} = {self._text(other, _second)}")
        dims = [f"i{n}" for n in range(len(first.extents))] + [f"j{n}" for n in range(len(second.extents))]
        parameters = ", ".join(["A", "B", "M", "N", *self.parameters.values()])
        text = f"[{parameters}] -> {{ [{', '.join(['a', 'b', 'c', 'd', *dims])}] : {' and '.join(conditions)} }}"
        return bool(islpy.Set(text).is_empty())

    def _touched(self, touch: Touch, names: Mapping[str, str]) -> Iterator[str]:
        """When an element is touched."""
        for name, low, high in zip(self.loops.names, self.loops.lows, self.loops.highs, strict=True):
            yield f"{self._text(low, names)} <= {self._text(dim(name), names)} < {self._text(high, names)}"
        for number, extent in enumerate(touch.extents):
            yield f"0 <= {names['dim']}{number} < {self._text(extent, names)}"
        for condition in touch.conditions:
            yield f"{self._text(condition, names)} >= 0"

    def _text(self, index: Affine, names: Mapping[str, str]) -> str:
        parts = [f"{factor}*{self._name(term, names)}" for term, factor in index.terms]
        return " + ".join([str(index.constant), *parts])

    def _name(self, term: Term, names: Mapping[str, str]) -> str:
        if isinstance(term, int):
            return f"{names['dim']}{term}"
        if term in self.loops.names:
            return names["ab"[self.loops.names.index(term)]]
        return self.parameters.setdefault(term, f"p{len(self.parameters)}")


_first = {"a": "a", "b": "b", "dim": "i"}
_second = {"a": "c", "b": "d", "dim": "j"}
