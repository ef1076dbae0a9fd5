"""All nests of a loop at one vector of points, for several rows of the loop around it.

Rows share vectors that do not change with them: a vector of the output that several rows add to is loaded and stored
once, a vector that several rows read is loaded once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from raising.affine.ir.affine_expr import Term
from raising.native.loops.body import Body, Memory, Point, load
from raising.native.loops.interleave import Shape
from raising.native.loops.loop_plan import loaded_at_a_point
from raising.native.loops.prefetch import Ahead, ask
from raising.native.loops.rolled import Flat, rolled, write_rolled
from raising.native.loops.vector_ops import (
    MASKED,
    Combine,
    Lane,
    Partial,
    element_bits,
    reduction,
    vector_type,
    widened,
)
from raising.native.loops.vectorise.accumulators import Accumulators, sums_along
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Nest
from raising.support.record import dataclass


@dataclass
class VectorBody:
    """The nests of an innermost loop at a shape.

    Nobody reads the roots in `temporary` afterwards. `hoisted` has what does not change in the loop. `flat` are the
    statements where a vector of points is all members of the strides that it touches.
    """

    code: Lines
    nests: tuple[Nest, ...]
    dim: int
    names: Mapping[Term, str]
    shape: Shape
    temporary: frozenset[str] = frozenset()
    ahead: Ahead = Ahead()
    hoisted: dict[Access, Lane] = field(default_factory=dict)
    flat: Flat | None = None

    def accumulators(self) -> Accumulators:
        """The accumulators of the loop's sums."""
        sums = sums_along(self.nests, self.dim, self.shape.rows)
        return Accumulators(self.code, sums, self.shape, [self._scalar_point(row) for row in self._rows()])

    def hoist(self) -> None:
        """Hoist loads that are the same in all iterations, and the operations on them alone, out of the loop."""
        written = [access.array for nest in self.nests for access in nest.writes]
        for row in self._rows():
            for access in (access for nest in self.nests for access in nest.reads):
                element = self._scalar_point(row).element(access)
                fixed = self.dim not in access.dims and not any(access.array.may_overlap(array) for array in written)
                if fixed and element not in self.hoisted:
                    self.hoisted[element] = load(self.code, element, self._scalar_point(row))

    def roll(self) -> None:
        """See whether vectors of points may be all members of the strides that they touch."""
        if self.shape.lanes > 1 and self.shape.rows == 1:
            self.flat = rolled(self.nests, self.dim, self.temporary, self.shape.form)
        if self.flat is not None:
            words = all(element_bits(write.array.element) >= MASKED for write, _ in self.flat.rows)
            masked = self.flat.maskable and (self.shape.masked or (self.shape.masks_stores and words))
            self.shape = replace(self.shape, masked=masked)

    def repeatable(self) -> bool:
        """Whether iterations may run twice: nothing that is read is written."""
        reads, writes = loaded_at_a_point(self.nests), [write for nest in self.nests for write in nest.writes]
        return not any(write.array.may_overlap(read.array) for write in writes for read in reads)

    def point(self, induction: str, copy: int) -> Point:
        """A vector of points: of a copy of the body, at an iteration."""
        return Point(
            {**self.names, self.dim: induction}, ((self.dim, copy * self.shape.lanes),), self.dim, self.shape.lanes
        )

    def _rows(self) -> range:
        return range(self.shape.rows)

    def _row(self, row: int) -> tuple[tuple[int, int], ...]:
        return ((self.dim - 1, row),) if row else ()

    def _scalar_point(self, row: int) -> Point:
        return Point(self.names, self._row(row), self.dim, 1)

    def _ask(self, point: Point, row: int, copy: int) -> None:
        """Ask for what comes later in the place of a row."""
        if self.ahead.names is not None:
            later = replace(point, names={**self.ahead.names, self.dim: point.names[self.dim]})
            ask(self.code, self.ahead, later, (row, copy))

    def vector(self, sums: Accumulators, point: Point, partial: Partial, copy: int, asking: bool = False) -> None:
        """All nests for all rows, at one vector of points; with `asking`, also for what comes later."""
        reads = tuple(access for nest in self.nests for access in nest.needed)
        memory = Memory(self.code, self.hoisted, self.temporary, reads, form=self.shape.form)
        if self.flat is not None and point.lanes > 1:
            write_rolled(self.flat, point, memory)
            return
        across = self._across() if point.lanes > 1 else {}
        added: dict[Access, Lane] = {}
        for row in self._rows():
            if asking:
                self._ask(point, row, copy)
            here = replace(point, shift=(*point.shift, *self._row(row)))
            for number, nest in enumerate(self.nests):
                mine = {
                    key[0].access: key
                    for key in partial
                    if key[1] == copy and (key[0].nest, key[0].row) == (number, row)
                }
                own = {access: partial[key] for access, key in mine.items()}
                own |= {access: added.get(access) or self._neutral(across[access], access) for access in across}
                body = self._body(number, here, memory, own)
                if self.shape.grouped:
                    partial |= {key: self._grouped(body, partial[key], number) for key in mine.values()}
                    continue
                results = [body.value(name) for name in nest.yields]
                for write, value in zip(nest.writes, results, strict=True):
                    if write in mine:
                        partial[mine[write]] = sums.kept(value, partial[mine[write]], point.mask)
                    elif write in across:
                        added[write] = value
                    else:
                        memory.write(write, value, here)
        for access, combine in across.items():
            memory.write(access, self._joined_with(memory.read(access, point), added[access], combine), point)
        memory.flush()

    def _body(self, number: int, point: Point, memory: Memory, own: Mapping[Access, Lane]) -> Body:
        nest = self.nests[number]
        if self.shape.grouped:
            nest = replace(nest, body=self.shape.grouped[number].body)
        return Body(self.code, nest, point, memory, own, self.shape.form.permutes)

    def _grouped(self, body: Body, old: Lane, number: int) -> Lane:
        """The sums of a nest with those of one vector more."""
        point = body.point.lanes, body.point.mask
        return replace(old, name=self.shape.grouped[number].add(self.code, old.name, body.value, point))

    def _across(self) -> dict[Access, Combine]:
        """The sums along the vector that all rows add to: rows add to each other first.

        Where vectors are few, the next rows wait for what these ones store: for one sum each is shorter than for all.
        """
        if self.shape.rows == 1:
            return {}
        nests, found = self.nests, dict[Access, Combine]()
        for nest in nests:
            others = [access for other in nests if other is not nest for access in (*other.reads, *other.writes)]
            for place, write in enumerate(nest.writes):
                alone = not any(access.array.may_overlap(write.array) for access in others)
                combine = reduction(nest, place) if alone and self.dim in write.dims else None
                exact = combine is not None and (combine.exact or not self.shape.strict)
                if combine is not None and exact and self.dim - 1 not in write.dims:
                    found[write] = combine
        return found

    def _neutral(self, combine: Combine, access: Access) -> Lane:
        kind = vector_type(access.array.element, self.shape.lanes)
        return Lane(self.code.op(f"arith.constant dense<{combine.neutral}> : {kind}"), access.array.element, True)

    def _joined_with(self, old: Lane, new: Lane, combine: Combine) -> Lane:
        """The sum of both, as it stands: LLVM would put the old value first where sums may be reordered."""
        sides = [widened(self.code, each, self.shape.lanes) for each in (old, new)]
        kind = vector_type(old.element, self.shape.lanes)
        return Lane(self.code.op(f"{combine.name} {sides[0]}, {sides[1]} : {kind}"), old.element, True)
