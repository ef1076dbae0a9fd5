"""Comparisons of positions as conditions: what they say is what the numbers' bits say."""

from itertools import product

import numpy as np
import pytest

from raising.affine.ir.affine_expr import var
from raising.frontend.mlir.attributes import compared

PREDICATES = (np.equal, np.not_equal, *(np.less, np.less_equal, np.greater, np.greater_equal) * 2)


@pytest.mark.parametrize("number", range(10))
def test_one_alternative_holds_exactly_where_the_comparison_is_true(number: int) -> None:
    alternatives = compared(number, var("a"), var("b"))
    for a, b in product(range(-2, 3), repeat=2):
        kind = np.uint64 if number > 5 else np.int64
        true = PREDICATES[number](*np.array([a, b], np.int64).astype(kind))
        assert sum(all(c.holds({"a": a, "b": b}) for c in conds) for conds in alternatives) == int(true), (a, b)
