"""Updates of everything behind an iteration, which a block of iterations can do at once when it is over.

Iteration t of a right-looking loop takes a product away from all columns behind t: the modified Gram-Schmidt process
computes q from column t, then a row r = q A of products with the columns behind it, then A -= q r. What a block of
iterations does to the columns behind the block is needed by nothing inside of it. There, with A as the block found it,
r[s] = x[s] A - sum of (x[s] y[l]) r[l] over l < s, as A is linear in it: three products of matrices for a block. See
Golub and Van Loan, Matrix Computations, section 5.2.9, and Bjorck, Numerics of Gram-Schmidt orthogonalization (1994).

    before  for t: y = ... of a[:, t]; for j > t: r[j] = sum of y[i] * a[i, j]; a[i, j] -= y[i] * r[j]
    after   the parts of one iteration with j beyond a block, and that nothing else in the block touches what they touch

Two accesses are apart where some subscript of the one is greater than that of the other, for all iterations and points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.nest.nest import Access, Nest
from raising.native.nest.read_nests import PURE, Item
from raising.native.nest.read_views import Reader, unguarded
from raising.native.transforms.left_looking import Body, known_before, operands_of, single
from raising.native.transforms.memory_writer import FIRST, LAST
from raising.support.mlir.operand_segments import segment_sizes
from raising.support.record import dataclass

_BEHIND, _LATER = "%behind", "%later"
"""How many iterations of a block are behind the later one of two, and by how many, beyond the least, it is later."""
_OTHER = 1000
"""Where the dimensions of the later one of two operations begin."""
_SINGLE = ("memref.load", "memref.store", "scf.yield")


@dataclass(frozen=True)
class Part:
    """An operation with a dimension `j` that goes beyond the block: its operands, the result last."""

    place: int
    operation: Any
    nest: Nest
    j: int
    accesses: tuple[Access, ...]


@dataclass(frozen=True)
class Delayed:
    """Row `r` from `start` on: `product` adds products with the array that `update` takes them from; `ends` read it.

    `same` has the update's dimension for each one of the product. Behind the last iteration of a block, `beyond`
    elements are left. `sizes` are the values in the loop that count the columns behind an iteration.
    """

    start: Part
    product: Part
    update: Part
    ends: tuple[Part, ...]
    y: Access
    sign: str
    same: Mapping[int, int]
    beyond: Affine
    sizes: tuple[Any, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts: the row first, then its products, the update, and what reads the row."""
        return (self.start, self.product, self.update, *self.ends)

    @property
    def array(self) -> Access:
        """The element that is updated."""
        return self.update.nest.writes[0]

    @property
    def row(self) -> str:
        """The name of the row's array."""
        return self.start.nest.writes[0].array.name


def delayed(body: Body, loop: Any) -> Delayed | None:
    """What a loop can do behind blocks of its iterations; None if there is nothing, or it is not known to be right."""
    for place, item in enumerate(body.items):
        if isinstance(item.what, Nest) and _is_update(item.what):
            found = _parts(body, place, loop)
            if found is not None and _is_apart(found, body) and _is_known(found, body, loop):
                return found
    return None


def _is_update(nest: Nest) -> bool:
    """Whether a nest is `a = a + y * r` or `a = a - y * r`."""
    if not all(nest.parallel) or len(nest.writes) != 1 or len(nest.reads) != 3 or len(nest.body) != 2 or nest.captured:
        return False
    times, last = nest.body
    own = [f"in{number}" for number, read in enumerate(nest.reads) if read == nest.writes[0]]
    factors = [f"in{number}" for number, read in enumerate(nest.reads) if read != nest.writes[0]]
    if times.name != "arith.mulf" or sorted(times.args) != factors or nest.yields != ("v1",):
        return False
    arguments = list(last.args) if last.name == "arith.subf" else sorted(last.args)
    return last.name in ("arith.addf", "arith.subf") and arguments == [*own, "v0"]


