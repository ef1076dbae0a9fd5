"""Sizes to run a function at, where the file leaves them open.

Every `?` of an argument and every integer argument is an unknown. A loop variable that is bounded by one unknown and
indexes a dimension ties the two together; each class of tied unknowns then gets its own small size, or the static size
it is tied to. Extents that C computes from integer parameters follow from these. Intervals of all subscripts make sure
that nothing is read or written out of bounds. Of several choices, the first is taken at which most loops run at least
twice: a window that is larger than its image would make the comparison an empty one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from itertools import islice, permutations
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.c_parameters import declared, linear
from raising.support.mlir.walk import operations
from raising.support.record import dataclass
from raising.validate.native.argument_types import Signature, Unsupported
from raising.validate.native.index_ranges import Intervals, Symbol, enclosing_loops, loop_bound, symbol_of

_ROUNDS = 8
_CHOICES = 40
_MOST_SPREAD = 6
_MOST_EDGES = 24
_LEAST = 17  # of sizes at which loops have work
_LOADS = {"affine.load": 0, "memref.load": 0, "affine.store": 1, "memref.store": 1}


@dataclass(frozen=True)
class Sizes:
    """A number for each unknown, and how many loads and stores the loops then do at most.

    `limits`: the integers of an argument, by its number, are positions below that.
    """

    values: dict[Symbol, int]
    work: float
    limits: dict[int, int] = field(default_factory=dict)

    def shape(self, argument: int, shape: tuple[int | None, ...]) -> tuple[int, ...]:
        """The shape of an argument with every `?` filled in."""
        return tuple(self.values[argument, d] if s is None else s for d, s in enumerate(shape))


@dataclass
class _Classes:
    """Union-find over unknowns; a class may be capped by a static size."""

    parent: dict[Symbol, Symbol] = field(default_factory=dict)
    cap: dict[Symbol, int] = field(default_factory=dict)

    def find(self, symbol: Symbol) -> Symbol:
        """The representative of the class of `symbol`."""
        while self.parent.setdefault(symbol, symbol) != symbol:
            symbol = self.parent[symbol]
        return symbol

    def tie(self, one: Symbol, other: Symbol) -> None:
        """Merge two classes."""
        one, other = self.find(one), self.find(other)
        if one != other:
            self.parent[other] = one
            if other in self.cap:
                self.limit(one, self.cap[other])

    def limit(self, symbol: Symbol, size: int) -> None:
        """The class of `symbol` must not exceed a static size."""
        root = self.find(symbol)
        self.cap[root] = min(size, self.cap.get(root, size))


def choose_sizes(function: Any, signature: Signature) -> Sizes:
    """Choose sizes at which the loops of `function` stay in bounds."""
    open_ = _Open.of(function, signature)
    best: tuple[int, dict[Symbol, int]] | None = None
    problem: Unsupported | None = None
    for sizes in _orders(len(open_.free)):
        values = open_.values(sizes)
        try:
            idle = open_.settle(values)
        except Unsupported as reason:
            problem = problem or reason
            continue
        best = (idle, values) if best is None or idle < best[0] else best
        if idle == 0:
            break
    if best is None:
        raise problem or Unsupported("no sizes found")
    return open_.sizes(best[1])


def edge_sizes(function: Any, signature: Signature, most_work: float) -> list[Sizes]:
    """Sizes at which loops do not run, run once, or meet: 0, 1, -1, the same, smaller and larger than each other.

    At each of them every subscript is in bounds, as far as intervals tell, and all together do no more than
    `most_work` loads and stores.
    """
    open_ = _Open.of(function, signature)
    found: list[Sizes] = []
    for numbers in dict.fromkeys(_edges(len(open_.free))):
        values = open_.values(numbers)
        try:
            open_.settle(values)
            sizes = open_.sizes(values)
            inside = open_.stays_inside(values)
        except Unsupported:
            continue
        if inside and sizes not in found and sizes.work <= most_work:
            most_work -= sizes.work
            found.append(sizes)
    return found[:_MOST_EDGES]


def _edges(count: int) -> Iterator[tuple[int, ...]]:
    """Numbers for so many classes."""
    near = tuple(range(2, 2 + count))
    yield from ((number,) * count for number in (0, 1, 2, -1))
    for base in (near, near[::-1]):
        yield base
        for k in range(count):
            yield from ((*base[:k], number, *base[k + 1 :]) for number in (0, 1, -1, base[k - 1], 2 * base[k - 1]))


@dataclass(frozen=True)
class _Open:
    """The open sizes of a function: its unknowns, those that C computes from others, and the classes to choose for."""

    function: Any
    signature: Signature
    accesses: list[Any]
    unknowns: list[Symbol]
    given: dict[Symbol, Lin]
    classes: _Classes
    free: list[Symbol]

    @staticmethod
    def of(function: Any, signature: Signature) -> _Open:
        """The unknowns of a function."""
        accesses, unknowns = list(_accesses(function)), _unknowns(signature)
        _refuse_views(accesses)
        given, classes = _declared(function, signature), _tied(accesses, signature, unknowns)
        for symbol, form in given.items():
            if (parameter := _parameter(form)) is not None:
                classes.tie(parameter, symbol)
        free = _free(unknowns, classes, _sizes_read(function))
        return _Open(function, signature, accesses, unknowns, given, classes, free)

    def values(self, numbers: tuple[int, ...]) -> dict[Symbol, int]:
        """Each unknown when the free classes are these numbers; no extent is below 0."""
        classes = self.classes
        chosen = {r: self._limited(classes.cap.get(r, n), n) for r, n in zip(self.free, numbers, strict=True)}
        found = {symbol: chosen.get(classes.find(symbol), 1) for symbol in self.unknowns}
        return {symbol: n if symbol[1] is None else max(n, 0) for symbol, n in found.items()}

    @staticmethod
    def _limited(cap: int, number: int) -> int:
        """The static size of a class, but for numbers that are small on purpose."""
        return cap if number >= _LEAST else min(cap, number)

    def settle(self, values: dict[Symbol, int]) -> int:
        """`_settle` with the function's own accesses, signature and given sizes."""
        return _settle(self.function, self.accesses, values, self.signature, self.given)

    def sizes(self, values: dict[Symbol, int]) -> Sizes:
        """The sizes, with the work that loops do there."""
        return Sizes(values, _work(self.accesses, Intervals(self.function, values)))

    def stays_inside(self, values: dict[Symbol, int]) -> bool:
        """Whether no subscript of an access that runs may be below 0, or beyond the end of memory that is made here."""
        intervals = Intervals(self.function, values)
        return all(_is_inside(a, intervals) for a in self.accesses if not intervals.never_runs(a))


