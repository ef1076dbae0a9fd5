"""Sums over the places at which an interval can be cut, in a loop over one end of it in a loop over the other.

Dynamic programming over intervals (orders of products, search trees, grammars, folded strands of RNA) has an element
for each interval, which two nested loops compute, and sums, in some algebra, over what is between its ends u and v:

    for u, for v: t[u, v] = f(t[u, v], sum of g(t[u, x], t[x + 1, v]) over u <= x < v)

`x` counts the terms such that all subscripts that a term moves are `x` and a constant. Either the first term follows
from u alone and the end from v, or the other way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.loops.loop_plan import may_trap
from raising.native.loops.vector_ops import Combine, reduction
from raising.native.nest.nest import Access, Nest
from raising.native.nest.read_nests import PURE, Item
from raising.native.nest.read_views import Reader, unguarded
from raising.native.transforms.left_looking import single
from raising.support.mlir.operand_segments import input_count
from raising.support.mlir.walk import is_outside
from raising.support.record import dataclass

U, V, X = 0, 1, 2
"""Dimensions of the terms of a sum: the subscripts that the outer and the inner loop move, and the term's number."""


@dataclass(frozen=True)
class Loops:
    """Two loops of step 1, the inner one alone in the outer one: their names, first iterations and ends."""

    outer: Any
    inner: Any
    names: tuple[str, str]
    lows: tuple[Affine, Affine]
    highs: tuple[Affine, Affine]
    reader: Reader

    def outside(self, value: ir.Value) -> bool:
        """Whether a value is there before both loops."""
        return is_outside(value, self.outer)


@dataclass(frozen=True)
class Sum:
    """A sum over the places in an interval.

    In iterations a, b of the loops it goes over x with u <= x < v if `turn` is 1, u being `at[0]` - a and v being
    `at[1]` + b; with v <= x < u if it is -1, u being `at[0]` + a and v `at[1]` - b. There is an access over dimensions
    U, V and X for each operand of a term, or the value that is there before the loops; `original` has the accesses over
    the loops' names, with dimension 0 for terms from `start` on. The array of the intervals has v in axis `axis`.
    """

    operation: Any
    combine: Combine
    reads: tuple[Access | ir.Value, ...]
    original: tuple[Access, ...]
    start: Affine
    turn: int
    at: tuple[Affine, Affine]
    axis: int


def loops_of(outer: Any, reader: Reader) -> Loops | None:
    """The two loops, if there are two, with bounds that are known before them, or where the inner one begins."""
    block = outer.regions[0].blocks[0]
    inside = [view.operation for view in block.operations]
    inner = [operation for operation in inside if operation.name == "scf.for"]
    others = [op.name for op in inside if op not in inner]
    if len(inner) != 1 or inner[0].results or not all(PURE.fullmatch(name) or name == "scf.yield" for name in others):
        return None
    bounds = [[reader.index(value) for value in loop.operands] for loop in (outer, inner[0])]
    a, b = (reader.name(loop.regions[0].blocks[0].arguments[0]) for loop in (outer, inner[0]))
    lows, highs = ((bounds[0][at], bounds[1][at]) for at in (0, 1))
    found = Loops(outer, inner[0], (a, b), lows, highs, reader)
    symbols = (each.symbols - {a} for pair in bounds for each in pair)
    known = all(found.outside(reader.values[name]) for each in symbols for name in each)
    return found if known and all(each[2] == Affine(1) for each in bounds) else None


def sums_of(loops: Loops, items: Sequence[Item], local: frozenset[str], strict: bool) -> list[Sum]:
    """The sums in the body of the inner loop; with `strict`, those that may be taken in any order."""
    found = [_sum(loops, item, local) for item in items if isinstance(item.what, Nest)]
    return [each for each in found if each is not None and (each.combine.exact or not strict)]


def _sum(loops: Loops, item: Item, local: frozenset[str]) -> Sum | None:
    nest = item.what
    assert isinstance(nest, Nest)
    if nest.parallel != (False,) or len(nest.writes) != 1 or not _plain(item.operation, loops):
        return None
    (write,), combine = nest.writes, reduction(nest, 0)
    reads = _operands(item.operation, loops)
    if combine is None or reads is None or write.map or write.array.root not in local:
        return None
    if any(may_trap(nest, scalar) for scalar in nest.body):
        return None
    ends = _ends(nest, reads, loops)
    return None if ends is None else _placed(item.operation, combine, reads, ends, loops)


