"""From a part to specifications: samples, and the inputs as the part's accesses see them (`load_terms`).

Two framings are offered. The plain one speaks of whole arrays. The framed one crops the output to the box that is
written and gives each load the window it reads, so that a shifted access becomes a slice. A third one comes first where
conditions keep loads inside of their arrays: there arrays have zeros around them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Guard, IndexValue, Loop, Program, walk
from raising.affine.polyhedral.bounding_box import Box, box_of, strides_of
from raising.affine.polyhedral.distribution import Part
from raising.affine.polyhedral.scop import Access, Scop, accessed, accesses
from raising.grammar.evaluate.sample import Sample, runs
from raising.grammar.evaluate.size_vectors import size_vectors
from raising.grammar.terms.structured_op import Body
from raising.grammar.terms.term import Input, Literal, Position, TensorType, Term
from raising.support.record import dataclass
from raising.synth.spec.constant_boxes import Reach, constant_box
from raising.synth.spec.load_terms import Boxes, Loads, LoadTerms
from raising.synth.spec.loop_reversal import reversed_spec
from raising.synth.spec.loop_values import Value
from raising.synth.spec.padding import unguarded
from raising.synth.spec.seeds import Source
from raising.synth.spec.spec import Crop, Spec, type_of


class NeverWritten(Exception):
    """The statement ran at none of the size vectors tried, so that there is nothing to go by."""


def specify(
    part: Part,
    output: str,
    values: dict[str, Lin],
    select: Body | None,
    seed: int,
    count: int = 2,
    constant: bool = False,
    special: bool = False,
) -> list[Spec]:
    """The specifications of one output of a part, the more natural framing first.

    The samples are of the part as it is, the framings of its loops turned so that subscripts run forwards.
    With `constant` the windows and the box of the output have the same extents in
    every iteration of the loops that stay. With `special`, samples are also of points such as 0, where divisors are.
    """
    program = part.program
    rng = np.random.default_rng(seed)
    samples = tuple(telling(runs(program, size_vectors(program, values, count), rng, special=special), output))
    if not samples:
        raise NeverWritten("the statement did not run at any of the sizes tried")
    framings = _Framings(part, output, values, select, samples)
    scop = accessed(reversed_spec(program))
    reaches = _constant_boxes(scop) if constant and program.outer else {}
    boxes = {n: r.box if r is not None else None for n, r in reaches.items()} if reaches else _boxes(scop)
    plain, framed = framings.plain(scop), framings.framed(scop, boxes, reaches)
    first = [] if reaches else framings.padded(scop)
    if framed.crop is None and framed.inputs == plain.inputs:
        specs = [framed]  # the same inputs, but known to start where they are read: sums of variables may address them
    elif program.outer or _shifted(scop) or _is_part(program, values, output, boxes[output]):
        specs = [framed, plain]
    else:
        specs = [plain, framed]
    return [s for s in (*first, *specs) if all(map(s.stands_at, samples))]


def telling(samples: Iterable[Sample], output: str) -> Iterator[Sample]:
    """The samples at which some element of an output is written: in others, what a framing reads may not exist."""
    return (s for s in samples if s.masks[output].any())


# ---- framings ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Framings:
    """The ways to specify one output of a part; they share its samples."""

    part: Part
    output: str
    values: dict[str, Lin]
    select: Body | None
    samples: tuple[Sample, ...]

    def plain(self, scop: Scop) -> Spec:
        """The specification of whole arrays."""
        return self._spec(scop, Loads(self.part, scop, self.select).whole(), None, framed=False)

    def framed(self, scop: Scop, boxes: Boxes, reaches: dict[str, Reach | None]) -> Spec:
        """The boxes that are read and written."""
        loads = Loads(self.part, scop, self.select).in_boxes(boxes, reaches)
        return self._spec(scop, loads, _crop(scop, self.output, boxes[self.output]))

    def padded(self, scop: Scop) -> list[Spec]:
        """The same without the conditions that keep loads inside of their arrays, which have zeros around them."""
        free = accessed(unguarded(scop.program))
        wide = Loads(self.part, scop, self.select).padded(free, self.values)
        if not wide:
            return []
        boxes = _boxes(free)
        loads = Loads(self.part, free, self.select).from_padded(wide, boxes)
        return [self._spec(free, loads, _crop(free, self.output, boxes[self.output]))]

    def _spec(self, scop: Scop, loads: Sequence[LoadTerms], crop: Crop | None, framed: bool = True) -> Spec:
        part, scalars = self.part, _scalars(self.part)
        inputs = tuple(dict.fromkeys([*(t for r in loads for t in r.terms), *scalars.values()]))
        read = {r.load: r.value for r in loads if r.value is not None} | _positions(scop, framed)
        operations = frozenset(op for s in part.statements for op in s.operations)
        source = Source(scop.program, scop, read, scalars)
        kind = crop.type if crop else type_of(part.program, self.output)
        return Spec(self.output, kind, inputs, operations, part.carried, self.samples, self.values, source, crop)


def _scalars(part: Part) -> dict[str, Term]:
    """The scalars of a part, by name."""
    terms: dict[str, Term] = {}
    for scalar in sorted(part.program.scalars.values(), key=lambda s: s.name):
        kind = TensorType(scalar.element, ())
        terms[scalar.name] = Input(kind, scalar.name) if scalar.literal is None else Literal(kind, scalar.literal)
    return terms


def _positions(scop: Scop, framed: bool) -> dict[str, Value]:
    """Index expressions used as data, as values over the loops around them."""
    statements = list(scop.statements.values())
    write = statements[0].write
    ones = (1,) * len(write.ivs)
    box = box_of(write.domain, scop.program, ones)
    if box is None:  # conditions cut off what is no box: then for all of what the loops span
        framed, box = False, box_of(_spanned(scop, write), scop.program, ones)
    nodes = [n for n in walk(scop.program.body) if isinstance(n, IndexValue)]
    if not nodes or box is None or len(statements) > 1 or (not framed and any(a != Lin() for a in box.low)):
        return {}
    found = {}
    for node in nodes:
        ivs = tuple(iv for iv in write.ivs if iv in node.form.names())
        numbers = [write.ivs.index(iv) for iv in ivs]
        dims = tuple(box.high[k] - box.low[k] + 1 for k in numbers)
        place = {iv: var(f"d{j}") + box.low[k] for j, (iv, k) in enumerate(zip(ivs, numbers, strict=True))}
        found[node.dst] = Value(Position(TensorType(node.element, dims), node.form.substitute(place.get)), ivs)
    return found


def _spanned(scop: Scop, write: Access) -> Any:
    """The box that the loops around a store span without its conditions."""
    return next(a.domain for a in accesses(unguarded(scop.program)) if a.name == write.name)


# ---- boxes ---------------------------------------------------------------------------------------


def _boxes(scop: Scop) -> Boxes:
    """What each access spans, and each array's stores together."""
    boxes: dict[str, Box | None] = {}
    for load in scop.loads.values():
        boxes[load.name] = box_of(load.relation.range(), scop.program, strides_of(load.node, scop.program))
    for array, writers in scop.writers.items():
        strides = {strides_of(s.write.node, scop.program) for s in writers}
        region = writers[0].write.relation.range()
        for s in writers[1:]:
            region = region.union(s.write.relation.range())
        boxes[array] = box_of(region, scop.program, next(iter(strides))) if len(strides) == 1 else None
    return boxes