def _parts(body: Body, place: int, loop: Any) -> Delayed | None:
    """The parts that belong to the update at a place of a loop's body."""
    nest = body.items[place].what
    assert isinstance(nest, Nest)
    rows = [read for read in nest.reads if read.array.root in body.local]
    others = [read for read in nest.reads if read not in (*rows, nest.writes[0])]
    if len(rows) != 1 or len(others) != 1 or len(rows[0].dims) != 1 or others[0].dims & rows[0].dims:
        return None
    (j,) = rows[0].dims
    size = nest.extents[j]
    counted = tuple(value for value in _indices(loop) if body.reader.index(value) == size)
    found = _split(body, size)
    if found is None or not counted or not _only_in(found, counted, loop):
        return None
    array = rows[0].array
    sums = [part for part in found if part.nest.writes[0].array == array]
    update = [part for part in found if part.place == place]
    ends = tuple(part for part in found if part not in (*sums, *update))
    same = _same(sums[1], update[0]) if len(sums) == 2 and update else None
    if same is None or not _fit(sums[0], sums[1], update[0], ends):
        return None
    beyond = unguarded(size, body.reader) + dim(body.time) + 1 - dim(LAST)
    sign = nest.body[1].name
    return Delayed(sums[0], sums[1], update[0], ends, others[0], sign, same, beyond, counted)


def _indices(loop: Any) -> list[Any]:
    """The index values that the operations of a loop's body compute."""
    operations = [view.operation for view in loop.regions[0].blocks[0].operations]
    return [op.results[0] for op in operations if len(op.results) == 1 and isinstance(op.results[0].type, ir.IndexType)]


def _split(body: Body, size: Affine) -> list[Part] | None:
    """The nests with a dimension of a size, which has to be parallel; None if a body has anything that is not known."""
    found = []
    for place, item in enumerate(body.items):
        if not isinstance(item.what, Nest):
            if item.operation.name not in _SINGLE and not PURE.fullmatch(item.operation.name):
                return None
        elif size in item.what.extents:
            part = _part(place, item, size, body.reader)
            if part is None:
                return None
            found.append(part)
    return found


def _part(place: int, item: Item, size: Affine, reader: Reader) -> Part | None:
    """A nest whose operands have the size in this one dimension and in no other."""
    nest, operation = item.what, item.operation
    assert isinstance(nest, Nest)
    j, accesses = nest.extents.index(size), operands_of(operation, reader, outputs=True)
    if accesses is None or nest.extents.count(size) > 1 or not nest.parallel[j] or len(nest.writes) != 1:
        return None
    for operand, attribute in zip(operation.operands, operation.attributes["indexing_maps"], strict=True):
        dims = [ir.AffineDimExpr(result).position for result in ir.AffineMapAttr(attribute).value.results]
        if any((d == j) != (extent == size) for d, extent in zip(dims, reader.view(operand).sizes, strict=True)):
            return None
    return Part(place, operation, nest, j, tuple(accesses))


def _only_in(parts: Sequence[Part], counted: Sequence[Any], loop: Any) -> bool:
    """Whether memory with these sizes is used in the parts only."""
    operations, block = [part.operation for part in parts], loop.regions[0].blocks[0]
    users = [user for user, _ in uses_as_size(counted)]
    inside = all(user.block == block for user in users)
    return inside and all(use.owner.operation in operations for user in users for use in user.results[0].uses)


def uses_as_size(values: Sequence[Any]) -> Iterator[tuple[Any, int]]:
    """The allocations and views that have one of these as a size, and as which operand."""
    for use in (use for value in values for use in value.uses):
        user, number = use.owner.operation, use.operand_number
        if user.name == "memref.alloc":
            yield user, number
        elif user.name == "memref.subview":
            memory, offsets, sizes, _ = segment_sizes(user)
            if 0 <= number - memory - offsets < sizes:
                yield user, number


