"""Small terms that others are made of: elementwise operations, constants, conditions on boxes."""

from __future__ import annotations

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.grammar.terms.structured_op import COPY, Body, Instr
from raising.grammar.terms.term import Apply, Insert, Literal, TensorType, Term, Undefined, box_extents
from raising.support.mlir.predicates import CMPI


def predicate(name: str) -> str:
    """A comparison of integers as MLIR numbers it."""
    return f"{CMPI.index(name)} : i64"


def pointwise(op: str, operands: tuple[Term, ...], kind: TensorType, attrs: tuple[tuple[str, str], ...] = ()) -> Term:
    """One scalar operation on tensors of one shape."""
    identity = tuple(range(kind.rank))
    count = len(operands)
    body = Body(count + 1, (Instr(op, tuple(range(count)), attrs),), count + 1)
    return Apply(kind, body, (identity,) * (count + 1), operands)


def folded(terms: list[Term], op: str, kind: TensorType) -> Term | None:
    """Terms combined by an operation; None if there are none."""
    result: Term | None = None
    for term in terms:
        result = term if result is None else pointwise(op, (result, term), kind)
    return result


def filled(kind: TensorType, text: str) -> Term:
    """A tensor of one value."""
    literal = Literal(TensorType(kind.element, ()), text)
    return Apply(kind, COPY, ((), tuple(range(kind.rank))), (literal,))


def box_conditions(term: Insert) -> tuple[Cond, ...]:
    """Where an insertion's piece is, as conditions."""
    conds = []
    for k, (offset, extent, whole) in enumerate(zip(term.offsets, box_extents(term), term.type.dims, strict=True)):
        if offset != Lin():
            conds.append(Cond(var(f"d{k}") - offset))
        if offset + extent != whole:
            conds.append(Cond(offset + extent - 1 - var(f"d{k}")))
    return tuple(conds)


def is_constant(term: Term) -> bool:
    """True for a tensor of one constant, or of nothing in particular."""
    return isinstance(term, Undefined) or (
        isinstance(term, Apply) and term.body == COPY and isinstance(term.inputs[0], Literal)
    )
