"""From a part to specifications: samples, and the inputs as the part's accesses see them.

Two framings are offered. The plain one speaks of whole arrays. The framed one
crops the output to the box that is written and gives each load the window it
reads, so that a shifted access becomes a slice. Where a load reads only part
of its box (a triangle), the input is also offered with zeros elsewhere.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.affine.ir.program import IndexValue, Loop, Program, walk
from raising.affine.polyhedral.bounding_box import Box, box_of, strides_of
from raising.affine.polyhedral.distribution import Part
from raising.affine.polyhedral.scop import Access, Scop, accessed, accesses, conjunctions, telling_set
from raising.grammar.evaluate.sample import Sample, runs
from raising.grammar.evaluate.size_vectors import size_vectors
from raising.grammar.terms.pointwise import filled
from raising.grammar.terms.structured_op import Body
from raising.grammar.terms.term import Apply, Input, Insert, Literal, Mask, Position, Reverse, TensorType, Term, Window
from raising.support.record import dataclass
from raising.synth.spec.constant_boxes import Reach, constant_box
from raising.synth.spec.loop_reversal import reversed_spec
from raising.synth.spec.padding import padded, unguarded
from raising.synth.spec.seeds import Source, Value, load_value
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
    scop = accessed(reversed_spec(program))
    operations = frozenset(op for s in part.statements for op in s.operations)
    scalars = _scalars(part)

    def spec(reads: list[_Read], kind: TensorType, crop: Crop | None, scop: Scop, whole: bool = False) -> Spec:
        given = tuple(dict.fromkeys([*(t for r in reads for t in r.terms), *scalars.values()]))
        loads = {r.load: r.value for r in reads if r.value is not None} | _positions(scop, not whole)
        source = Source(scop.program, scop, loads, scalars)
        return Spec(output, kind, given, operations, part.carried, samples, values, source, crop)

    reaches = _constant_boxes(scop) if constant and program.outer else {}
    boxes = {n: r.box if r is not None else None for n, r in reaches.items()} if reaches else _boxes(scop)
    crop = _crop(scop, output, boxes)
    kind = crop.type if crop else type_of(program, output)
    free = accessed(unguarded(scop.program))
    wide = {} if reaches else _padded(part, scop, free, values)
    open_ = []
    if wide:
        span = _crop(free, output, _boxes(free))
        reads = list(_framed(part, free, select, _boxes(free), {}, wide))
        open_ = [spec(reads, span.type if span else type_of(program, output), span, free)]
    plain = spec(list(_whole(part, scop, select)), type_of(program, output), None, scop, whole=True)
    framed = spec(list(_framed(part, scop, select, boxes, reaches, {})), kind, crop, scop)
    if framed.crop is None and framed.inputs == plain.inputs:
        closed = [framed]  # the same inputs, but known to start where they are read: sums of variables may address them
    else:
        boxed = program.outer or _shifted(scop) or _leaves_rows(program, values, output, boxes[output])
        closed = [framed, plain] if boxed else [plain, framed]
    return [s for s in (*open_, *closed) if all(map(s.stands_at, samples))]


def telling(samples: Iterable[Sample], output: str) -> Iterator[Sample]:
    """The samples at which some element of an output is written: in others, what a framing reads may not exist."""
    return (s for s in samples if s.masks[output].any())


@dataclass(frozen=True)
class _Read:
    """One load: the terms it offers as inputs, and what it reads as a value over its loops."""

    load: str
    terms: list[Term]
    value: Value | None


def _scalars(part: Part) -> dict[str, Term]:
    found: dict[str, Term] = {}
    for scalar in sorted(part.program.scalars.values(), key=lambda s: s.name):
        kind = TensorType(scalar.element, ())
        found[scalar.name] = Input(kind, scalar.name) if scalar.literal is None else Literal(kind, scalar.literal)
    return found


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
    """What the loops around a store span without its conditions."""
    return next(a.domain for a in accesses(unguarded(scop.program)) if a.name == write.name)


def _reads(part: Part, scop: Scop) -> Iterator[tuple[Input, Access]]:
    read = {i.name for i in part.inputs}
    for load in scop.loads.values():
        if load.node.array in read:
            yield Input(type_of(part.program, load.node.array), load.node.array), load


def _whole(part: Part, scop: Scop, select: Body | None) -> Iterator[_Read]:
    for term, load in _reads(part, scop):
        yield _plain(term, load, scop, select, False)


def _plain(term: Input, load: Access, scop: Scop, select: Body | None, framed: bool) -> _Read:
    """A load of a whole array: as it stands, and in the order in which its loops visit it."""
    every = tuple(range(term.type.rank))
    forwards = _forwards(term, load, every)
    value = load_value(forwards, load, every, scop.program, framed)
    terms = [term, *_masked(term, load, scop, select, None)]
    return _Read(load.name, terms if forwards is term else [forwards, *terms], value)


Boxes = dict[str, Box | None]  # of each load and store by its name, and of each array that is written by its


def _boxes(scop: Scop) -> Boxes:
    """What each access spans, and each array's stores together."""
    found: Boxes = {}
    for load in scop.loads.values():
        found[load.name] = box_of(load.relation.range(), scop.program, strides_of(load.node, scop.program))
    for array, writers in scop.writers.items():
        strides = {strides_of(s.write.node, scop.program) for s in writers}
        region = writers[0].write.relation.range()
        for s in writers[1:]:
            region = region.union(s.write.relation.range())
        found[array] = box_of(region, scop.program, next(iter(strides))) if len(strides) == 1 else None
    return found


def _constant_boxes(scop: Scop) -> dict[str, Reach | None]:
    found = {load.name: constant_box(load, scop.program) for load in scop.loads.values()}
    for array, writers in scop.writers.items():
        reach = constant_box(writers[0].write, scop.program) if len(writers) == 1 else None
        found[array] = reach if reach is not None and reach.inside else None
    return found


