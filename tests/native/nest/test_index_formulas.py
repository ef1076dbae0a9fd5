"""Formulas of indices become operations, unless their values are known."""

from collections.abc import Callable

import pytest

from raising.native.nest.folded_lines import FoldedLines
from raising.native.nest.mlir_builder import Lines


def test_each_sign_is_an_operation() -> None:
    code = Lines()
    found = code.formula("%high - remsi(%high - %r#1, 8) if %truth and not %other else max(%low, -1)")
    assert code.body().splitlines() == [
        "%constant0 = arith.constant true",
        "%constant1 = arith.constant 8 : index",
        "%constant2 = arith.constant -1 : index",
        "%t1 = arith.xori %other, %constant0 : i1",
        "%t2 = arith.andi %truth, %t1 : i1",
        "%t3 = arith.subi %high, %r#1 : index",
        "%t4 = arith.remsi %t3, %constant1 : index",
        "%t5 = arith.subi %high, %t4 : index",
        "%t6 = arith.maxsi %low, %constant2 : index",
        "%t7 = arith.select %t2, %t5, %t6 : index",
    ]
    assert found == "%t7"


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("ceildiv(17, 8) * 2 + 0", 6),
        ("%a + 0 * %b", "%a"),
        ("min(%a, %a) // 1", "%a"),
        ("remui(%a, 1)", 0),
        ("0 <= 1 and %truth", "%truth"),
        ("%truth and 1 < 0", False),
        ("%truth or not 1 < 0", True),
        ("0 - 5", -5),
    ],
)
def test_what_is_known_needs_no_operation(formula: str, value: object) -> None:
    code = FoldedLines()
    assert code.known(formula) == value
    assert not code.lines


def test_bits_of_numbers_are_no_truth_values() -> None:
    code = FoldedLines()
    assert code.known("%a & 1") == "%g1"
    assert code.lines == ["%g1 = arith.andi %a, %constant0 : index"]


@pytest.mark.parametrize("call", [Lines().formula, FoldedLines().known])
def test_what_is_no_formula_is_refused(call: Callable[[str], object]) -> None:
    with pytest.raises(ValueError, match="is no formula of indices"):
        call("%a.real + [1]")
