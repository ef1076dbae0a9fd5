"""Masks and positions as operations on tensors, for targets that compute them."""

from __future__ import annotations

from collections.abc import Mapping

from raising.affine.ir.affine_expr import Atom, Cond, Floor, Lin, compared, var
from raising.grammar.select.selector import CannotSay
from raising.grammar.terms.pointwise import filled, folded, pointwise, predicate
from raising.grammar.terms.structured_op import COPY
from raising.grammar.terms.term import Apply, Input, Mask, Position, TensorType, Term

MAX_RANK = 8  # of tensors in which positions are taken
INDEX = "i32"  # the element type in which positions are compared


def is_axis(form: Lin) -> bool:
    """True for the position along one dimension."""
    return any(form == var(f"d{k}") for k in range(MAX_RANK))


def mask(term: Mask) -> Term:
    """A mask as comparisons of positions."""
    found = [_all_of(conds, term.type) for conds in term.alternatives]
    return folded(found, "arith.ori", term.type) or filled(term.type, "0")


def _all_of(conds: tuple[Cond, ...], kind: TensorType) -> Term:
    tests = []
    for cond in conds:
        more, less, name = compared(cond)
        sides = tuple(Position(TensorType(INDEX, kind.dims), form) for form in (more, less))
        tests.append(pointwise("arith.cmpi", sides, kind, (("predicate", predicate(name)),)))
    return folded(tests, "arith.andi", kind) or filled(kind, "1")


def position(term: Position, sizes: Mapping[str, Lin]) -> Term:
    """A position as sums and products of the positions along one dimension each."""
    kind = term.type
    parts: list[Term] = []
    rest = Lin(term.form.const)
    for atom, c in term.form.terms:
        if isinstance(atom, Floor):
            raise CannotSay("a quotient of positions")
        if atom.startswith("d") and atom[1:].isdigit():
            one: Term = Position(kind, var(atom))
            parts.append(one if c == 1 else pointwise("arith.muli", (one, filled(kind, str(c))), kind))
        else:
            rest = rest + var(atom).scaled(c)
    rest = rest.substitute(sizes.get)
    for atom, c in rest.terms:
        parts.append(_counted(atom, c, kind, sizes))
    if rest.const or not parts:
        parts.append(filled(kind, str(rest.const)))
    return folded(parts, "arith.addi", kind) or parts[0]


def _counted(atom: Atom, factor: int, kind: TensorType, sizes: Mapping[str, Lin]) -> Term:
    """A multiple of the variable of a loop that stays, everywhere."""
    if not isinstance(atom, str) or sizes.get(atom) != var(atom):
        raise CannotSay("a mask over sizes that are not constant")
    variable = Input(TensorType(INDEX, ()), atom)
    one = Apply(kind, COPY, ((), tuple(range(kind.rank))), (variable,)) if kind.rank else variable
    return one if factor == 1 else pointwise("arith.muli", (one, filled(kind, str(factor))), kind)