def _framed(
    part: Part,
    scop: Scop,
    select: Body | None,
    boxes: Boxes,
    reaches: dict[str, Reach | None],
    wide: dict[str, Term],
) -> Iterator[_Read]:
    for term, load in _reads(part, scop):
        box = boxes[load.name]
        if load.name in wide:
            every = tuple(range(term.type.rank))
            value = load_value(wide[load.name], load, every, scop.program, True)
            yield _Read(load.name, [wide[load.name]], value)
        elif box is None or box.covers(term.type.dims):
            yield _plain(term, load, scop, select, box is not None)
        else:
            window = _window(term, box, reaches.get(load.name))
            windows = [window, *_masked(window, load, scop, select, box)]
            terms = [_forwards(t, load, box.kept) for t in windows]
            summed = reaches and part.carried  # elsewhere what is beside the elements read goes nowhere
            value = load_value(terms[-1] if summed else terms[0], load, box.kept, part.program, True)
            yield _Read(load.name, [*terms, *windows], value)  # as it stands, too: what it is for may run down as well


def _padded(part: Part, scop: Scop, free: Scop, values: dict[str, Lin]) -> dict[str, Term]:
    """Each load that conditions keep inside of its array, by its name, as a load from an array with zeros around it."""
    found = {e.name: padded(t, e, free.loads[e.name], scop.program, values) for t, e in _reads(part, scop)}
    return {name: term for name, term in found.items() if term is not None}


def _window(term: Term, box: Box, reach: Reach | None) -> Window:
    """A box of a tensor, of zeros where it leaves the tensor."""
    kind = TensorType(term.type.element, box.extents)
    if reach is None or reach.inside:
        return Window(kind, term, box.low, box.kept, box.strides)
    dims = tuple(a + n + b for a, n, b in zip(reach.before, term.type.dims, reach.after, strict=True))
    wide, rank = TensorType(term.type.element, dims), len(dims)
    padded = Insert(wide, filled(wide, "0"), term, reach.before, tuple(range(rank)), (1,) * rank)
    low = tuple(a + b for a, b in zip(box.low, reach.before, strict=True))
    return Window(kind, padded, low, box.kept, box.strides)


def _forwards(window: Term, load: Access, kept: tuple[int, ...]) -> Term:
    """A window in the order in which its loops visit it."""
    forms = [load.node.subscripts[dim] for dim in kept]
    down = tuple(k for k, f in enumerate(forms) if any(c < 0 for n, c in f.terms if n in load.ivs))
    return Reverse(window.type, window, down) if down else window


def _masked(term: Term, load: Access, scop: Scop, select: Body | None, box: Box | None) -> Iterator[Term]:
    """The input with zeros where the load does not read, and where none like it does, if that is not everywhere."""
    alike = [a.relation.range() for a in scop.loads.values() if (a.node.array, a.node.subscripts) == _place(load)]
    yield from _with_zeros(term, load, scop, select, box, load.relation.range())
    if len(alike) > 1 and box is None:
        yield from _with_zeros(term, load, scop, select, box, functools.reduce(lambda a, b: a.union(b), alike))


def _place(load: Access) -> tuple[str, tuple[Lin, ...]]:
    return load.node.array, load.node.subscripts


def _with_zeros(
    term: Term, load: Access, scop: Scop, select: Body | None, box: Box | None, read: Any
) -> Iterator[Term]:
    """The input with zeros where it is not `read` (an isl set), if that is not everywhere."""
    context = telling_set(scop.program)
    region = read.intersect_params(context).coalesce()
    writes = [s.write.node for s in scop.writers.get(load.node.array, [])]
    inner = bool(scop.program.outer)
    own = any(not inner or w.subscripts == load.node.subscripts for w in writes)  # added to where it is written
    least = 1 if inner else 2
    if select is None or own or min(len(load.ivs), term.type.rank) < least:
        return
    if box is not None and (any(s != 1 for s in box.strides) or (len(box.kept) != len(box.low) and least > 1)):
        return
    whole = scop.box(load.node.array) if box is None else box.region(load.node.array, scop.program)
    if whole.intersect_params(context).is_subset(region):
        return
    names = tuple(f"e{k}" for k in range(len(load.node.subscripts)))
    alternatives = conjunctions(region.gist(whole.intersect_params(context)).coalesce(), names)
    if not alternatives:
        return
    if box is None:
        place = {name: var(f"d{k}") for k, name in enumerate(names)}
    else:
        place = dict(zip(names, box.low, strict=True))
        place |= {f"e{dim}": var(f"d{k}") + box.low[dim] for k, dim in enumerate(box.kept)}
    moved = tuple(tuple(Cond(c.form.substitute(place.get), c.equality) for c in a) for a in alternatives)
    identity = tuple(range(term.type.rank))
    zero = Literal(TensorType(term.type.element, ()), "0")
    truth = Mask(TensorType("i1", term.type.dims), moved)
    yield Apply(term.type, select, (identity, identity, (), identity), (truth, term, zero))


def _crop(scop: Scop, output: str, boxes: Boxes) -> Crop | None:
    kind, box = type_of(scop.program, output), boxes[output]
    if box is None or box.covers(kind.dims):
        return None
    return Crop(
        TensorType(kind.element, box.extents),
        box.low,
        box.kept,
        box.strides,
        box.region(output, scop.program),
    )


def _leaves_rows(program: Program, values: dict[str, Lin], output: str, box: Box | None) -> bool:
    """True if an array of the caller is not written up to its last row, and neither its type nor a loop says how many
    there are.
    """
    array = program.arrays[output]
    if box is None or array.kind != "argument" or not array.shape:
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
