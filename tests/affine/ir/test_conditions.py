"""Conditions as alternatives: disjoint, and without what is impossible or known."""

from itertools import product

import pytest

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.affine.ir.constraints import Alternatives, either, negation, possible

ROW, COLUMN = var("i"), var("j")
FIRST, LAST = (Cond(ROW, True),), (Cond(ROW - 9, True),)
INSIDE = (Cond(ROW), Cond(Lin(9) - ROW), Cond(COLUMN), Cond(Lin(9) - COLUMN))


def _holding(alternatives: Alternatives, i: int, j: int) -> int:
    return sum(all(c.holds({"i": i, "j": j}) for c in conds) for conds in alternatives)


@pytest.mark.parametrize("known", [(), INSIDE])
def test_exactly_one_alternative_holds_where_one_should(known: tuple[Cond, ...]) -> None:
    both = either(either((FIRST,), (LAST,), known), ((Cond(COLUMN - ROW),),), known)
    rest = negation(both, known)
    for i, j in product(range(10), repeat=2):
        wanted = i in (0, 9) or j >= i
        assert (_holding(both, i, j), _holding(rest, i, j)) == (wanted, not wanted)


def test_what_cannot_hold_is_no_alternative() -> None:
    assert negation((FIRST,), INSIDE) == ((Cond(ROW - 1),),)
    assert len(either((FIRST,), (LAST,), INSIDE)) == 2
    assert possible([(Cond(ROW - COLUMN - 1), Cond(COLUMN - ROW))]) == ()
    assert possible([(Cond(ROW - 5, True), Cond(ROW - 6))]) == ()


def test_a_condition_that_another_implies_is_not_repeated() -> None:
    assert possible([(Cond(ROW - 2), Cond(ROW - 5), Cond(ROW))], INSIDE) == ((Cond(ROW - 5),),)
    assert possible([(Cond(ROW), Cond(ROW))]) == ((Cond(ROW),),)
    assert possible([(Cond(ROW),)], INSIDE) == ((),)
