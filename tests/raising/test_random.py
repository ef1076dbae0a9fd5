"""Random C functions, raised, optimised and compiled: each result beside gcc's. `tests.bench.fuzz` takes more."""

import pytest

from tests.bench.fuzz import TARGETS, isolated
from tests.c.gcc import needs_gcc


@needs_gcc
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", [0, 7, 24, 151])
def test_what_is_made_of_a_random_function_computes_what_gcc_does(seed, target):
    row = isolated(seed, target)
    assert (row["raised"], row["optimised"]) == ("right", "right")
