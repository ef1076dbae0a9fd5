"""Goals behind contractions: linear systems over the field, and a program that is found by no other way."""

from pathlib import Path

import numpy as np
import pytest

from raising.grammar.field import field
from raising.pipeline import raise_module
from raising.synth.complete.solve_operand import solved
from raising.synth.search_options import EVERY, Options
from tests.raising.algebra import kinds

CHAIN = Path(__file__).parents[1] / "inputs" / "wild" / "chain4.mlir"


def numbers(*shape: int) -> field.Residues:
    """Random elements of the field."""
    return np.random.default_rng(3).integers(1, field.P, shape, dtype=np.uint64)


def product(a: field.Residues, b: field.Residues) -> field.Residues:
    """The product of two matrices over the field."""
    return np.array([[field.dot(row, np.ascontiguousarray(column)) for column in b.T] for row in a], dtype=np.uint64)


@pytest.mark.parametrize("rows", [3, 5])
def test_a_determined_unknown_is_found(rows: int) -> None:
    matrix, unknown = numbers(rows, 3), numbers(3, 4)
    found = solved(matrix, product(matrix, unknown))
    assert found is not None and np.array_equal(found, unknown)


def test_a_pivot_may_be_further_down() -> None:
    matrix, unknown = numbers(3, 3), numbers(3, 2)
    matrix[0, 0] = 0
    found = solved(matrix, product(matrix, unknown))
    assert found is not None and np.array_equal(found, unknown)


def test_no_unknown_without_enough_equations_or_with_ones_that_disagree() -> None:
    wide, double = numbers(2, 3), numbers(3, 3)
    double[2] = double[1]
    assert solved(wide, numbers(2, 4)) is None
    assert solved(double, product(double, numbers(3, 4))) is None
    assert solved(numbers(4, 3), numbers(4, 2)) is None


@pytest.mark.parametrize(("guides", "contractions"), [(EVERY, 3), (EVERY - {"factors"}, 0)])
def test_a_chain_of_four_in_one_statement_needs_them(guides: frozenset[str], contractions: int) -> None:
    result = raise_module(CHAIN.read_text(), check="field", search=Options(guides=guides), cache=False)
    assert result.complete
    assert kinds(result.text).get("contraction 3", 0) == contractions
    (part,) = result.functions[0].parts
    assert part.stats.guides.get("factors", 0) == (contractions == 3)
