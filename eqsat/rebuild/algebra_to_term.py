"""Terms of the tensor algebra as terms of a grammar, from which operations of its target are built.

Dimensions of extent one do not exist there, so a view says which dimension of
the algebra's array is which of the term's. Transposing and spreading only
change the view; the operation that reads it does so by a map.
"""

from __future__ import annotations

from collections.abc import Sequence

from raising.affine.ir.affine_expr import Lin
from raising.eqsat.ruleset.algebra import FLOAT, INT, Shape, operation, result_shape, summing
from raising.grammar.select.selector import scalar_type
from raising.grammar.terms.structured_op import COPY, Body, Instr, Map
from raising.grammar.terms.term import Apply, Insert, Literal, TensorType, Term, Undefined, Window
from raising.support.record import dataclass

_PRODUCTS = ("matmul", "mma", "syrk")


@dataclass(frozen=True)
class View:
    """An array of the algebra: dimension p is dimension `axes[p]` of `term`, or repeats one element (None)."""

    term: Term
    axes: tuple[int | None, ...]
    shape: Shape

    @property
    def element(self) -> str:
        """The type of its elements."""
        return self.term.type.element


def given(term: Term, shape: Shape) -> View:
    """A tensor that is there: its dimensions of extent one are left out."""
    extents = [d.const for d in term.type.dims]
    kept = tuple(d for d, e in enumerate(extents) if e != 1)
    if len(kept) < len(extents):
        kind = TensorType(term.type.element, tuple(term.type.dims[d] for d in kept))
        term = Window(kind, term, (Lin(0),) * len(extents), kept, (1,) * len(extents))
    return _fresh(term, shape)


def literal(text: str, element: str) -> View:
    """The term of a number."""
    return View(Literal(TensorType(element, ()), text), (None, None), (1, 1))


def transposed(view: View) -> View:
    """The last two dimensions exchanged."""
    *outer, r, c = view.axes
    *batch, rows, cols = view.shape
    return View(view.term, (*outer, c, r), (*batch, cols, rows))


def reshaped(view: View, shape: Shape) -> View:
    """The same elements, with extents of one elsewhere."""
    term = materialised(view, _dims(view.shape))
    return _fresh(term, shape)


def picked(view: View, start: int, stride: int, count: int) -> View:
    """The term that picks some rows."""
    shape = (*view.shape[:-2], count, view.shape[-1])
    axis = view.axes[-2]
    if axis is None:
        return View(view.term, view.axes, shape)
    rank = view.term.type.rank
    dims = tuple(Lin(count) if d == axis else e for d, e in enumerate(view.term.type.dims) if d != axis or count != 1)
    offsets = tuple(Lin(start if d == axis else 0) for d in range(rank))
    kept = tuple(d for d in range(rank) if d != axis or count != 1)
    strides = tuple(stride if d == axis else 1 for d in range(rank))
    term = Window(TensorType(view.element, dims), view.term, offsets, kept, strides)
    place = {d: k for k, d in enumerate(kept)}
    return View(term, tuple(None if a is None else place.get(a) for a in view.axes), shape)


def padded(view: View, border: View, low: Sequence[int], shape: Shape) -> View:
    """An array in a larger one of one number: so far behind its start in the last dimensions."""
    dims = [p for p, e in enumerate(shape) if e != 1]
    starts = [0] * len(shape) + [*low]
    offsets = tuple(Lin(starts[p - len(shape)]) for p in dims)
    kept = tuple(k for k, p in enumerate(dims) if view.shape[p] != 1)
    around = materialised(spread(border, shape), _dims(shape))
    piece = materialised(view, _dims(view.shape))
    kind = TensorType(view.element, _dims(shape))
    return _fresh(Insert(kind, around, piece, offsets, kept, (1,) * len(dims)), shape)


def spread(view: View, shape: Shape) -> View:
    """An array repeated to a larger shape."""
    return View(view.term, (*(None,) * (len(shape) - len(view.axes)), *view.axes), shape)


def computed(name: str, views: Sequence[View], instr: Instr) -> View:
    """An operation on elements, with the scalar operation that it is."""
    shape = result_shape(name, tuple(v.shape for v in views))
    place = _places(shape)
    count = len(views)
    elements = [v.element for v in views]
    body = Body(count + 1, (Instr(instr.op, tuple(range(count)), instr.attrs, instr.type),), count + 1)
    maps = [_map(v, len(shape), place) for v in views]
    return _applied(body, maps, views, shape, place, scalar_type(instr, elements, elements[-1]))