def _constant_boxes(scop: Scop) -> dict[str, Reach | None]:
    """The same of constant extents."""
    reaches = {load.name: constant_box(load, scop.program) for load in scop.loads.values()}
    for array, writers in scop.writers.items():
        reach = constant_box(writers[0].write, scop.program) if len(writers) == 1 else None
        reaches[array] = reach if reach is not None and reach.inside else None
    return reaches


def _crop(scop: Scop, output: str, box: Box | None) -> Crop | None:
    """The box of an output that is written, if it is not all of it."""
    kind = type_of(scop.program, output)
    if box is None or box.covers(kind.dims):
        return None
    return Crop(
        TensorType(kind.element, box.extents),
        box.low,
        box.kept,
        box.strides,
        box.region(output, scop.program),
    )


def _is_part(program: Program, values: dict[str, Lin], output: str, box: Box | None) -> bool:
    """True if what is written of an array is a row or another part of fewer dimensions, and it would be changed whole.

    Or if it begins at a size: others work on the rest of the array, maybe in another thread. Or if an array of the
    caller is not written up to its last row, and neither its type nor a loop says how many there are.
    """
    array = program.arrays[output]
    if box is None or not array.shape:
        return False
    part = 0 < len(box.kept) < len(array.shape) or not all(low.is_const for low in box.low)
    if part and not any(isinstance(n, Guard) for n in walk(program.body)):
        return True  # under conditions, such a part may be there at some sizes only
    if array.kind != "argument":
        return False
    loops = [*program.outer, *(n for n in walk(program.body) if isinstance(n, Loop))]
    said = frozenset().union(*(f.names() for loop in loops for f in (*loop.lower, *loop.upper)))
    rows = array.shape[0]
    return box.high[0] + 1 != rows and not rows.substitute(values.get).names() <= said


def _shifted(scop: Scop) -> bool:
    """True if whole arrays do not fit together: a load at a distance, a sum, a fixed place, or extents that differ."""
    extents: dict[str, Lin] = {}
    accesses = [*scop.loads.values(), *(s.write for s in scop.statements.values())]
    for access in accesses:
        shape = scop.program.arrays[access.node.array].shape
        for form, extent in zip(access.node.subscripts, shape, strict=True):
            moving = [n for n, _ in form.terms if n in access.ivs]
            offset = form.as_offset()
            if access.name in scop.loads and (not moving or offset is None or offset[1]):
                return True
            if offset is not None and extents.setdefault(offset[0], extent) != extent:
                return True
    return False
