"""The work of loops: the arithmetic that cannot be shared, and the bytes that must move at least."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import Any

import numpy as np

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Array as MemRef
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Store
from raising.frontend.mlir.reader import Function
from raising.polybench.suite.values import Array
from raising.support.record import dataclass

_FREE = ("arith.constant", "arith.index_cast", "arith.extf", "arith.truncf", "arith.cmpf", "arith.cmpi", "arith.select")
MOST_POINTS = 1 << 25

Chain = tuple[Loop | Guard, ...]


@dataclass(frozen=True)
class Work:
    """`operations` on numbers (a multiply-add is two), and `traffic` in bytes: each array once in, once out.

    What does not change along a loop counts once, not in every iteration of it: `alpha * A[i][k]` in a loop
    over i, j and k is one multiplication for each i and k.
    """

    operations: int
    traffic: int


def work(function: Function) -> Work:
    """The work of a function's loops, whose sizes are numbers; ValueError if they cannot be counted."""
    body = [node for item in function.items for node in item.nodes]
    placed = list(_placed(body, ()))
    accesses = {(type(n), n.array) for n, _ in placed if isinstance(n, Load | Store)}
    written = {n.array for n, _ in placed if isinstance(n, Store)}
    arrays = [function.reader.arrays[name] for _, name in accesses]
    traffic = sum(_bytes(array) for array in arrays if array.kind == "argument")
    return Work(sum(_times(chain, varies) for chain, varies in _arithmetic(placed, written)), traffic)


def _bytes(array: MemRef) -> int:
    if not all(extent.is_const for extent in array.shape):
        raise ValueError(f"array '{array.name}' has no fixed size")
    return prod(extent.const for extent in array.shape) * int(array.element[1:]) // 8


def _placed(body: Iterable[Node], around: Chain) -> Iterator[tuple[Node, Chain]]:
    """Every node with the loops and guards around it."""
    for node in body:
        yield node, around
        if isinstance(node, Loop | Guard):
            yield from _placed(node.body, (*around, node))


def _arithmetic(placed: Iterable[tuple[Node, Chain]], written: set[str]) -> Iterator[tuple[Chain, frozenset[str]]]:
    """Where each operation is, and the iterators that its value varies with."""
    varies: dict[str, frozenset[str]] = {}
    for node, chain in placed:
        around = frozenset(n.iv for n in chain if isinstance(n, Loop))
        match node:
            case Load(dst=dst, array=array, subscripts=subscripts):
                varies[dst] = around if array in written else around & _names(subscripts)
            case IndexValue(dst=dst, form=form):
                varies[dst] = around & form.names()
            case Compute(dst=dst, op=op, args=args):
                varies[dst] = frozenset().union(*(varies.get(a, frozenset()) for a in args))
                if op not in _FREE:
                    yield chain, varies[dst]


def _names(forms: Iterable[Lin]) -> frozenset[str]:
    return frozenset().union(*(form.names() for form in forms))


def _times(chain: Chain, varies: frozenset[str]) -> int:
    """How many different values the iterators of `varies` take together in a chain of loops and guards."""
    points: dict[str, Array] = {}
    weights = np.ones(1, np.int64)
    for depth, node in enumerate(chain):
        if isinstance(node, Guard):
            points, weights = _guarded(node, points, weights)
            continue
        low = np.max([_at(form, points, weights) for form in node.lower], axis=0)
        high = np.min([_at(form, points, weights) for form in node.upper], axis=0)
        trips = np.maximum(0, -((low - high) // node.step))
        if any(node.iv in form.names() for inner in chain[depth + 1 :] for form in _forms(inner)):
            points, weights = _unrolled(node, points, weights, low, trips)
        else:
            weights = weights * (trips if node.iv in varies else np.minimum(trips, 1))
    return _distinct([p for iv, p in points.items() if iv in varies], weights)


def _distinct(columns: list[Array], weights: Array) -> int:
    """The sum of the weights, of rows that are equal the largest only."""
    if not columns:
        return int(weights.max(initial=0))
    order = np.lexsort((weights, *columns))
    rows = np.stack(columns)[:, order]
    last = np.append(np.any(rows[:, 1:] != rows[:, :-1], axis=0), True)
    return int(weights[order][last].sum())


def _guarded(guard: Guard, points: Mapping[str, Array], weights: Array) -> tuple[dict[str, Array], Array]:
    kept = np.ones(len(weights), bool)
    for cond in guard.conds:
        form = _at(cond.form, points, weights)
        kept &= (form == 0) if cond.equality else (form >= 0)
    return {iv: p[kept] for iv, p in points.items()}, weights[kept]


def _unrolled(
    loop: Loop, points: Mapping[str, Array], weights: Array, low: Array, trips: Array
) -> tuple[dict[str, Array], Array]:
    """The points of a loop's iterations."""
    if trips.sum() > MOST_POINTS:
        raise ValueError(f"loop '{loop.iv}' has too many iterations to count what is inside")
    inside = {iv: np.repeat(p, trips) for iv, p in points.items()}
    starts = np.repeat(np.cumsum(trips) - trips, trips)
    inside[loop.iv] = np.repeat(low, trips) + loop.step * (np.arange(trips.sum()) - starts)
    return inside, np.repeat(weights, trips)


def _forms(node: Loop | Guard) -> Iterator[Lin]:
    """The forms that decide how often the body runs."""
    if isinstance(node, Loop):
        yield from (*node.lower, *node.upper)
    else:
        yield from (cond.form for cond in node.conds)


def _at(form: Lin, points: Mapping[str, Any], weights: Array) -> Array:
    return np.zeros(len(weights), np.int64) + form.evaluate(points)