def summed(name: str, views: Sequence[View], fuse: bool = False) -> View:
    """A sum of products, or of rows or columns; with `fuse`, elements that are products are not made first."""
    base, kind = summing(name), FLOAT if name.endswith("f") else INT
    add, mul = operation("add", kind).scalar, operation("mul", kind).scalar
    shape = result_shape(name, tuple(v.shape for v in views))
    place = _places(shape)
    factors = (views[0], transposed(views[0])) if base == "syrk" else views[-2:] if base in _PRODUCTS else views
    inner = len(place)
    add = operation("max", kind).scalar if base == "rowmax" else add
    if base in _PRODUCTS:
        reduced = factors[0].shape[-1] > 1
        rows, cols = len(shape) - 2, len(shape) - 1
        places = ({**place, cols: inner}, {**place, rows: inner})
    else:
        reduced = views[0].shape[-2 if base == "colsum" else -1] > 1
        places = ({**place, len(shape) - (2 if base == "colsum" else 1): inner},)  # type: ignore[assignment]
    products = _factors(views[0], mul) if base in ("rowsum", "colsum") and reduced and fuse else None
    if products is not None:
        factors, places = products, (places[0], places[0])
    if reduced and all(_map(v, len(shape), p).count(inner) == 0 for v, p in zip(factors, places, strict=True)):
        repeated = factors[0]  # what is summed is repeated along the sum: it has to be there as often
        factors = [_fresh(materialised(repeated, _dims(repeated.shape)), repeated.shape), *factors[1:]]
    maps = [_map(v, len(shape), p) for v, p in zip(factors, places, strict=True)]
    return _summation(add, mul, maps, factors, views[0] if base == "mma" else None, shape, place, reduced)


def _factors(view: View, mul: str) -> tuple[View, View] | None:
    """The two arrays whose elements are multiplied to an array's; None if it is anything else."""
    term = view.term
    if not isinstance(term, Apply) or [i.op for i in term.body.instrs] != [mul] or term.init is not None:
        return None
    if term.body.instrs[0].args != (0, 1) or term.body.arity != 3 or term.maps[-1] != tuple(range(term.type.rank)):
        return None
    found = []
    for m, source in zip(term.maps, term.inputs, strict=False):
        axes = tuple(m.index(a) if a is not None and a in m else None for a in view.axes)
        found.append(View(source, axes, view.shape))
    return found[0], found[1]


def _summation(
    add: str,
    mul: str,
    maps: list[Map],
    factors: Sequence[View],
    start: View | None,
    shape: Shape,
    place: dict[int, int],
    reduced: bool,
) -> View:
    count = len(factors)
    product = (Instr(mul, (0, 1)),) if count == 2 else ()
    value = count + 1 if product else 0
    element = factors[0].element
    if not reduced:  # one product, or one element
        single = _applied(Body(count + 1, product, value), maps, factors, shape, place, element)
        return single if start is None else computed(add.split(".")[1], [start, single], Instr(add, ()))
    body = Body(count + 1, (*product, Instr(add, (count, value))), count + 1 + len(product))
    init = None if start is None else materialised(start, _dims(shape))
    return _applied(body, maps, factors, shape, place, element, init)


def _applied(
    body: Body,
    maps: Sequence[Map],
    views: Sequence[View],
    shape: Shape,
    place: dict[int, int],
    element: str,
    init: Term | None = None,
) -> View:
    out: Map = tuple(range(len(place)))
    kind = TensorType(element, _dims(shape))
    if not body.instrs and len(maps) == 1 and maps[0] == out:
        return _fresh(views[0].term, shape)
    return _fresh(Apply(kind, body, (*maps, out), tuple(v.term for v in views), init), shape)


def materialised(view: View, dims: tuple[Lin, ...]) -> Term:
    """A term of the array's dimensions of extent above one, in their order."""
    place = _places(view.shape)
    m = _map(view, len(view.shape), place)
    out: Map = tuple(range(len(place)))
    if m == out:
        return view.term
    return Apply(TensorType(view.element, dims), COPY, (m, out), (view.term,))


def returned(view: View, shape: Shape) -> Term:
    """The array as a tensor of the program, of a shape that may have extents of one."""
    term = materialised(view, _dims(view.shape))
    kept = tuple(d for d, e in enumerate(shape) if e != 1)
    if len(kept) == len(shape):
        return term
    kind = TensorType(view.element, tuple(Lin(e) for e in shape))
    return Insert(kind, Undefined(kind), term, (Lin(0),) * len(shape), kept, (1,) * len(shape))


def _fresh(term: Term, shape: Shape) -> View:
    place = _places(shape)
    return View(term, tuple(place.get(p) for p in range(len(shape))), shape)


def _places(shape: Shape) -> dict[int, int]:
    """The iteration dimension of each dimension of extent above one."""
    return {p: k for k, p in enumerate(p for p, e in enumerate(shape) if e != 1)}


def _dims(shape: Shape) -> tuple[Lin, ...]:
    return tuple(Lin(e) for e in shape if e != 1)


def _map(view: View, rank: int, place: dict[int, int]) -> Map:
    """Where a term is read, dimension by dimension."""
    offset = rank - len(view.axes)
    found = {axis: place[p + offset] for p, axis in enumerate(view.axes) if axis is not None}
    return tuple(found[axis] for axis in range(view.term.type.rank))
