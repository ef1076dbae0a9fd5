"""A pipeline in registers: several iterations of a loop over vectors in one sweep, with no memory between them.

The nests of a time loop, repeated for several iterations, are the levels of the pipeline. At each position of the sweep
every level computes one vector; a later level works further back. The vectors that a level reads were computed at
earlier positions, and are put together of two neighbouring vectors, so that the levels of a position do not wait for
one another. Each level makes a version of the array that it writes; only the last versions are stored. Elements that no
level writes are the same in every version, and are loaded where a vector reaches beyond the extent.

    before  for t: for i: b[i] = f(a[i - 1 .. i + 1]); for i: a[i] = g(b[i - 1 .. i + 1])
    after   for t by 4: for i by 8: one vector of each of eight levels, the last ones of each carried in registers
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from raising.affine.ir.affine_expr import Affine
from raising.native.loops.loop_plan import bits_of, vectorisable
from raising.native.loops.loop_tree import Node, nests_of, unit_stride
from raising.native.nest.nest import Access, Array, Nest
from raising.support.record import dataclass

LEVELS = 4
"""Levels of a sweep: as many as hide memory behind arithmetic, few enough for registers and for overlap."""

HISTORY = 4
"""Vectors of a version that may be needed again, at most."""

Version = tuple[Array, int]
"""An array after so many iterations."""
Vectors = Mapping[Version, str]
"""A vector of each version, at one position."""


@dataclass(frozen=True)
class RegisterPipeline:
    """Nests of one dimension, the iterations of a sweep, and the positions relative to the sweep's.

    `shifts` has how far back each level is; `places` where the vector of a version begins; `lanes` the vector's;
    `history` how many positions back a vector is read.
    """

    nests: tuple[Nest, ...]
    iterations: int
    lanes: int
    shifts: tuple[int, ...]
    places: Mapping[Version, int]
    history: int = 1

    def version(self, array: Array, level: int) -> Version:
        """The version that a level reads of an array that is written."""
        iteration, number = divmod(level, len(self.nests))
        (writer,) = (k for k, nest in enumerate(self.nests) if nest.writes[0].array == array)
        return array, iteration + (writer < number)

    def written(self, array: Array) -> bool:
        """Whether there are versions of an array."""
        return any(nest.writes[0].array == array for nest in self.nests)

    @property
    def extents(self) -> list[int]:
        """The extent of each nest."""
        return [nest.extents[0].constant for nest in self.nests]

    @property
    def ends(self) -> tuple[int, int, int, int]:
        """Positions: the first, the first and the end of those where all vectors are whole, the end."""
        first = -max(self.places.values())
        last = max(self.extents) + max(self.shifts)
        arrays = [(array, place) for (array, count), place in self.places.items() if count == 0]
        inner = max(*self.shifts, *(-place for _, place in arrays))
        room = min(
            *(extent + shift for extent in self.extents for shift in self.shifts),
            *((array.shape[-1] or 0) - place for array, place in arrays),
        )
        start = first + -(-(inner - first) // self.lanes) * self.lanes
        whole = max(0, (room - start) // self.lanes)
        return first, start, start + whole * self.lanes, last


def register_pipeline(nodes: tuple[Node, ...], time: str, vector_bits: int) -> RegisterPipeline | None:
    """The plan for a time loop with these loops in its body; None if its arrays are not vectors that move alike."""
    nests = tuple(nest for node in nodes for nest in nests_of(node))
    if not nests or not all(_simple(nest, time) for nest in nests):
        return None
    arrays = [nest.writes[0].array for nest in nests]
    if len(set(arrays)) < len(arrays) or not all(_alike(nest, nests) for nest in nests):
        return None
    lanes = vector_bits // max(bits_of(nest) for nest in nests)
    iterations = LEVELS // len(nests)
    plan = RegisterPipeline(nests, iterations, lanes, (), {}) if lanes > 1 and iterations > 1 else None
    return _placed(plan) if plan else None


def _simple(nest: Nest, time: str) -> bool:
    """Whether a nest computes one vector of known extent, the same way in every iteration."""
    if len(nest.extents) != 1 or not nest.extents[0].is_constant or len(nest.writes) != 1 or not nest.parallel[0]:
        return False
    (write,) = nest.writes
    steady = time not in nest.symbols and time not in dict(nest.captured)
    moving = all(
        unit_stride(access, 0) and not access.map[-1].symbols for access in (*nest.reads, write) if 0 in access.dims
    )
    return steady and moving and 0 in write.dims and write.array.shape[-1] is not None and vectorisable(nest, 0)


def _alike(nest: Nest, nests: Sequence[Nest]) -> bool:
    """Whether reads of written arrays have the stride of the writes, and a nest reads its own array in place only."""
    for write in (other.writes[0] for other in nests):
        for access in (*nest.reads, *nest.writes):
            if access.array.may_overlap(write.array) and _linear(access) != _linear(write):
                return False
            if access.array.may_overlap(write.array) and access.array != write.array:
                return False
    return all(read == nest.writes[0] for read in nest.reads if read.array == nest.writes[0].array)


def _linear(access: Access) -> tuple[Affine, ...]:
    *outer, last = access.map
    return (*outer, replace(last, constant=0))


def constant(access: Access) -> int:
    """Where along the vector an access is for the first element."""
    return access.map[-1].constant


def _placed(plan: RegisterPipeline) -> RegisterPipeline | None:
    """The plan with its positions: each level as far ahead as what it reads allows."""
    places: dict[Version, int] = {}
    shifts: list[int] = []
    back = 0
    for level in range(plan.iterations * len(plan.nests)):
        nest = plan.nests[level % len(plan.nests)]
        reads = [(plan.version(read.array, level), constant(read)) for read in nest.reads if plan.written(read.array)]
        for version, _ in reads:
            if version not in places:
                places[version] = max(offset for other, offset in reads if other == version)
        shift = plan.lanes + max((offset - places[version] for version, offset in reads), default=0)
        back = max(back, *(places[version] + shift - offset for version, offset in reads), 0)
        shifts.append(shift)
        write = nest.writes[0]
        places[write.array, level // len(plan.nests) + 1] = constant(write) - shift
    for nest in plan.nests:
        array = nest.writes[0].array
        places.setdefault((array, 0), places[array, plan.iterations])
        if places[array, plan.iterations] > places[array, 0]:
            return None
    found = replace(plan, shifts=tuple(shifts), places=places, history=-(-back // plan.lanes))
    return found if found.history <= HISTORY and found.ends[1] < found.ends[2] else None
