"""Loops in which each element needs itself only: a few vectors of elements go through all iterations in registers.

A polynomial, a series, an iteration of Newton, an orbit until it escapes, a filter: over whole arrays each iteration
goes through memory once more. No element needs another one, so the loop over elements may be the outer one (loop
interchange, Allen and Kennedy 1984), and what the other loop, here called time, carries is in no memory at all. Several
vectors at once hide how long each operation takes.

    before  for t: for i: y[i] = y[i] * x[i] + c[t]
    after   for i by 8: y, x = y[i .. i + 8], x[i .. i + 8]; for t: y = y * x + c[t]; y[i .. i + 8] = y
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.loops.body import Body, Point, load, store
from raising.native.loops.loop_plan import bits_of, vectorisable
from raising.native.loops.loop_tree import unit_stride
from raising.native.loops.vector_ops import Lane, may_be_masked, vector_type, widened
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Nest
from raising.support.record import dataclass

_VECTORS = 8
"""Vectors at once, at most: two operations begin in each cycle, and each takes four."""
_NEAR = 16
"""Elements that a window moves by in an iteration, at most: the next one finds most of it in the first cache."""


@dataclass(frozen=True)
class RegisterBlocks:
    """Nests with vectors along `dim`, the elements that are `carried` in `time`, and those that are `fixed`.

    `vectors` of as many `lanes` go through the iterations together; what is left over is `masked`, or done one by one.
    Nobody reads the roots in `temporary` afterwards.
    """

    nests: tuple[Nest, ...]
    dim: int
    time: Term
    carried: tuple[Access, ...]
    fixed: tuple[Access, ...]
    lanes: int
    vectors: int
    masked: bool
    temporary: frozenset[str]

    @property
    def extent(self) -> Affine:
        """How many elements there are along the vectors."""
        return self.nests[0].extents[self.dim]

    @property
    def windows(self) -> bool:
        """Whether what is read of an array moves with time, to neighbours."""
        return any(self.time in _terms(read) and self.dim in read.dims for nest in self.nests for read in nest.needed)


def register_blocks(
    nests: Sequence[Nest],
    dims: tuple[int, Term],
    machine: tuple[int, int],
    temporary: frozenset[str],
) -> RegisterBlocks | None:
    """The plan for nests in loops over time and, in it, over a dimension; None if elements need others or far memory.

    `dims` are that dimension and time; of the machine, the bits of a vector, and how many registers it has.
    """
    (along, time), (vector_bits, registers) = dims, machine
    if not nests or not all(_on_vectors(nest, along, time) for nest in nests):
        return None
    writes = tuple(dict.fromkeys(write for nest in nests for write in nest.writes))
    reads = tuple(dict.fromkeys(read for nest in nests for read in nest.needed if read not in writes))
    met = (one.array.may_overlap(two.array) for one in writes for two in (*writes, *reads) if one != two)
    lanes, extent = vector_bits // max(map(bits_of, nests)), nests[0].extents[along]
    fixed = tuple(read for read in reads if time not in _terms(read))
    near = all(_is_near(read, along, time) for read in reads if read not in fixed)
    if any(met) or not near or lanes < 2 or (extent.is_constant and extent.constant < lanes):
        return None
    carried = tuple(write for write in writes if write.array.root not in temporary or _read_first(write, nests))
    values = len(carried) + sum(along in each.dims for each in fixed) + 1
    vectors = max(1, min(_VECTORS, registers // values))
    masked = may_be_masked((each.array.element for each in (*reads, *writes)), vector_bits)
    return RegisterBlocks(tuple(nests), along, time, carried, fixed, lanes, vectors, masked, temporary)


def _on_vectors(nest: Nest, along: int, time: Term) -> bool:
    """Whether each point writes elements of its own, the same at all times, that make whole vectors."""
    own = all(unit_stride(write, along) and time not in _terms(write) for write in nest.writes)
    return own and nest.parallel[along] and vectorisable(nest, along)


def _is_near(read: Access, along: int, time: Term) -> bool:
    """Whether an access that moves with time is one element for all points, or a window that moves to neighbours."""
    if along not in read.dims:
        return True
    pairs = [(index.coefficient(time), stride) for index, stride in zip(read.map, read.array.strides, strict=True)]
    if any(factor and stride is None for factor, stride in pairs):
        return False
    return unit_stride(read, along) and abs(sum(factor * (stride or 0) for factor, stride in pairs)) <= _NEAR


def _terms(access: Access) -> frozenset[Term]:
    return frozenset(term for index in access.map for term, _ in index.terms)


def _read_first(write: Access, nests: Iterable[Nest]) -> bool:
    """Whether an iteration reads what the one before it has written."""
    first = next(nest for nest in nests if write in (*nest.needed, *nest.writes))
    return write in first.needed


@dataclass
class _Vector:
    """What is known of one vector of points: elements that are carried or fixed, and what an iteration has made."""

    code: Lines
    known: dict[Access, Lane] = field(default_factory=dict)

    def read(self, access: Access, point: Point) -> Lane:
        """The value of an element: of a register, or of memory as it is in this iteration."""
        if access not in self.known:
            self.known[access] = load(self.code, point.element(access), point)
        return self.known[access]


@dataclass(frozen=True)
class BlockWriter:
    """Writes the loop over elements, and in it the one over time: from, to, by."""

    code: Lines
    plan: RegisterBlocks
    times: tuple[str, str, str]
    permutes: bool

    def write(self, names: Mapping[Term, str], parallel: bool) -> None:
        """All elements: blocks of several vectors, of one, and what is left. Without iterations, nothing is touched."""
        code, plan = self.code, self.plan
        with code.when(f"{self.times[0]} < {self.times[1]}"):
            total, begin = code.affine(plan.extent, names), code.index(0)
            for vectors in dict.fromkeys((plan.vectors, 1)):
                step = code.index(vectors * plan.lanes)
                end = code.formula(f"{total} - remui({total} - {begin}, {step})")
                with code.loop((begin, end, step), parallel=parallel and vectors == plan.vectors) as loop:
                    self._block({**names, plan.dim: loop.induction}, vectors, plan.lanes)
                begin = end
            self._rest(names, begin, total)

    def _rest(self, names: Mapping[Term, str], begin: str, total: str) -> None:
        """The elements that are no whole vector."""
        code, plan = self.code, self.plan
        lanes = plan.lanes if plan.masked else 1
        with code.loop((begin, total, code.index(lanes))) as loop:
            mask = None
            if lanes > 1:
                left = code.formula(f"{total} - {loop.induction}")
                mask = code.op(f"vector.create_mask {left} : vector<{lanes}xi1>", "m")
            self._block({**names, plan.dim: loop.induction}, 1, lanes, mask)

    def _block(self, names: Mapping[Term, str], vectors: int, lanes: int, mask: str | None = None) -> None:
        """The loop over time, for so many vectors of points."""
        code, plan, count = self.code, self.plan, len(self.plan.carried)
        points = [Point(names, ((plan.dim, k * lanes),), plan.dim, lanes, mask) for k in range(vectors)]
        fixed = [{each: load(code, point.element(each), point) for each in plan.fixed} for point in points]
        begin = [widened(code, load(code, p.element(each), p), lanes) for p in points for each in plan.carried]
        kinds = [vector_type(each.array.element, lanes) for each in plan.carried] * vectors
        with code.loop(self.times, list(zip(begin, kinds, strict=True)), whole=True) as loop:
            here = {**names, plan.time: loop.induction}
            loop.values[:] = []
            for k, point in enumerate(points):
                known = {**fixed[k], **self._lanes(loop.start[k * count : (k + 1) * count])}
                known = self._iterated(known, replace(point, names=here))
                loop.values += [widened(code, known[each], lanes) for each in plan.carried]
        for k, point in enumerate(points):
            for access, lane in self._lanes(loop.results[k * count : (k + 1) * count]).items():
                if access.array.root not in plan.temporary:
                    store(code, point.element(access), lane, point)

    def _iterated(self, known: dict[Access, Lane], point: Point) -> dict[Access, Lane]:
        """What is known after one iteration, at one vector of points."""
        vector = _Vector(self.code, known)
        for nest in self.plan.nests:
            body = Body(self.code, nest, point, vector, permutes=self.permutes)
            values = [body.value(name) for name in nest.yields]
            vector.known |= dict(zip(nest.writes, values, strict=True))
        return vector.known

    def _lanes(self, names: Sequence[str]) -> dict[Access, Lane]:
        """The carried elements by these names."""
        pairs = zip(self.plan.carried, names, strict=True)
        return {each: Lane(name, each.array.element, True) for each, name in pairs}