def _settle(
    function: Any, accesses: list[Any], values: dict[Symbol, int], signature: Signature, given: dict[Symbol, Lin]
) -> int:
    """Set extents to what they have to be; how many loads and stores are in loops that run less than twice then."""
    for symbol, form in given.items():
        values[symbol] = form.const + sum(factor * values[int(str(atom)[1:]), None] for atom, factor in form.terms)
        if symbol[1] == 0:  # C makes a pointer of the first extent, and a length of each other one
            values[symbol] = max(values[symbol], 0)
        elif values[symbol] < 1:
            raise Unsupported("the extent of an argument is not positive")
    for _ in range(_ROUNDS):
        intervals = Intervals(function, values)
        if not _grow(_needs(accesses, intervals), values, signature, given):
            return sum(_is_idle(access, intervals) for access in accesses)
    raise Unsupported("no sizes found at which all subscripts are in bounds")


def _is_inside(access: Any, intervals: Intervals) -> bool:
    subscripts = intervals.subscripts(access, _LOADS[access.name] + 1)
    extents = _local_extents(access.operands[_LOADS[access.name]], intervals)
    return all(low >= 0 for low, _ in subscripts) and all(
        high < extent for (_, high), extent in zip(subscripts, extents, strict=False)
    )


def _local_extents(memory: Any, intervals: Intervals) -> list[float]:
    """The least extents of memory that the function makes; none for other memory."""
    if not isinstance(memory, ir.OpResult) or memory.owner.name not in ("memref.alloc", "memref.alloca"):
        return []
    made = iter(memory.owner.operands)
    kind = memory.type
    return [intervals.of(next(made))[0] if kind.is_dynamic_dim(d) else kind.get_dim_size(d) for d in range(kind.rank)]


def _is_idle(access: Any, intervals: Intervals) -> bool:
    return any(high <= low for low, high in map(intervals.of, enclosing_loops(access)))


def _declared(function: Any, signature: Signature) -> dict[Symbol, Lin]:
    """The extents that C computes from integer parameters: forms over `p` and the number of the parameter."""
    rows = declared(function, len(signature.arguments))
    integers = {
        row[1]: var(f"p{number}")
        for number, (row, slot) in enumerate(zip(rows, signature.arguments, strict=False))
        if slot.shape is None and not slot.is_float
    }
    found: dict[Symbol, Lin] = {}
    for number, (row, slot) in enumerate(zip(rows, signature.arguments, strict=False)):
        for dim, (text, size) in enumerate(zip(row[2], slot.shape or (), strict=False)):
            form = linear(text, integers) if size is None else None
            if form is not None:
                found[number, dim] = form
    return found


def _parameter(form: Lin) -> Symbol | None:
    """The integer parameter that an extent is."""
    same = len(form.terms) == 1 and form == var(str(form.terms[0][0]))
    return (int(str(form)[1:]), None) if same else None


