"""Sizes to run a function at, where the file leaves them open.

Every `?` of an argument and every integer argument is an unknown. A loop
variable that is bounded by one unknown and indexes a dimension ties the two
together; each class of tied unknowns then gets its own small size, or the
static size it is tied to. Intervals of all subscripts make sure that nothing is
read or written out of bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from mlir import ir

from affine.record import dataclass
from validate.intervals import Intervals, Symbol, enclosing_loops, loop_bound, symbol_of
from validate.signature import Signature, Unsupported

_ROUNDS = 8
_LOADS = {"affine.load": 0, "memref.load": 0, "affine.store": 1, "memref.store": 1}


@dataclass(frozen=True)
class Sizes:
    """A number for each unknown, and how many loads and stores the loops then do at most."""

    values: dict[Symbol, int]
    work: float

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
    accesses = list(_accesses(function))
    unknowns = _unknowns(signature)
    values = _initial(unknowns, _tied(accesses, signature, unknowns), _sizes_read(function))
    for _ in range(_ROUNDS):
        needs = _needs(accesses, Intervals(function, values))
        if not _grow(needs, values, signature):
            break
    else:
        raise Unsupported("no sizes found at which all subscripts are in bounds")
    return Sizes(values, _work(accesses, Intervals(function, values)))


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


def _accesses(function: Any) -> Iterator[Any]:
    """All loads and stores of the function, in order."""
    found: list[Any] = []

    def visit(operation: Any) -> Any:
        if operation.name in _LOADS:
            found.append(operation)
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit)
    return iter(found)


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


def _initial(unknowns: list[Symbol], classes: _Classes, read: set[Symbol]) -> dict[Symbol, int]:
    """A size for each class; dimensions that no loop depends on start at one and grow to their need."""
    sizes = _distinct_sizes()
    free = {classes.find(s) for s in unknowns if s[1] is None or s in read}
    chosen: dict[Symbol, int] = {}
    for symbol in unknowns:
        root = classes.find(symbol)
        if root not in chosen and root in free:
            chosen[root] = classes.cap[root] if root in classes.cap else next(sizes)
    return {symbol: chosen.get(classes.find(symbol), 1) for symbol in unknowns}


def _sizes_read(function: Any) -> set[Symbol]:
    """The dimensions of arguments that the function asks for."""
    found: set[Symbol] = set()

    def visit(operation: Any) -> Any:
        symbol = symbol_of(operation.results[0]) if operation.name == "memref.dim" else None
        if symbol is not None:
            found.add(symbol)
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit)
    return found


def _distinct_sizes() -> Iterator[int]:
    """17, 19, 23, …: small primes, so that no product of two sizes looks like a third."""
    number = 17
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


def _grow(needs: dict[tuple[int, int], int], values: dict[Symbol, int], signature: Signature) -> bool:
    """Enlarge `?` dimensions to what is needed; whether any changed."""
    changed = False
    for (number, dim), need in needs.items():
        size = (signature.arguments[number].shape or ())[dim]
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
