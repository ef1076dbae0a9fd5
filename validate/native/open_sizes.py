"""The sizes that a function leaves open: what C says of them, which loops tie together, and what subscripts ask.

Every `?` of an argument and every integer argument is an unknown. A loop variable that is bounded by one unknown and
indexes a dimension ties the two together; each class of tied unknowns has one size, at most the static size that it is
tied to. Extents that C computes from integer parameters follow from these.
"""

from __future__ import annotations

from math import prod
from typing import Any

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.c_parameters import declared, linear
from raising.support.graphs import UnionFind
from raising.support.mlir.walk import named
from raising.validate.native.argument_types import Signature, Unsupported
from raising.validate.native.index_ranges import Intervals, Symbol, loop_bound, symbol_of
from raising.validate.native.memory_accesses import Access, accesses

LEAST = 17
"""Of sizes at which loops have work; smaller ones are small on purpose."""
_ROUNDS = 8

Values = dict[Symbol, int]


class _Classes(UnionFind[Symbol]):
    """Classes of unknowns with one size each, which may be capped by a static size."""

    def __init__(self) -> None:
        super().__init__()
        self.cap: dict[Symbol, int] = {}

    def tie(self, one: Symbol, other: Symbol) -> None:
        """Let two sizes be the same: their classes become one, with the lower of their limits."""
        one, other = self.find(one), self.find(other)
        if one != other:
            self.union(one, other)
            if other in self.cap:
                self.limit(one, self.cap[other])

    def limit(self, symbol: Symbol, size: int) -> None:
        """The class of `symbol` must not exceed a static size."""
        root = self.find(symbol)
        self.cap[root] = min(size, self.cap.get(root, size))


class OpenSizes:
    """The open sizes of a function; `free` are the classes that are given a number, the others follow."""

    def __init__(self, function: Any, signature: Signature) -> None:
        self.function, self.signature = function, signature
        self.accesses = accesses(function)
        for access in self.accesses:
            access.refuse_view()
        self._unknowns = _unknowns(signature)
        self._given = _given_by_c(function, signature)
        self._classes = _Classes()
        for access in self.accesses:
            self._tie_bounds(access)
        for symbol, form in self._given.items():
            if len(form.terms) == 1 and form == var(name := str(form.terms[0][0])):
                self._classes.tie((_parameter(name), None), symbol)
        read = {symbol_of(op.results[0]) for op in named(function, "memref.dim")}
        chosen = {self._classes.find(s) for s in self._unknowns if s[1] is None or s in read}
        self.free = [root for root in dict.fromkeys(map(self._classes.find, self._unknowns)) if root in chosen]

    def _tie_bounds(self, access: Access) -> None:
        """What bounds a loop variable that is a subscript alone is tied to the extent of that dimension."""
        number = access.argument
        shape = None if number is None else self.signature.arguments[number].shape
        for dim, index in enumerate(access.plain_subscripts() if number is not None else ()):
            bound = loop_bound(index) if index is not None else None
            if number is None or shape is None or bound is None or bound not in self._unknowns:
                continue
            if (size := shape[dim]) is None:
                self._classes.tie(bound, (number, dim))
            else:
                self._classes.limit(bound, size)

    def settled(self, numbers: tuple[int, ...]) -> Intervals:
        """What each unknown is, and each index may be, when the free classes are these numbers.

        `Unsupported` if a subscript leaves its array then.

        Dimensions that no loop depends on begin at one and grow to what subscripts need.
        """
        values = self._chosen(numbers)
        for symbol, form in self._given.items():
            terms = (factor * values[_parameter(str(name)), None] for name, factor in form.terms)
            values[symbol] = form.const + sum(terms)
            if symbol[1] == 0:  # C makes a pointer of the first extent, and a length of each other one
                values[symbol] = max(values[symbol], 0)
            elif values[symbol] < 1:
                raise Unsupported("the extent of an argument is not positive")
        for _ in range(_ROUNDS):
            intervals = Intervals(self.function, values)
            if not self._grow(intervals, values):
                return intervals
        raise Unsupported("no sizes found at which all subscripts are in bounds")

    def elements(self, values: Values) -> int:
        """How many elements the arguments have."""
        shapes = enumerate(slot.shape or () for slot in self.signature.arguments)
        return sum(prod(values[n, d] if s is None else s for d, s in enumerate(shape)) for n, shape in shapes)

    def _chosen(self, numbers: tuple[int, ...]) -> Values:
        chosen = {}
        for root, number in zip(self.free, numbers, strict=True):
            cap = self._classes.cap.get(root, number)
            chosen[root] = cap if number >= LEAST else min(cap, number)
        found = {symbol: chosen.get(self._classes.find(symbol), 1) for symbol in self._unknowns}
        return {symbol: n if symbol[1] is None else max(n, 0) for symbol, n in found.items()}

    def _grow(self, intervals: Intervals, values: Values) -> bool:
        """Enlarge `?` dimensions that are not given to what is needed; whether any changed."""
        changed = False
        for (number, dim), need in self._needs(intervals).items():
            shape = self.signature.arguments[number].shape or ()
            size = values[number, dim] if (number, dim) in self._given else shape[dim]
            if size is not None and need > size:
                raise Unsupported(f"a subscript may reach {need - 1} in a dimension of size {size}")
            if size is None and need > values[number, dim]:
                values[number, dim] = need
                changed = True
        return changed

    def _needs(self, intervals: Intervals) -> dict[tuple[int, int], int]:
        """The size that each dimension of each argument must have at least."""
        needs: dict[tuple[int, int], int] = {}
        for access in self.accesses:
            number = access.argument
            if number is not None and not intervals.never_runs(access.op):
                for dim, (_, high) in enumerate(access.subscripts(intervals)):
                    needs[number, dim] = max(high + 1, needs.get((number, dim), 0))
        return needs


def _unknowns(signature: Signature) -> list[Symbol]:
    found: list[Symbol] = []
    for number, slot in enumerate(signature.arguments):
        if slot.shape is None:
            found += [] if slot.is_float else [(number, None)]
        else:
            found += [(number, d) for d, size in enumerate(slot.shape) if size is None]
    return found


def _given_by_c(function: Any, signature: Signature) -> dict[Symbol, Lin]:
    """The extents that C computes from integer parameters: forms over `p` and the number of the parameter."""
    rows = list(enumerate(zip(declared(function, len(signature.arguments)), signature.arguments, strict=False)))
    integers = {row[1]: var(f"p{k}") for k, (row, slot) in rows if slot.shape is None and not slot.is_float}
    found: dict[Symbol, Lin] = {}
    for number, (row, slot) in rows:
        for dim, (text, size) in enumerate(zip(row[2], slot.shape or (), strict=False)):
            form = linear(text, integers) if size is None else None
            if form is not None:
                found[number, dim] = form
    return found


def _parameter(name: str) -> int:
    """The number of the parameter that a name in such a form stands for."""
    return int(name[1:])
