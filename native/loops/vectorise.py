"""Vectorisation: an innermost loop on vectors, for several rows of the loop around it at once.

Rows share vectors that do not change with them: a vector of the output that several rows add to is loaded and stored
once, a vector that several rows read is loaded once. Reductions along the vector have an accumulator for each row and
each copy of the body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.loops.aligned_stores import iterations_before, light
from raising.native.loops.body import Body, Memory, Point, load, subscripted
from raising.native.loops.interleave import Shape
from raising.native.loops.loop_tree import unit_stride
from raising.native.loops.prefetch import Ahead, ask
from raising.native.loops.private_rows import is_private
from raising.native.loops.rolled import Statement, rolled, write_rolled
from raising.native.loops.vector_ops import (
    MASKED,
    WORDS,
    Combine,
    Lane,
    Partial,
    Sum,
    element_bits,
    first_lanes,
    flags_of,
    reduction,
    sums_of_rows,
    vector_type,
    widened,
)
from raising.native.nest.active import Active, active
from raising.native.nest.byte_sums import add_bytes, sums_type, total_of_bytes
from raising.native.nest.loop_blocks import Blocks, done_in_blocks
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Array, Nest
from raising.support.record import dataclass


@dataclass
class VectorLoop:
    """The nests of an innermost loop at a shape.

    Nobody reads the roots in `temporary` afterwards; `read` are the arrays that loops around read. Whole steps are
    done in `blocks`, if there are any.
    """

    code: Lines
    nests: tuple[Nest, ...]
    dim: int
    names: Mapping[Term, str]
    shape: Shape
    temporary: frozenset[str] = frozenset()
    read: frozenset[Array] = frozenset()
    ahead: Ahead = Ahead()
    blocks: Blocks | None = None
    hoisted: dict[Access, Lane] = field(default_factory=dict)
    _flat: tuple[Statement, ...] = ()

    def write(self, extent: Affine) -> None:
        """The whole loop: as many vectors as fit, then what is left under a mask, then the sums."""
        self._hoist()
        sums = self._sums()
        self._roll()
        where = self._active()
        if self.shape.rows == 1:  # all of the loop is where the conditions hold
            self.nests = where.nests
        begin, sure, total = where.ends(self.code, self.code.affine(extent, self.names), self.names, self.shape.rows)
        constant = extent.constant if extent.is_constant and begin is None and sure == total else None
        low = begin or (None if constant is not None else self._aligned(total, sums))
        if low is not None and begin is None:
            self._left_over(low, self.code.index(0), {})
        bulk, step = self._bulk(sure, constant, low)
        nests, self.nests = self.nests, where.nests if where.low is None else self.nests
        partial = self._bulk_of((low or self.code.index(0), bulk, step), sums, constant is None)
        self.nests = nests
        left = step > 1 and (constant is None or constant % step != 0)
        masked, whole = self.shape.masked, total
        several = bool(sums) and self.shape.lanes > 1 and self.shape.copies > 1
        if left and (several or not masked):
            whole = self._multiple(total, low, self.shape.lanes)
        if left and (self.shape.copies > 1 or sure != total) and (several or not masked):
            self._rest(whole, bulk, partial, masked=False)
        if left and masked:
            self._left_over(total, whole if several else bulk, partial, inside=where.high is not None)
        self._finish_all(sums, partial)
        if left and not masked:
            self._last(total, whole, overlapping=not sums and self._repeatable())

    def _bulk_of(self, bounds: tuple[str, str, int], sums: list[Sum], whole: bool) -> Partial:
        """The whole steps from, to, by: the accumulators after them. Those of blocks are joined, in their order."""
        if self.blocks is None:
            return self._steps(bounds, sums, whole)

        def steps(low: str, high: str) -> list[str]:
            partial = self._steps((low, high, bounds[2]), sums, whole)
            return [self._joined(each, partial) for each in sums]

        def join(one: list[str], two: list[str]) -> list[str]:
            return list(map(self._join, sums, one, two))

        kinds = [(self._start(each), self._kind(each)) for each in sums]
        found = done_in_blocks(self.code, bounds, self.blocks, kinds, (steps, join))
        unused = range(1, self.shape.copies)
        names = zip(found, kinds, strict=True)
        return self._table(sums, [name for total, (none, _) in names for name in (total, *(none for _ in unused))])

    def _steps(self, bounds: tuple[str, str, int], sums: list[Sum], whole: bool) -> Partial:
        """Whole steps, with accumulators that begin empty."""
        start = [(self._start(each), self._kind(each)) for each in sums for _ in range(self.shape.copies)]
        low, high, step = bounds
        whole = whole and self.shape.lanes > 1
        with self.code.loop((low, high, self.code.index(step)), start, whole=whole) as state:
            partial = self._table(sums, state.start)
            for copy in range(self.shape.copies):
                self._vector(self._point(state.induction, copy), partial, copy, asking=True)
            state.values[:] = [lane.name for lane in partial.values()]
        return self._table(sums, state.results)

    def _roll(self) -> None:
        """See whether vectors of points may be all members of the strides that they touch."""
        stored = not any(write.array.root in self.temporary for nest in self.nests for write in nest.writes)
        if stored and self.shape.lanes > 1 and self.shape.rows == 1:
            self._flat = rolled(self.nests, self.dim)
        if self._flat and all(element_bits(each.group.array.element) >= MASKED for each in self._flat):
            self.shape = replace(self.shape, masked=True)

    def _rows(self) -> range:
        return range(self.shape.rows)

    def _row(self, row: int) -> tuple[tuple[int, int], ...]:
        return ((self.dim - 1, row),) if row else ()

    def _scalar_point(self, row: int) -> Point:
        return Point(self.names, self._row(row), self.dim, 1)

    def _point(self, induction: str, copy: int) -> Point:
        return Point(
            {**self.names, self.dim: induction}, ((self.dim, copy * self.shape.lanes),), self.dim, self.shape.lanes
        )

    def _ask(self, point: Point, row: int, copy: int) -> None:
        """Ask for what comes later in the place of a row."""
        if self.ahead.names is not None:
            later = replace(point, names={**self.ahead.names, self.dim: point.names[self.dim]})
            ask(self.code, self.ahead, later, (row, copy))

    def _hoist(self) -> None:
        """Hoist loads that are the same in all iterations, and the operations on them alone, out of the loop."""
        written = [access.array for nest in self.nests for access in nest.writes]
        for row in self._rows():
            for access in (access for nest in self.nests for access in nest.reads):
                element = self._scalar_point(row).element(access)
                fixed = self.dim not in access.dims and not any(access.array.may_overlap(array) for array in written)
                if fixed and element not in self.hoisted:
                    self.hoisted[element] = load(self.code, element, self._scalar_point(row))

    def _aligned(self, total: str, sums: list[Sum]) -> str | None:
        """Iterations before stores are aligned; None if that does not matter, or would change how sums are grouped."""
        if sums or self.shape.lanes == 1 or self.shape.rows > 1 or not light(self.nests, self.dim):
            return None
        if not self.shape.masked and not self._repeatable():
            return None
        if any(is_private(read.array) and self.dim in read.dims for nest in self.nests for read in nest.reads):
            return None  # a load across two stores that are not in the cache yet waits for both
        loop = self.names, total, self.shape.lanes
        return iterations_before(self.code, (self.nests, self.temporary), self.dim, loop)

    def _active(self) -> Active:
        """Where the nests do something; a sum whose order counts keeps its zeros."""
        return active(
            self.nests, self.dim, self.names, lambda nest, k: not self.shape.strict and reduction(nest, k) is not None
        )

    def _bulk(self, sure: str, constant: int | None, low: str | None) -> tuple[str, int]:
        """The end of the iterations that whole vector steps cover, and the step."""
        step = self.shape.lanes * self.shape.copies
        if constant is not None:
            return self.code.index(constant // step * step), step
        return (sure if step == 1 else self._multiple(sure, low, step)), step

    def _multiple(self, total: str, low: str | None, step: int) -> str:
        """Where the last whole step ends of those that begin at `low`, or at 0."""
        length = total if low is None else self.code.op(f"arith.subi {total}, {low} : index")
        rest = self.code.op(f"arith.remsi {length}, {self.code.index(step)} : index")
        return self.code.op(f"arith.subi {total}, {rest} : index")

    def _rest(self, total: str, bulk: str, partial: Partial, masked: bool) -> None:
        """The iterations that whole steps leave over, one vector at a time."""
        lanes = self.shape.lanes
        first = [key for key in partial if key[1] == 0]
        carried = [(partial[key].name, self._kind(key[0])) for key in first]
        with self.code.loop((bulk, total, self.code.index(lanes)), carried, whole=lanes > 1) as state:
            inner = {key: replace(partial[key], name=name) for key, name in zip(first, state.start, strict=True)}
            point = self._point(state.induction, 0)
            if lanes > 1 and masked:
                left = self.code.op(f"arith.subi {total}, {state.induction} : index")
                point = self._masked(point, left)
            self._vector(point, inner, 0)
            state.values[:] = [lane.name for lane in inner.values()]
        for key, name in zip(first, state.results, strict=True):
            partial[key] = replace(partial[key], name=name)

    def _left_over(self, total: str, bulk: str, partial: Partial, inside: bool = False) -> None:
        """The remaining iterations: under a mask, or by ever smaller vectors if the next row is read right after.

        Not so `inside` of a row, whose rest lies between.

        A load waits for a store that it overlaps, also if that leaves out, under its mask, what is loaded.
        """
        if not self.shape.masked or partial or self._flat or inside or not self._updates_rows():
            self._rest(total, bulk, partial, masked=self.shape.masked)
            return
        lanes = self.shape.lanes
        whole = self.code.op(f"arith.addi {bulk}, {self._whole(total, bulk)} : index")
        self._rest(whole, bulk, partial, masked=False)
        left = self.code.op(f"arith.subi {total}, {whole} : index")
        some = self.code.op(f"arith.cmpi ne, {left}, {self.code.index(0)} : index")
        self.code.line(f"scf.if {some} {{")
        while lanes > 1:
            lanes //= 2
            bit = self.code.op(f"arith.andi {left}, {self.code.index(lanes)} : index")
            end = self.code.op(f"arith.addi {whole}, {bit} : index")
            shape = replace(self.shape, lanes=lanes, copies=1)
            VectorLoop(self.code, self.nests, self.dim, self.names, shape, self.temporary).span(whole, end)
            whole = end
        self.code.line("}")

    def _whole(self, total: str, bulk: str) -> str:
        """The iterations from `bulk` on that are whole vectors."""
        length = self.code.op(f"arith.subi {total}, {bulk} : index")
        return self.code.op(f"arith.andi {length}, {self.code.index(-self.shape.lanes)} : index")

    def _updates_rows(self) -> bool:
        """Whether a loop around this one goes on to read what lies behind the elements that are written here."""
        writes = [w for nest in self.nests for w in nest.writes if w.array.root not in self.temporary]
        return self.dim > 0 and any(w.array.may_overlap(array) for w in writes for array in self.read)

    def _masked(self, point: Point, left: str) -> Point:
        """A vector of which so many points exist."""
        lanes = self.shape.lanes
        if self._flat:
            step = self._flat[0].group.step
            left, lanes = self.code.op(f"arith.muli {left}, {self.code.index(step)} : index"), lanes * step
        elif lanes in WORDS:
            return replace(point, mask=first_lanes(self.code, left, lanes))
        return replace(point, mask=self.code.op(f"vector.create_mask {left} : vector<{lanes}xi1>", "m"))

    def _last(self, total: str, whole: str, overlapping: bool) -> None:
        """The remaining iterations one by one, where masks cost more than they save.

        With `overlapping`, iterations may run twice: the last vector ends with the loop, if the loop is that long.
        """
        code, step = self.code, self.code.index(self.shape.lanes)
        if overlapping:
            last = code.op(f"arith.subi {total}, {step} : index")
            long = code.op(f"arith.cmpi sge, {last}, {code.index(0)} : index")
            left = code.op(f"arith.cmpi slt, {whole}, {total} : index")
            begin = code.op(f"arith.andi {long}, {left} : i1")
            begin = code.op(f"arith.select {begin}, {last}, {total} : index")
            with code.loop((begin, total, step)) as state:  # runs once or not at all
                self._vector(self._point(state.induction, 0), {}, 0)
            whole = code.op(f"arith.select {long}, {total}, {whole} : index")
        shared = self.shape.rows > 1 and any(self.dim - 1 not in each.access.dims for each in self._sums())
        single = Shape(1, 1, self.shape.rows, ordered=not shared)  # rows add to a shared sum one after the other
        VectorLoop(code, self.nests, self.dim, self.names, single, self.temporary).span(whole, total)

    def span(self, low: str, high: str) -> None:
        """Some iterations, a vector after the other; sums begin with what they are by then."""
        self._hoist()
        sums = self._sums()
        start, step = [(self._start(each), self._kind(each)) for each in sums], self.code.index(self.shape.lanes)
        with self.code.loop((low, high, step), start, whole=True) as state:
            partial = self._table(sums, state.start)
            self._vector(self._point(state.induction, 0), partial, 0)
            state.values[:] = [lane.name for lane in partial.values()]
        self._finish_all(sums, self._table(sums, state.results))

    def _repeatable(self) -> bool:
        """Whether iterations may run twice: nothing that is read is written."""
        writes = [write for nest in self.nests for write in nest.writes if write.array.root not in self.temporary]
        reads = [read for nest in self.nests for read in nest.reads if read.array.root not in self.temporary]
        return not any(write.array.may_overlap(read.array) for write in writes for read in reads)

    def _sums(self) -> list[Sum]:
        found = []
        for number, nest in enumerate(self.nests):
            for place_, write in enumerate(nest.writes):
                combine = reduction(nest, place_) if self.dim not in write.dims else None
                if combine is not None:
                    found += [Sum(number, place_, row, write, combine) for row in self._rows()]
        return found

    def _kind(self, each: Sum) -> str:
        lanes = self.shape.lanes
        return sums_type(lanes) if self.shape.bytes else vector_type(each.access.array.element, lanes)

    def _table(self, sums: list[Sum], names: list[str]) -> Partial:
        keys = [(each, copy) for each in sums for copy in range(self.shape.copies)]
        wide = self.shape.lanes > 1
        return {key: Lane(name, key[0].access.array.element, wide) for key, name in zip(keys, names, strict=True)}

    def _start(self, each: Sum) -> str:
        """The start of an accumulator: the element itself where the order is kept, else the neutral element."""
        if self.shape.ordered:
            return self._old(each)
        neutral = f"dense<{each.combine.neutral}>" if self.shape.lanes > 1 else each.combine.neutral
        return self.code.op(f"arith.constant {neutral} : {self._kind(each)}")

    def _old(self, each: Sum) -> str:
        point = self._scalar_point(each.row)
        return load(self.code, point.element(each.access), point).name

    def _finish_all(self, sums: list[Sum], partial: Partial) -> None:
        """Join the accumulators and store: those of neighbouring rows together, where they lie side by side."""
        rows, plain = self.shape.rows, not (self.shape.ordered or self.shape.bytes)
        together = plain and 2 < rows <= self.shape.lanes and rows & (rows - 1) == 0
        for place in range(0, len(sums), rows):
            same = sums[place : place + rows]  # `_sums` lists the rows of a sum one behind the other
            if together and unit_stride(same[0].access, self.dim - 1):
                self._finish_rows(same, [self._joined(each, partial) for each in same])
                continue
            for each in same:
                self._finish(each, self._joined(each, partial))

    def _joined(self, each: Sum, partial: Partial) -> str:
        """The accumulators of all copies in one."""
        left = [partial[each, copy].name for copy in range(self.shape.copies)]
        while len(left) > 1:
            half = len(left) // 2
            pairs = zip(left[:half], left[half : 2 * half], strict=True)
            joined = (self._join(each, a, b) for a, b in pairs)
            left = [*joined, *left[2 * half :]]
        return left[0]

    def _join(self, each: Sum, one: str, two: str) -> str:
        """Two accumulators in one."""
        return self.code.op(f"{each.combine.name} {one}, {two}{flags_of(each)} : {self._kind(each)}")

    def _finish(self, each: Sum, total: str) -> None:
        """Add an accumulator to its element, and store that."""
        element, flags = each.access.array.element, flags_of(each)
        if self.shape.bytes:
            total = total_of_bytes(self.code, total, self.shape.lanes, element)
        elif self.shape.lanes > 1:
            kind = f"{self._kind(each)} into {element}"
            total = self.code.op(f"vector.reduction <{each.combine.kind}>, {total}{flags} : {kind}")
        if not self.shape.ordered:
            total = self.code.op(f"{each.combine.name} {self._old(each)}, {total}{flags} : {element}")
        where = subscripted(self.code, self._scalar_point(each.row).element(each.access), self.names)
        self.code.line(f"memref.store {total}, {where} : {each.access.array.type}")

    def _finish_rows(self, sums: list[Sum], totals: list[str]) -> None:
        """Add the accumulators of neighbouring rows to their elements, which are one vector."""
        array, combine = sums[0].access.array, sums[0].combine
        total = sums_of_rows(self.code, totals, combine, array.element, self.shape.lanes)
        kind = vector_type(array.element, len(sums))
        where = subscripted(self.code, self._scalar_point(0).element(sums[0].access), self.names)
        old = self.code.op(f"vector.load {where} : {array.type}, {kind}", "l")
        total = self.code.op(f"{combine.name} {old}, {total}{flags_of(sums[0])} : {kind}")
        self.code.line(f"vector.store {total}, {where} : {array.type}, {kind}")

    def _vector(self, point: Point, partial: Partial, copy: int, asking: bool = False) -> None:
        """All nests for all rows, at one vector of points; with `asking`, also for what comes later."""
        reads = tuple(access for nest in self.nests for access in nest.needed)
        if self._flat and point.lanes > 1:
            write_rolled(self.code, self._flat, point)
            return
        memory = Memory(self.code, self.hoisted, self.temporary, reads, form=self.shape.form)
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
                body = Body(self.code, nest, here, memory, own)
                if self.shape.bytes:
                    partial |= {key: self._with_bytes(body, partial[key], number) for key in mine.values()}
                    continue
                results = [body.value(name) for name in nest.yields]
                for write, value in zip(nest.writes, results, strict=True):
                    if write in mine:
                        partial[mine[write]] = self._kept(value, partial[mine[write]], point)
                    elif write in across:
                        added[write] = value
                    else:
                        memory.write(write, value, here)
        for access, combine in across.items():
            memory.write(access, self._joined_with(memory.read(access, point), added[access], combine), point)
        memory.flush()

    def _with_bytes(self, body: Body, old: Lane, number: int) -> Lane:
        """The sums of bytes with those of one vector more: nothing is added where there is no element."""
        lanes = self.shape.lanes
        values = [widened(self.code, body.value(name), lanes) for name in self.shape.bytes[number]]
        return replace(old, name=add_bytes(self.code, old.name, values, lanes, body.point.mask))

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

    def _kept(self, new: Lane, old: Lane, point: Point) -> Lane:
        """The new value of an accumulator in the lanes that exist."""
        if point.mask is None:
            return new
        kinds = f"vector<{self.shape.lanes}xi1>, {vector_type(new.element, self.shape.lanes)}"
        return replace(new, name=self.code.op(f"arith.select {point.mask}, {new.name}, {old.name} : {kinds}", "v"))