def _plain(operation: Any, loops: Loops) -> bool:
    """Whether a body computes with its arguments and what is there before the loops."""
    block = operation.regions[0].blocks[0]
    inside = [view.operation for view in block.operations]
    own = [*block.arguments, *(result for each in inside for result in each.results)]
    given = [value for each in inside for value in each.operands if value not in own]
    known = (PURE.fullmatch(each.name) and each.name != "linalg.index" for each in inside[:-1])
    return all(known) and all(map(loops.outside, given))


def _operands(operation: Any, loops: Loops) -> list[Access | ir.Value] | None:
    """What a term reads, over dimension 0 and the loops' names; None if an operand is something else."""
    found: list[Access | ir.Value] = []
    maps = [ir.AffineMapAttr(each).value.results for each in operation.attributes["indexing_maps"]]
    for operand, results in list(zip(operation.operands, maps, strict=True))[: input_count(operation)]:
        if isinstance(operand.type, ir.MemRefType):
            if not all(isinstance(result, ir.AffineDimExpr) for result in results):
                return None
            view = loops.reader.view(operand)
            found.append(Access(view.array, view.subscripts(tuple(dim(0) for _ in results))))
        elif loops.outside(operand):
            found.append(operand)
        elif not isinstance(operand.owner, ir.Block) and operand.owner.operation.name == "memref.load":
            found += single(operand.owner.operation, loops.reader)[0]
        else:
            return None
    arrays = [loops.reader.values[each.array.name] for each in found if isinstance(each, Access)]
    return found if all(map(loops.outside, arrays)) else None


def _ends(nest: Nest, reads: Sequence[Access | ir.Value], loops: Loops) -> tuple[Affine, Affine] | None:
    """The subscript that moves with the terms, in the first and behind the last; others differ by constants."""
    moving = [index for read in reads if isinstance(read, Access) for index in read.map if 0 in index.dims]
    if not moving or any(index.coefficient(0) != 1 for index in moving):
        return None
    first = moving[0] - dim(0)
    if any((index - moving[0]).symbols & set(loops.names) for index in moving):
        return None
    return first, first + unguarded(nest.extents[0], loops.reader)


def _placed(
    operation: Any, combine: Combine, reads: Sequence[Any], ends: tuple[Affine, Affine], loops: Loops
) -> Sum | None:
    """The sum with its operands over U, V and X; None if its ends are not those of an interval."""
    a, b = loops.names
    turn = {"-1 0 0 1": 1, "0 -1 1 0": -1}.get(" ".join(str(end.coefficient(name)) for end in ends for name in (a, b)))
    if turn is None:
        return None
    u, v = ends[::turn]
    at = u + dim(a) * turn, v - dim(b) * turn
    values: dict[Term, Affine] = {a: (at[0] - dim(U)) * turn, b: (dim(V) - at[1]) * turn}
    values[0] = dim(X) - ends[0].substitute(values)
    moved = tuple(read.moved(values) if isinstance(read, Access) else read for read in reads)
    original = tuple(read for read in reads if isinstance(read, Access))
    subscripts = [index for read in moved if isinstance(read, Access) for index in read.map]
    axes = {axis for read in moved if _is_part(read) for axis, index in enumerate(read.map) if V in index.dims}
    plain = all(len(i.dims) < 2 and all(i.coefficient(d) == 1 for d in i.dims) for i in subscripts)
    names = set().union(*(index.symbols for index in (*subscripts, *at)))
    known = all(loops.outside(loops.reader.values[name.split(".")[0]]) for name in names)
    if len(axes) != 1 or not plain or not known:
        return None
    return Sum(operation, combine, moved, original, ends[0], turn, at, axes.pop())


def _is_part(read: Any) -> bool:
    """Whether what is read stands for a part of the interval: a row or a column that moves with the terms."""
    return isinstance(read, Access) and len(read.map) == 2 and {V, X} <= read.dims