def _orders(count: int) -> Iterator[tuple[int, ...]]:
    """Different sizes for so many classes: in order first, then otherwise, then some of them far smaller."""
    primes = _distinct_sizes()
    near = tuple(next(primes) for _ in range(count))
    far = tuple(3 * 2**k - 1 for k in range(count)) if count <= _MOST_SPREAD else near
    yield near
    yield near[::-1]
    yield from islice(permutations(near), 1, _CHOICES)
    yield far[::-1]
    yield from islice(permutations(far), _CHOICES)


def estimate_work(function: Any) -> float:
    """How many loads and stores the loops of a function with fixed sizes do at most."""
    return _work(list(_accesses(function)), Intervals(function, {}))


def _unknowns(signature: Signature) -> list[Symbol]:
    found: list[Symbol] = []
    for number, slot in enumerate(signature.arguments):
        if slot.shape is None:
            found += [] if slot.is_float else [(number, None)]
        else:
            found += [(number, d) for d, size in enumerate(slot.shape) if size is None]
    return found


def _accesses(function: Any) -> list[Any]:
    """All loads and stores of the function, in order."""
    return operations(function, lambda op: op.name in _LOADS)


_MADE = ("memref.alloc", "memref.alloca", "memref.get_global")


def _refuse_views(accesses: list[Any]) -> None:
    """`Unsupported` if an access does not say what it accesses of an argument."""
    for access in accesses:
        memory = access.operands[_LOADS[access.name]]
        if isinstance(memory, ir.OpResult) and memory.owner.name not in _MADE:
            raise Unsupported(f"memory is accessed through {memory.owner.name}")


def _tied(accesses: list[Any], signature: Signature, unknowns: list[Symbol]) -> _Classes:
    classes = _Classes()
    for access in accesses:
        number = _argument(access)
        if number is None:
            continue
        shape = signature.arguments[number].shape or ()
        for dim, index in enumerate(_plain_subscripts(access)):
            bound = loop_bound(index) if index is not None else None
            if bound not in unknowns:
                continue
            size = shape[dim]
            if size is None:
                classes.tie(bound, (number, dim))
            else:
                classes.limit(bound, size)
    return classes


def _free(unknowns: list[Symbol], classes: _Classes, read: set[Symbol]) -> list[Symbol]:
    """The classes that are given a size; dimensions that no loop depends on start at one and grow to their need."""
    chosen = {classes.find(s) for s in unknowns if s[1] is None or s in read}
    return [root for root in dict.fromkeys(map(classes.find, unknowns)) if root in chosen]


def _sizes_read(function: Any) -> set[Symbol]:
    """The dimensions of arguments that the function asks for."""
    found: set[Symbol] = set()

    for operation in operations(function):
        symbol = symbol_of(operation.results[0]) if operation.name == "memref.dim" else None
        if symbol is not None:
            found.add(symbol)
    return found


def _distinct_sizes() -> Iterator[int]:
    """17, 19, 23, …: small primes, so that no product of two sizes looks like a third."""
    number = _LEAST
    while True:
        if all(number % d for d in range(2, number)):
            yield number
        number += 1


def _needs(accesses: list[Any], intervals: Intervals) -> dict[tuple[int, int], int]:
    """The size that each dimension of each argument must have at least."""
    needs: dict[tuple[int, int], int] = {}
    for access in accesses:
        number = _argument(access)
        if number is not None and not intervals.never_runs(access):
            for dim, (_, high) in enumerate(intervals.subscripts(access, _LOADS[access.name] + 1)):
                needs[number, dim] = max(high + 1, needs.get((number, dim), 0))
    return needs


def _grow(
    needs: dict[tuple[int, int], int], values: dict[Symbol, int], signature: Signature, given: dict[Symbol, Lin]
) -> bool:
    """Enlarge `?` dimensions that are not given to what is needed; whether any changed."""
    changed = False
    for (number, dim), need in needs.items():
        size = values[number, dim] if (number, dim) in given else (signature.arguments[number].shape or ())[dim]
        if size is not None and need > size:
            raise Unsupported(f"a subscript may reach {need - 1} in a dimension of size {size}")
        if size is None and need > values[number, dim]:
            values[number, dim] = need
            changed = True
    return changed


def _work(accesses: list[Any], intervals: Intervals) -> float:
    total = 0.0
    for access in accesses:
        trips = 1.0
        for variable in enclosing_loops(access):
            low, high = intervals.of(variable)
            trips *= max(0, high - low + 1)
        total += trips
    return total


def _argument(access: Any) -> int | None:
    """The number of the function argument that is accessed, or None for local memory."""
    target = access.operands[_LOADS[access.name]]
    if isinstance(target, ir.BlockArgument) and target.owner.owner.operation.name == "func.func":
        return int(target.arg_number)
    return None


def _plain_subscripts(access: Any) -> list[Any]:
    """For each dimension the value that alone is its subscript, or None."""
    operands = list(access.operands)[_LOADS[access.name] + 1 :]
    if "map" not in access.attributes:
        return operands
    results = access.attributes["map"].value.results
    return [operands[e.position] if isinstance(e, ir.AffineDimExpr) else None for e in results]