def _fit(start: Part, product: Part, update: Part, ends: Sequence[Part]) -> bool:
    """Whether each part is in its place, and does with the row what its name says."""
    row, element = start.nest.writes[0].array, update.nest.writes[0].array.element
    for part in (start, product, update, *ends):
        touched = [access for access in (*part.nest.reads, *part.nest.writes) if access.array.root == row.root]
        if any(access.map != (dim(part.j),) or access.array != row for access in touched) or not touched:
            return False
        if any(access.array.element != element for access in part.accesses):
            return False
    whole = all(all(end.nest.parallel) and end.j in end.nest.writes[0].dims for end in (start, *ends))
    order = start.place < product.place < min(part.place for part in (update, *ends))
    return order and whole and len(start.nest.extents) == 1 and start.nest.writes[0] not in start.nest.reads


def _same(product: Part, update: Part) -> dict[int, int] | None:
    """The update's dimension for each of the product, if that is a sum of products with the array, by the others."""
    (write,), places = update.nest.writes, [n for n, a in enumerate(product.accesses[:-1]) if product.j in a.dims]
    if len(places) != 1 or product.accesses[places[0]].array != write.array or sum(product.nest.parallel) != 1:
        return None
    pairs = list(zip(product.accesses[places[0]].map, write.map, strict=True))
    if any(len(one.dims) != len(other.dims) or len(one.dims) > 1 for one, other in pairs):
        return None
    same = {min(one.dims): min(other.dims) for one, other in pairs if one.dims}
    moved: dict[Term, Affine] = {d: dim(e) for d, e in same.items()}
    if any(one.substitute(moved) != other for one, other in pairs) or not _all_of(same, product.nest, update.nest):
        return None
    is_product = _is_product(product.operation.regions[0].blocks[0], places[0])
    return same if is_product and same[product.j] == update.j else None


def _all_of(same: dict[int, int], one: Nest, other: Nest) -> bool:
    """Whether these are all dimensions of both nests, each once, and alike."""
    complete = sorted(same) == list(range(len(one.extents))) and sorted(same.values()) == list(
        range(len(other.extents))
    )
    return complete and all(one.extents[d] == other.extents[e] for d, e in same.items())


def _is_product(block: Any, array: int) -> bool:
    """Whether a block adds a product to its last argument that has the array's element once."""
    *factors, last, end = [view.operation for view in block.operations]
    *inputs, old = block.arguments
    results = [op.results[0] for op in factors]
    if last.name != "arith.addf" or any(op.name != "arith.mulf" for op in factors) or not factors:
        return False
    once = all(len(list(value.uses)) == 1 for value in (inputs[array], old, last.results[0], *results))
    known = all(value in [*inputs, *results] for op in factors for value in op.operands)
    return once and known and set(last.operands) == {old, results[-1]} and list(end.operands) == [last.results[0]]


def in_block(access: Access, part: Part, body: Body, row: int) -> Access:
    """The element for iteration FIRST + row of a block, dimension j counted from the first element beyond it."""
    time = dim(FIRST) + dim(row)
    values: dict[Term, Affine] = {body.time: time, part.j: dim(part.j) + dim(LAST) - 1 - time}
    return access.moved(values)


def _is_known(found: Delayed, body: Body, loop: Any) -> bool:
    """Whether all that the parts need is there before the loop, and is a plain part of an array in the block."""
    used = [(part, access) for part in found.parts for access in part.accesses if access.array.name != found.row]
    moved = [in_block(access, part, body, len(part.nest.extents)) for part, access in used]
    indices = [index for access in moved for index in access.map]
    if any(len(index.dims) > 1 or index.coefficient(d) != 1 for index in indices for d in index.dims):
        return False
    if any(access.array.root is None or access.array.root in body.local for access in moved):
        return False
    sizes = [unguarded(extent, body.reader) for part in found.parts for extent in _others(part)]
    captured = {name for part in found.parts for name, _ in part.nest.captured}
    names = captured.union(*(value.symbols for value in (*indices, *sizes, found.beyond)))
    names |= {access.array.name for access in moved}
    fixed = in_block(found.array, found.update, body, -1)
    return -1 not in fixed.dims and known_before(names - {FIRST, LAST}, loop, body.reader)


