"""Updates of a row from its own mirror image, in place and at once: elements i and n - 1 - i are computed together.

What reads a row forwards and backwards and writes it needs a second row, whose elements are copied back: Levinson's
and Durbin's recursions, filters with reflection coefficients, symmetric and antisymmetric parts. A vector from the
front and one from the back need nothing but each other; both are loaded once, and stored when both are computed.

    before  for i: t[i] = y[i] + a * y[n - 1 - i]; for i: y[i] = t[i]
    after   for i in 0 .. (n + 1) / 2 by 8: f = y[i .. i + 8]; b = y[n - 8 - i .. n - i]
              y[i .. i + 8] = f + a * reversed(b); y[n - 8 - i .. n - i] = b + a * reversed(f)

So are two halves that get each other's values (a reversal in place): no copy of one of them is needed.
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
from raising.native.nest.dependence import distance
from raising.native.nest.nest import Access, Nest
from raising.native.nest.read_nests import Item
from raising.native.nest.read_views import Reader, unguarded
from raising.support.record import dataclass


@dataclass(frozen=True)
class Mirrored:
    """The nests of an element of the front half and of its mirror image, in place of some items, the last of them.

    With `whole`, all iterations are of the front half.
    """

    places: tuple[int, ...]
    front: Nest
    back: Nest
    whole: bool = False


def mirrored_update(items: Sequence[Item], local: Callable[[str], bool], reader: Reader) -> Mirrored | None:
    """The first such update of a block; `local` says whether nothing but its nests touches a buffer."""
    for last, item in enumerate(items):
        if not isinstance(item.what, Nest):
            continue
        found = _exchange(items, last, item.what, local)
        if found is None and _copies(item.what) and local(item.what.reads[0].array.root or ""):
            found = _made_for(items, last, item.what, reader)
        if found is not None:
            return found
    return None


def _exchange(items: Sequence[Item], last: int, nest: Nest, local: Callable[[str], bool]) -> Mirrored | None:
    """Elements that get values of others in the other order, which get values of theirs, kept in a copy before."""
    for kept in nest.needed if len(nest.extents) == len(nest.writes) == 1 else ():
        users = [at for at, item in enumerate(items) if _uses(item, kept)]
        copy = items[users[0]].what
        if not local(kept.array.root or "") or users[1:] != [last] or not isinstance(copy, Nest) or not _copies(copy):
            continue
        own, between = copy.reads[0], range(users[0] + 1, last)
        touching = [at for at in between if reads(items[at].what, own.array) or writes(items[at].what, own.array)]
        front = items[touching[0]].what if len(touching) == 1 else None
        if not isinstance(front, Nest) or front.writes != (own,) or not front.extents == copy.extents == nest.extents:
            continue
        back = _turned(nest, kept, copy.writes[0])
        disturbed = any(
            writes(items[at].what, read.array) for at in between for read in front.needed if at != touching[0]
        )
        if back is not None and not disturbed:
            back = replace(back, reads=tuple(own if read == copy.writes[0] else read for read in back.reads))
            if _may_exchange(front, back):
                return Mirrored((users[0], touching[0], last), front, back, whole=True)
    return None


def _turned(nest: Nest, read: Access, place: Access) -> Nest | None:
    """The nest with its iterations in the other order, where that reads the same element as another one writes."""
    names: dict[Term, Affine] = {name: value for name, value in nest.guarded if nest.extents[0] == dim(name)}
    other: dict[Term, Affine] = {0: nest.extents[0].substitute(names) - 1 - dim(0)}
    accesses = (tuple(each.moved(other) for each in some) for some in (nest.reads, nest.writes))
    turned = replace(nest, reads=next(accesses), writes=next(accesses))
    return turned if read.moved(other) == place and not _counts(nest) and nest.parallel[0] else None


def _may_exchange(front: Nest, back: Nest) -> bool:
    """Whether both are vectors that need nothing of each other's elements but the two that are exchanged."""
    pair = (*front.writes, *back.writes)
    met = [read for nest in (front, back) for read in nest.needed if any(w.array.may_overlap(read.array) for w in pair)]
    return (
        all(read in pair for read in met)
        and distance(front, pair[0], back, pair[1], 0) is None
        and all(_along(each) for nest in (front, back) for each in (*nest.needed, *nest.writes))
        and not _counts(front)
        and front.parallel[0]
        and vectorisable(front, 0)
        and vectorisable(replace(back, writes=front.writes), 0)
    )


def _counts(nest: Nest) -> bool:
    """Whether a value depends on the number of an iteration."""
    return any(nest.body[int(name[1:])].name == "linalg.index" for name in nest.live if name[0] == "v")


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
    return Mirrored((first, last), front, back) if _may_be_done(front, back) else None


def _uses(item: Item, access: Access) -> bool:
    what = item.what
    if isinstance(what, Nest):
        return any(each.array.may_overlap(access.array) for each in (*what.needed, *what.writes))
    return reads(what, access.array) or writes(what, access.array)


def _may_be_done(front: Nest, back: Nest) -> bool:
    """Whether both halves are vectors that need nothing of the row but the element and its mirror image."""
    (target,), (image,) = front.writes, back.writes
    own = [read for read in front.needed if read.array.may_overlap(target.array)]
    along = all(_along(read) for read in front.needed)
    pair = image in own and all(read in (target, image) for read in own)
    return pair and along and not _counts(front) and front.parallel[0] and vectorisable(front, 0)


def _along(read: Access) -> bool:
    return 0 not in read.dims or unit_stride(read, 0) or backwards(read, 0)


def write_mirrored(plan: Mirrored, writer: Writer, names: Mapping[Term, str]) -> None:
    """The loop over the front half: whole vectors, then one under a mask, or element by element."""
    code, lanes = writer.code, max(1, writer.machine.vector_bits // bits_of(plan.front))
    half = code.affine(plan.front.extents[0], names)
    half = half if plan.whole else code.formula(f"shrui({half} + 1, 1)")
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
