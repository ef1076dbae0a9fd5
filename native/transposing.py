"""Two loops that write along one and read along the other, in square tiles that are transposed in registers.

Along either loop alone, each element of what lies across comes from a line of its own. A tile takes whole
vectors of both; tiles are done in bands, so that lines which two of them share are still in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from affine.record import dataclass
from native.affine_index import Term
from native.body import Memory, Point, run_at
from native.lines import Lines
from native.loop_tree import Loop, crosses
from native.nest import Access, Nest
from native.tiles import Limits, Tile, only_if

BAND = 128
"""Iterations of the outer loop that are done together: what they write of a vector's width fits the first cache."""
MOST_LANES = 16
MOST_OPERATIONS = 64
"""In the loops' body, which is written once for each row of a tile."""


@dataclass(frozen=True)
class Transposing:
    """Nests inside of the loops `outer` (which stores do not move along in memory) and `outer + 1`, on vectors."""

    nests: tuple[Nest, ...]
    outer: int
    lanes: int

    @property
    def inner(self) -> int:
        """The loop that vectors go along."""
        return self.outer + 1

    @property
    def across(self) -> tuple[Access, ...]:
        """What is read by rows along the outer loop."""
        reads = dict.fromkeys(read for nest in self.nests for read in nest.reads)
        return tuple(read for read in reads if crosses(read, self.outer, self.inner))


def transposing(node: Loop, depth: int, lanes: int, fits: Callable[[Nest], bool]) -> Transposing | None:
    """How to write these loops in tiles; None if nothing in them lies across, or iterations depend on each other.

    `lanes` has a vector of the widest element; `fits` says whether a nest can be done on vectors along the loop inside.
    """
    inner = node.body[0] if len(node.body) == 1 else None
    if not isinstance(inner, Loop) or any(isinstance(child, Loop) for child in inner.body):
        return None
    nests = tuple(inner.nests())
    operations = sum(len(nest.body) for nest in nests)
    plan = Transposing(nests, depth, min(MOST_LANES, lanes))
    small = any(e.is_constant and e.constant < plan.lanes for e in (node.extent, inner.extent))
    if not plan.across or small or lanes < 2 or operations > MOST_OPERATIONS or depth in inner.extent.dims:
        return None
    along = tuple(replace(n, reads=tuple(r for r in n.reads if r not in plan.across)) for n in nests)
    if not all(nest.parallel[depth] and nest.parallel[depth + 1] for nest in nests) or not all(map(fits, along)):
        return None
    return plan if _apart(nests) else None


def _apart(nests: tuple[Nest, ...]) -> bool:
    """Whether each element that is written is read at its own point only, if at all."""
    writes = {write for nest in nests for write in nest.writes}
    accesses = writes.union(*(nest.reads for nest in nests))
    return not any(a != w and a.array.may_overlap(w.array) for a in accesses for w in writes)


def write_tiles(
    code: Lines, plan: Transposing, node: Loop, names: Mapping[Term, str], how: tuple[bool, frozenset[str]]
) -> None:
    """The loops in bands of tiles; `how` says whether bands may run in parallel, and which roots need no stores."""
    parallel, temporary = how
    inner = node.body[0]
    assert isinstance(inner, Loop)
    ends = code.affine(node.extent, names), code.affine(inner.extent, names)
    zero, step = code.index(0), code.index(plan.lanes)
    ragged = not all(e.is_constant and e.constant % plan.lanes == 0 for e in (node.extent, inner.extent))
    with code.loop((zero, ends[0], code.index(BAND)), parallel=parallel) as band:
        end = code.op(f"arith.addi {band.induction}, {code.index(BAND)} : index")
        end = code.op(f"arith.minsi {end}, {ends[0]} : index")
        with code.loop((zero, ends[1], step)) as vectors:
            here = {**names, plan.inner: vectors.induction}
            whole = end
            if ragged:
                left = code.op(f"arith.subi {ends[1]}, {vectors.induction} : index")
                rows = code.op(f"arith.minsi {left}, {step} : index")
                whole = _whole(code, (band.induction, end), rows, step)
            with code.loop((band.induction, whole, step)) as tiles:
                _tile(code, plan, {**here, plan.outer: tiles.induction}, temporary)
            if ragged:
                with code.loop((whole, end, step)) as tiles:
                    left = code.op(f"arith.subi {end}, {tiles.induction} : index")
                    limits = Limits(rows, code.op(f"arith.minsi {left}, {step} : index"))
                    _tile(code, plan, {**here, plan.outer: tiles.induction}, temporary, limits)


def _whole(code: Lines, bounds: tuple[str, str], rows: str, step: str) -> str:
    """Where whole tiles of a band end: at its begin, if the last vector of rows is not whole."""
    low, high = bounds
    count = code.op(f"arith.subi {high}, {low} : index")
    end = code.op(f"arith.subi {high}, {code.op(f'arith.remsi {count}, {step} : index')} : index")
    full = code.op(f"arith.cmpi eq, {rows}, {step} : index")
    return code.op(f"arith.select {full}, {end}, {low} : index")


def _tile(
    code: Lines, plan: Transposing, names: Mapping[Term, str], temporary: frozenset[str], limits: Limits | None = None
) -> None:
    """All nests at the points of a tile."""
    memory = Memory(code, {}, temporary)
    base = Point(names, (), plan.inner, plan.lanes)
    points = [replace(base, shift=((plan.outer, step),) if step else ()) for step in range(plan.lanes)]
    for access in plan.across:
        lanes = Tile(code, access, 1, base, limits).load()
        memory.known |= {point.element(access): lane for point, lane in zip(points, lanes, strict=True)}
    mask = "" if limits is None else code.op(f"vector.create_mask {limits.rows} : vector<{plan.lanes}xi1>", "m")
    for step, point in enumerate(points):
        if limits is not None:
            here = only_if(code, step, limits.columns, mask, plan.lanes)
            point = replace(point, mask=here, beyond=step > 0)
        for nest in plan.nests:
            run_at(code, nest, point, memory)
    memory.flush()