def _others(part: Part) -> list[Affine]:
    return [extent for d, extent in enumerate(part.nest.extents) if d != part.j]


# ---- the order -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Touch:
    """An access of the operation at a place of the body, for all its points; with `late` those beyond the block."""

    access: Access
    extents: tuple[Affine, ...]
    j: int | None
    late: bool
    writes: bool
    place: int


def _is_apart(found: Delayed, body: Body) -> bool:
    """Whether the parts may be done behind a block, each of them for all iterations at once."""
    late = [touch for part in found.parts for touch in _touches(body, part.place, found, True)]
    early = [touch for place in range(len(body.items)) for touch in _touches(body, place, found, False)]
    pairs = [(one, other) for one in late for other in early if one.writes or other.writes]
    if not all(_apart(one, other, int(one.place >= other.place), found, body) for one, other in pairs):
        return False
    starts = [touch for touch in late if touch.place == found.start.place]
    rest = [touch for touch in late if touch not in starts and touch.access != found.array]
    changes = [touch for touch in late if touch.writes]
    summed = [touch for touch in rest if not _is_summed(touch, found)]
    return all(_apart(change, start, 1, found, body) for change in changes for start in starts) and all(
        _apart(change, other, int(change == other), found, body) and _apart(other, change, 1, found, body)
        for change in changes
        for other in summed
    )


def _is_summed(touch: _Touch, found: Delayed) -> bool:
    """Whether an access is that of the product to the array that is updated."""
    return touch.place == found.product.place and found.product.j in touch.access.dims


def _touches(body: Body, place: int, found: Delayed, late: bool) -> Iterator[_Touch]:
    """The accesses of an operation of the body, but those to memory of the iteration's own."""
    nest = body.items[place].what
    part = next((part for part in found.parts if part.place == place), None)
    j = part.j if part else None
    if isinstance(nest, Nest):
        extents, reads, writes = nest.extents, nest.reads, nest.writes
    else:
        extents, (reads, writes) = (), single(body.items[place].operation, body.reader)
    for access in (*reads, *writes):
        if access.array.root is None or access.array.root not in body.local:
            yield _Touch(access, extents, j, late, access in writes, place)


def _apart(one: _Touch, other: _Touch, least: int, found: Delayed, body: Body) -> bool:
    """Whether two accesses never meet, the second one at least so many iterations later in the block."""
    if not one.access.array.may_overlap(other.access.array):
        return True
    if one.access.array != other.access.array:
        return False
    then = dim(LAST) - 1 - dim(_BEHIND)
    first, bounds = _at(one, then - dim(_LATER) - least, 0, found, body)
    second, more = _at(other, then, _OTHER, found, body)
    extents = {**bounds, **more}
    return any(
        _is_positive(a - b, extents) or _is_positive(b - a, extents) for a, b in zip(first.map, second.map, strict=True)
    )


def _at(touch: _Touch, time: Affine, begin: int, found: Delayed, body: Body) -> tuple[Access, dict[int, Affine]]:
    """An access in an iteration, and the extents of its dimensions, whose numbers start with `begin`."""
    cut = dim(LAST) - 1 - time
    values: dict[Term, Affine] = {body.time: time}
    extents: dict[int, Affine] = {}
    for d, extent in enumerate(touch.extents):
        values[d] = dim(d + begin) + (cut if touch.late and d == touch.j else 0)
        extents[d + begin] = unguarded(extent, body.reader).substitute({body.time: time})
        if d == touch.j:
            extents[d + begin] = found.beyond if touch.late else cut
    return touch.access.moved(values), extents


def _is_positive(value: Affine, extents: Mapping[int, Affine]) -> bool:
    """Whether an expression is above 0 for all points and iterations, as far as its least value shows."""
    for d in value.dims:
        factor = value.coefficient(d)
        if factor < 0:
            value = value + (extents[d] - 1 - dim(d)) * factor
    known = all(factor >= 0 and (isinstance(term, int) or term in (_BEHIND, _LATER)) for term, factor in value.terms)
    return known and value.constant > 0
