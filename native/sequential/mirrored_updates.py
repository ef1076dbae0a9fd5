"""Updates of a row from its own mirror image, in place and at once: elements i and n - 1 - i are computed together.

What reads a row forwards and backwards and writes it needs a second row, whose elements are copied back: Levinson's
and Durbin's recursions, filters with reflection coefficients, symmetric and antisymmetric parts. A vector from the
front and one from the back need nothing but each other; both are loaded once, and stored when both are computed.

    before  for i: t[i] = y[i] + a * y[n - 1 - i]; for i: y[i] = t[i]
    after   for i in 0 .. (n + 1) / 2 by 8: f = y[i .. i + 8]; b = y[n - 8 - i .. n - i]
              y[i .. i + 8] = f + a * reversed(b); y[n - 8 - i .. n - i] = b + a * reversed(f)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.loops.body import Body, Memory, Point, store
from raising.native.loops.emit_loops import Writer
from raising.native.loops.loop_plan import bits_of, vectorisable
from raising.native.loops.loop_tree import backwards, unit_stride
from raising.native.loops.vector_ops import may_be_masked
from raising.native.nest.dataflow import reads, writes
from raising.native.nest.nest import Access, Nest
from raising.native.nest.read_nests import Item
from raising.native.nest.read_views import Reader, unguarded
from raising.support.record import dataclass


@dataclass(frozen=True)
class Mirrored:
    """The nests of an element of the front half and of its mirror image, in place of the items `first` and `last`."""

    first: int
    last: int
    front: Nest
    back: Nest


def mirrored_update(items: Sequence[Item], local: Callable[[str], bool], reader: Reader) -> Mirrored | None:
    """The first such update of a block; `local` says whether nothing but its nests touches a buffer."""
    for last, item in enumerate(items):
        if isinstance(item.what, Nest) and _copies(item.what) and local(item.what.reads[0].array.root or ""):
            found = _made_for(items, last, item.what, reader)
            if found is not None:
                return found
    return None


def _copies(nest: Nest) -> bool:
    """Whether a nest copies a row forwards to another array."""
    plain = nest.yields == ("in0",) and len(nest.extents) == 1 and len(nest.needed) == len(nest.writes) == 1
    return plain and unit_stride(nest.writes[0], 0) and not nest.reads[0].array.may_overlap(nest.writes[0].array)


def _made_for(items: Sequence[Item], last: int, copy: Nest, reader: Reader) -> Mirrored | None:
    """The update whose results a nest copies to their place, and which nothing else reads."""
    temporary, target = copy.reads[0], copy.writes[0]
    users = [at for at, item in enumerate(items) if _uses(item, temporary)]
    if len(users) != 2 or users[1] != last:
        return None
    first = users[0]
    nest = items[first].what
    between = [item.what for item in items[first + 1 : last]]
    if not isinstance(nest, Nest) or nest.extents != copy.extents or nest.writes != (temporary,):
        return None
    disturbed = any(writes(each, read.array) for each in between for read in nest.needed)
    if disturbed or any(reads(each, target.array) or writes(each, target.array) for each in between):
        return None
    front = replace(nest, writes=(target,))
    mirror: dict[Term, Affine] = {0: unguarded(nest.extents[0], reader) - 1 - dim(0)}
    back = replace(front, reads=tuple(read.moved(mirror) for read in front.reads), writes=(target.moved(mirror),))
    return Mirrored(first, last, front, back) if _may_be_done(front, back) else None


def _uses(item: Item, access: Access) -> bool:
    what = item.what
    if isinstance(what, Nest):
        return any(each.array.may_overlap(access.array) for each in (*what.needed, *what.writes))
    return reads(what, access.array) or writes(what, access.array)


def _may_be_done(front: Nest, back: Nest) -> bool:
    """Whether both halves are vectors that need nothing of the row but the element and its mirror image."""
    (target,), (image,) = front.writes, back.writes
    own = [read for read in front.needed if read.array.may_overlap(target.array)]
    counts = any(front.body[int(name[1:])].name == "linalg.index" for name in front.live if name[0] == "v")
    along = all(_along(read) for read in front.needed)
    pair = image in own and all(read in (target, image) for read in own)
    return pair and along and not counts and front.parallel[0] and vectorisable(front, 0)


def _along(read: Access) -> bool:
    return 0 not in read.dims or unit_stride(read, 0) or backwards(read, 0)


def write_mirrored(plan: Mirrored, writer: Writer, names: Mapping[Term, str]) -> None:
    """The loop over the front half: whole vectors, then one under a mask, or element by element."""
    code, lanes = writer.code, max(1, writer.machine.vector_bits // bits_of(plan.front))
    half = code.formula(f"shrui({code.affine(plan.front.extents[0], names)} + 1, 1)")
    whole = code.formula(f"{half} - remsi({half}, {lanes})")
    used = (*plan.front.needed, *plan.front.writes)
    masks = may_be_masked((each.array.element for each in used), writer.machine.vector_bits)
    _loop(writer, plan, (code.index(0), whole, lanes), half, False, names)
    _loop(writer, plan, (whole, half, lanes if masks else 1), half, masks, names)


def _loop(
    writer: Writer, plan: Mirrored, bounds: tuple[str, str, int], end: str, masked: bool, names: Mapping[Term, str]
) -> None:
    code, (low, high, lanes) = writer.code, bounds
    with code.loop((low, high, code.index(lanes)), whole=True) as state:
        mask = None
        if masked:
            left = code.formula(f"{end} - {state.induction}")
            mask = code.op(f"vector.create_mask {left} : vector<{lanes}xi1>", "m")
        point, memory = Point({**names, 0: state.induction}, (), 0, lanes, mask), Memory(code)
        bodies = [Body(code, nest, point, memory) for nest in (plan.front, plan.back)]
        values = [body.value(body.nest.yields[0]) for body in bodies]
        for body, value in zip(bodies, values, strict=True):
            store(code, body.nest.writes[0], value, point)
