"""Rules of circuits hold at all small widths, and wrong ones are refused."""

from typing import Any

import pytest

from raising.eqsat.hardware.bit_rules import Most, Row, bounds, parsed, rows, rows_of
from tests.hardware.bit_rule_check import WrongRule, check_most, check_row


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_rules_hold(row: Row):
    assert check_row(row).choices


@pytest.mark.parametrize("most", bounds(), ids=lambda most: most.term.head)
def test_bounds_hold(most: Most):
    assert check_most(most).choices


def test_names_are_different():
    assert len({row.name for row in rows()}) == len(rows())


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"left": "(add w a b)", "right": "(sub w a b)"}, "at {'w': 2}"),
        # published for filters, without a look at what is shifted out
        ({"left": "(add w (shru w s a n) b)", "right": "(shru w s (add w a (shl w s b n)) n)"}, "at"),
        ({"left": "(shru w s (shru w s a m) n)", "right": "(shru w s a (add s m n))"}, "at"),
        ({"left": "(zext w k (add k a b))", "right": "(add w (zext w k a) (zext w k b))"}, "at"),
        ({"left": "(zext w k a)", "right": "(ext w 0 k a)"}, "no circuit"),
        ({"left": "(add w a b)", "right": "(add w a c)"}, "not on the left"),
        ({"left": "(ext w 5 k a)", "right": "(ext w 5 k a)", "bound": 3}, "at no width"),
        (
            {
                "left": "(zext w k (add k a b))",
                "right": "(add w (zext w k a) (zext w k b))",
                "fits": [["(- (max a) (max b))", "k"]],
            },
            "smaller for larger",
        ),
    ],
)
def test_wrong_rules_are_refused(entry: dict[str, Any], why: str):
    (row,) = rows_of({"name": "wrong", **entry})
    with pytest.raises(WrongRule, match=why):
        check_row(row)


@pytest.mark.parametrize(("term", "most"), [("(add w a b)", "(+ (max a) 0)"), ("(sub w a b)", "(max a)")])
def test_wrong_bounds_are_refused(term: str, most: str):
    with pytest.raises(WrongRule):
        check_most(Most(parsed(term), parsed(most)))
