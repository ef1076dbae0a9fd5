"""The tensor algebra in which rules are written: its operations, and the shapes of their results.

A value is an array of at least two dimensions (a vector of n is n x 1, a scalar 1 x 1). Scalar operations act on
elements and broadcast; `matmul`, `transpose`, `rowsum`, `colsum` act on the last two dimensions, and so does `syrk(A)`,
which is A @ A.T: symmetric, so that half of it is enough work. `diag(v)` is the matrix with the column v on its
diagonal, `diagonal(A)` that column, `reshape(x, y)` has the elements of x in the shape of y, `pick(A)` some rows of A
(which ones, in which order, the program says; all of one rule are the same), `bilinear(A, B)` any function that is
linear in each of its operands (as convolutions are), again the same in all of one rule. `pad(x, s)` is x with the
number s around it, as far as the program says; `padmore` is the same for other distances, `padboth` has the sums of
both, `padturned` those of `pad` for rows and columns exchanged. No dialect is named here: which
operation means what is measured (`raising.eqsat.lift`), and the scalar operations are those of
`raising.grammar.terms.scalar_ops`.
"""

from __future__ import annotations

import math

from raising.affine.ir.integer_functions import INTEGERS
from raising.grammar.terms.scalar_ops import SCALARS, neutral
from raising.support.record import dataclass

Shape = tuple[int, ...]

FLOAT, INT = "float", "int"
KINDS = (FLOAT, INT)

# What a table calls an operation, for floats and for (signless) integers.
_GENERIC = {
    "add": ("addf", "addi"),
    "sub": ("subf", "subi"),
    "mul": ("mulf", "muli"),
    "div": ("divf", "divsi"),
    "neg": ("negf", ""),
    "max": ("maximumf", "maxsi"),
    "min": ("minimumf", "minsi"),
}
_SUMMING = {"matmul": 2, "mma": 3, "syrk": 1, "rowsum": 1, "colsum": 1, "rowmax": 1}  # that reduce products or elements
_MOVING = {"transpose": 1, "like": 2, "reshape": 2, "diag": 1, "diagonal": 1, "pick": 1, "bilinear": 2}
_MOVING |= {"pad": 2, "padmore": 2, "padboth": 2, "padturned": 2}
SAID_BY_PROGRAM = ("pick", "bilinear", "pad", "padmore")
"""Operations of which the program says more than their operands."""
FOLLOWS = {"padboth": frozenset({"pad", "padmore"}), "padturned": frozenset({"pad"})}
"""Operations of which more is said by others of the same rule."""
Distances = tuple[tuple[int, int], ...]
_SHORT = {op.split(".")[1]: op for op in SCALARS}  # every scalar operation by its name without the dialect


class BadShape(ValueError):
    """Operands do not fit together."""


@dataclass(frozen=True)
class Operation:
    """An operation at one kind of elements: its name in an e-graph, and the scalar operation of one on elements."""

    name: str
    scalar: str = ""


class UnknownOperation(ValueError):
    """The algebra has no such operation at a kind of elements."""


def operation(op: str, kind: str) -> Operation:
    """The operation that a table's name means for a kind of elements."""
    if op in _SUMMING:
        return Operation(f"{op}{kind[0]}")
    if op in _MOVING:
        return Operation(op)
    short = _GENERIC[op][KINDS.index(kind)] if op in _GENERIC else op
    if short not in _SHORT or (op not in _GENERIC and kind_of(short) not in ("", kind)):
        raise UnknownOperation(f"there is no '{op}' of {kind}s")
    return Operation(short, _SHORT[short])


def arity(op: str) -> int:
    """How many operands an operation of the algebra takes; 0 if any number is as good."""
    if op == "neg":
        return 1
    return _SUMMING.get(op) or _MOVING.get(op) or (2 if op in _GENERIC else 0)


def kind_of(short: str) -> str:
    """The kind of elements that a scalar operation belongs to; nothing if it takes several."""
    if short == "select" or short.startswith("cmp"):
        return ""
    op = _SHORT.get(short, "")
    if short in ("extf", "truncf") or op.startswith("math.") and op not in INTEGERS:
        return FLOAT
    return FLOAT if short.endswith("f") else INT


def scalar_name(short: str) -> str:
    """The scalar operation that has a name in the algebra; nothing if none has."""
    return _SHORT.get(short.split("|")[0], "")


