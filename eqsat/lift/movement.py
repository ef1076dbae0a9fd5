"""What an operation does at its own sizes: the ways of moving elements, and functions that are linear in two operands.

`meaning` makes operations again at small sizes; attributes that count elements (where a slice starts, how far a
convolution reaches) have a meaning at their own sizes only. Extents that are known at run time only have large numbers:
they are made small twice, differently, and what does not depend on them is the same both times.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from raising.eqsat.extents.numbering import LEAST
from raising.eqsat.lift.meaning import Meanings, alone, shaped
from raising.grammar.measure.bodies import is_neutral
from raising.grammar.measure.elements import Leaf, Node, Old, Step
from raising.grammar.measure.recognise_semantics import read
from raising.grammar.measure.tensor_ops import HANDLERS
from raising.grammar.measure.tracer import Trace
from raising.grammar.measure.workbench import NotStructured
from raising.grammar.terms.literal import number_of
from raising.grammar.terms.scalar_ops import SCALARS
from raising.support.record import dataclass

WINDOW, RESHAPE, DIAGONAL, BILINEAR, MATRIX = "window", "reshape", "diagonal", "bilinear", "matrix"
PAD, JOIN = "pad", "join"
_UNDEFINED = "undefined"  # the number that nobody has written
_MOST = 1 << 18  # elements of all tensors together that are traced
_LEAST = 3  # rows by which a diagonal is told from other patterns
_SMALL = ((61, 67, 71, 73, 79, 83), (89, 97, 101, 103, 107, 109))
_LARGE = re.compile(r"\d{7,}")


@dataclass(frozen=True)
class Moved:
    """A family; the operands that it reads; of a box: start, stride and extent of each dimension, extent 0 for all.

    Of a `join` the box has for each operand the axis along which they are joined, where it starts, and its extent.
    `start` is the operand that a sum starts from, -1 if that is zero; a diagonal is read, or added up (`sums`).
    Of a padding the box has how far it reaches before and behind each dimension; `text` is the number around, or the
    second operand is. A `matrix` has an operand on its diagonal, or the number `text`, and zeros elsewhere.
    """

    family: str
    arguments: tuple[int, ...]
    box: tuple[tuple[int, int, int], ...] = ()
    start: int = -1
    sums: bool = False
    text: str = ""


def moved(op: Any, meanings: Meanings, ir: Any) -> Moved | None:
    """What an operation does at its own sizes; None if that is nothing of the kind."""
    if not (meanings.knows(op) or op.name in HANDLERS) or len(op.results) != 1:
        return None
    values = [*op.operands, *op.results]
    if not all(isinstance(v.type, ir.RankedTensorType) for v in values if isinstance(v.type, ir.ShapedType)):
        return None
    try:
        extents = {e for v in values if isinstance(v.type, ir.ShapedType) for e in shaped(v.type, ir)}
        open_ = sorted(e for e in extents if e >= LEAST)
        found = [_measured(op, meanings, ir, extents, dict(zip(open_, small, strict=False))) for small in _SMALL]
    except (NotStructured, ValueError, IndexError):
        return None
    return found[0] if found[0] == found[1] else None


def _measured(op: Any, meanings: Meanings, ir: Any, extents: set[int], small: dict[int, int]) -> Moved | None:
    sizes = {e: small.get(e, e) for e in extents}
    if any(size >= LEAST for size in sizes.values()):
        raise NotStructured("too many different extents")
    text = _LARGE.sub(lambda m: str(small.get(int(m[0]), m[0])), alone(op, ir, sizes, _MOST))
    if text not in meanings.moved:
        meanings.moved[text] = _read(meanings.lowering.trace(text))
    found: Moved | None = meanings.moved[text]
    return found


def _read(trace: Trace) -> Moved | None:
    diagonal = _diagonal(trace) or _matrix(trace)
    if diagonal is not None or isinstance(trace.result.node, Step):
        return diagonal or _bilinear(trace)
    placed = _joined(trace) or _padding(trace)
    if placed is not None:
        return placed
    try:
        reading = read(trace)
    except (NotStructured, ValueError, IndexError):
        return None
    facts = dict(reading.facts)
    if reading.family == RESHAPE:
        return Moved(RESHAPE, reading.arguments)
    if reading.family != WINDOW:
        return None
    rows = zip(facts["start"], facts["stride"], facts["extent"], facts["source"], strict=True)
    box = [(a or 0, 1 if s is None else s, 0 if n == whole else n or 0) for a, s, n, whole in rows]
    return Moved(WINDOW, reading.arguments, tuple(box))


def _joined(trace: Trace) -> Moved | None:
    """Operands side by side along one axis."""
    node = trace.result.node
    if not isinstance(node, Leaf) or node.position or trace.result.reduced:
        return None
    ids, shapes = node.ids, trace.shapes[:-1]
    pieces = [base + np.arange(np.prod(s, dtype=int)).reshape(s) for base, s in zip(trace.bases, shapes, strict=False)]
    for axis in range(ids.ndim if len(shapes) > 1 and all(len(s) == ids.ndim for s in shapes) else 0):
        beside = {shape[:axis] + shape[axis + 1 :] for shape in shapes}
        if len(beside) == 1 and np.array_equal(ids, np.concatenate(pieces, axis)):
            ends = np.cumsum([0, *(shape[axis] for shape in shapes)]).tolist()
            box = tuple((axis, start, end - start) for start, end in zip(ends, ends[1:], strict=False))
            return Moved(JOIN, tuple(range(len(shapes))), box)
    return None


def _padding(trace: Trace) -> Moved | None:
    """One operand as a box in a larger tensor, whose other elements are all one element or one number."""
    node = trace.result.node
    if not isinstance(node, Leaf) or node.position or trace.result.reduced or not node.ids.ndim:
        return None
    for piece, shape in enumerate(trace.shapes):
        base, size = trace.bases[piece], int(np.prod(shape, dtype=int))
        inside = (node.ids >= base) & (node.ids < base + size)
        if len(shape) != node.ids.ndim or inside.sum() != size or inside.all():
            continue
        low = np.argwhere(inside).min(axis=0)
        box = tuple(slice(a, a + n) for a, n in zip(low, shape, strict=True))
        around = np.unique(node.ids[~inside])
        if len(around) == 1 and np.array_equal(node.ids[box], np.arange(base, base + size).reshape(shape)):
            rest = np.array(node.ids.shape) - low - shape
            return _around(trace, piece, int(around[0]), [*zip(low.tolist(), rest.tolist(), strict=True)])
    return None


def _around(trace: Trace, piece: int, element: int, sides: list[tuple[int, int]]) -> Moved | None:
    box = tuple((low, high, 0) for low, high in sides)
    if element < 0:
        text = trace.constants[-1 - element][0]
        return None if text == _UNDEFINED else Moved(PAD, (piece,), box, text=text)
    border = _source(trace, Leaf(np.array([element])))
    if border is None or trace.shapes[border]:
        return None
    return Moved(PAD, (piece, border), box)


def _bilinear(trace: Trace) -> Moved | None:
    """A sum of products of one element of each of two operands, each product at least once."""
    node = trace.result.node
    assert isinstance(node, Step)
    product = next((a for a in node.args if isinstance(a, Step)), None)
    if SCALARS[node.op].residue != "add" or product is None or not any(isinstance(a, Old) for a in node.args):
        return None
    if product.op not in SCALARS or SCALARS[product.op].residue != "mul":
        return None
    sources = [_source(trace, a) for a in product.args]
    start = _start(trace, node.op)
    if None in sources or sources[0] == sources[1] or start is None:
        return None
    return Moved(BILINEAR, tuple(s for s in sources if s is not None), start=start)


def _diagonal(trace: Trace) -> Moved | None:
    """The diagonal of a square matrix, or its sum."""
    node, sums = trace.result.node, bool(trace.result.reduced)
    if (
        sums
        and isinstance(node, Step)
        and SCALARS[node.op].residue == "add"
        and any(isinstance(a, Old) for a in node.args)
    ):
        start = _start(trace, node.op)
        node = next((a for a in node.args if isinstance(a, Leaf)), None)
    else:
        start = None if sums else -1
    source = None if node is None else _source(trace, node)
    if source is None or start is None or len(trace.shapes[source]) != 2:
        return None
    assert isinstance(node, Leaf)
    rows, columns = trace.shapes[source]
    wanted = trace.bases[source] + np.arange(rows) * (rows + 1)
    if rows != columns or node.ids.ndim != 1 or not np.array_equal(node.ids, wanted):
        return None
    return Moved(DIAGONAL, (source,), start=start, sums=sums)


def _matrix(trace: Trace) -> Moved | None:
    """A square matrix with a vector, or one number, on its diagonal and zeros elsewhere."""
    node = _chosen(trace.result.node)
    if not isinstance(node, Leaf) or node.position or trace.result.reduced or node.ids.ndim != 2:
        return None
    rows, columns = node.ids.shape
    beside = node.ids[~np.eye(rows, columns, dtype=bool)]
    if rows != columns or rows < _LEAST or beside.max() >= 0 or len({*beside.tolist()}) != 1:
        return None
    text, on = trace.constants[-1 - int(beside[0])][0], np.diagonal(node.ids)
    if number_of(text) != 0.0 or text.startswith("-"):
        return None
    if on.max() < 0 and len({*on.tolist()}) == 1:
        return Moved(MATRIX, (), text=trace.constants[-1 - int(on[0])][0])
    source = _source(trace, Leaf(on))
    if source is None or trace.shapes[source] != (rows,):
        return None
    return Moved(MATRIX, (source,)) if np.array_equal(on, trace.bases[source] + np.arange(rows)) else None


def _chosen(node: Node | None) -> Node | None:
    """What a selection by positions chooses, element by element."""
    if not isinstance(node, Step) or SCALARS[node.op].residue != "select":
        return node
    where, one, other = node.args
    if not all(isinstance(a, Leaf) for a in node.args) or not where.position or one.position or other.position:  # type: ignore[union-attr]
        return node
    return Leaf(np.where(where.ids != 0, one.ids, other.ids))  # type: ignore[union-attr]


def _source(trace: Trace, node: Node) -> int | None:
    """The operand that all elements are of."""
    if not isinstance(node, Leaf) or node.position or not node.ids.size or node.ids.min() < 0:
        return None
    low, high = (int(np.searchsorted(trace.bases, n, side="right")) - 1 for n in (node.ids.min(), node.ids.max()))
    return low if low == high else None


def _start(trace: Trace, op: str) -> int | None:
    """The operand that a sum starts from; -1 for zero, None for anything else."""
    start = trace.result.start
    if not isinstance(start, Leaf):
        return None
    first = int(start.ids.flat[0])
    if first < 0:
        neutral = bool(np.all(start.ids == first)) and is_neutral(op, trace.constants[-1 - first][0])
        return -1 if neutral else None
    return _source(trace, start)