def short_name(scalar: str) -> str:
    """The name of a scalar operation in the algebra."""
    return scalar.split(".")[1]


def broadcast(*shapes: Shape) -> Shape:
    """The shape of an operation on elements, as NumPy has it."""
    rank = max(len(s) for s in shapes)
    padded = [(1,) * (rank - len(s)) + s for s in shapes]
    found = []
    for extents in zip(*padded, strict=True):
        wide = {e for e in extents if e != 1}
        if len(wide) > 1:
            raise BadShape(f"extents {sorted(wide)} do not fit together")
        found.append(wide.pop() if wide else 1)
    return tuple(found)


def result_shape(op: str, shapes: tuple[Shape, ...]) -> Shape:
    """The shape of a result, of an operation by its name in a table or in an e-graph."""
    first = shapes[0]
    match summing(op) or op:
        case "transpose":
            return (*first[:-2], first[-1], first[-2])
        case "rowsum":
            return (*first[:-1], 1)
        case "colsum":
            return (*first[:-2], 1, first[-1])
        case "matmul":
            return _matmul(first, shapes[1])
        case "syrk":
            return (*first[:-1], first[-2])
        case "mma":
            return _same(first, _matmul(shapes[1], shapes[2]))
        case "like":
            return _same(shapes[1], broadcast(*shapes))
        case "diag" | "diagonal" | "reshape" | "pick" | "bilinear" | "rowmax":
            return _structured_shape(summing(op) or op, shapes)
        case "pad" | "padmore" | "padboth" | "padturned":
            _same((1, 1), shapes[1])
            return tuple(low + n + high for n, (low, high) in zip(first, distances(op, len(first)), strict=True))
        case _:
            return broadcast(*shapes)


def _structured_shape(op: str, shapes: tuple[Shape, ...]) -> Shape:
    first = shapes[0]
    match op:
        case "rowmax" if not first[-1]:
            raise BadShape("there is no greatest of no elements")
        case "rowmax":
            return (*first[:-1], 1)
        case "diag":
            _same((*first[:-1], 1), first)
            return (*first[:-1], first[-2])
        case "diagonal":
            _same((*first[:-1], first[-2]), first)
            return (*first[:-1], 1)
        case "pick":
            return (*first[:-2], len(picked(first[-2])), first[-1])
        case "bilinear":
            return BILINEAR
    if math.prod(first) != math.prod(shapes[1]):
        raise BadShape(f"{first} has not as many elements as {shapes[1]}")
    return shapes[1]


BILINEAR: Shape = (2, 3)
"""The shape of the sample of a bilinear function."""


def picked(rows: int) -> list[int]:
    """The sample of rows that are picked: one more than there are, in no order, so one of them twice."""
    return [(7 * k + 3) % rows for k in range(rows + 1)] if rows else []


def distances(op: str, rank: int) -> Distances:
    """The sample of a padding: how far it reaches before and behind each dimension."""
    one: Distances = (*((0, 1),) * (rank - 2), (1, 2), (0, 3))
    more: Distances = (*((1, 0),) * (rank - 2), (2, 0), (1, 1))
    if op == "padboth":
        return tuple((a + c, b + d) for (a, b), (c, d) in zip(one, more, strict=True))
    return {"padmore": more, "padturned": (*one[:-2], one[-1], one[-2])}.get(op, one)


def coefficient(place: int, left: int, right: int) -> int:
    """The sample of a bilinear function: what the product of two elements counts at a place; never 0."""
    return (31 * place + 7 * left * (left + 1) + 3 * right * right + left * right) % 11 + 1


def _matmul(a: Shape, b: Shape) -> Shape:
    if a[-1] != b[-2]:
        raise BadShape(f"{a[-1]} columns by {b[-2]} rows")
    return (*broadcast((*a[:-2], 1, 1), (*b[:-2], 1, 1))[:-2], a[-2], b[-1])


def _same(wanted: Shape, found: Shape) -> Shape:
    if wanted != found:
        raise BadShape(f"{found} where {wanted} is needed")
    return wanted


def summing(op: str) -> str:
    """The operation of a table that a name in an e-graph stands for, if it adds up; nothing for all others."""
    return op[:-1] if op[:-1] in _SUMMING else ""


def starts_from(kind: str) -> float:
    """Where a sum starts."""
    return neutral(operation("add", kind).scalar)
