"""The set of programs under the decorator: all are right in NumPy; a few that compile quickly are compared."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import raising
from tests.bench.programs.compare import PROGRAMS, difference
from tests.decorator.functions import QUICK


def test_the_set() -> None:
    assert len(PROGRAMS) >= 54
    with warnings.catch_warnings(action="ignore"):
        for program in PROGRAMS.values():
            assert difference(program, program.function, program.sizes[0]) == ""


@pytest.mark.parametrize("name", ["newton_roots", "upwind", "running_total"])
def test_programs_are_equal_to_numpy_at_two_sizes(name: str) -> None:
    program = PROGRAMS[name]
    compiled = raising.jit(**QUICK)(program.function)
    for size in program.sizes:
        assert difference(program, compiled, size) == ""
    assert difference(program, lambda *arguments: None, program.sizes[0])  # it tells


def test_arrays_of_truth_values() -> None:
    def masked(m, x):  # type: ignore[no-untyped-def]
        n = m & ~np.isnan(x)
        m[:] = ~m ^ n ^ (x > 0)
        return np.where(n, x, 0), n, np.any(n)

    compiled = raising.jit(**QUICK)(masked)
    for size in (7, 1, 0):
        x = np.array([1.0, np.nan, -2.0, 0.5, np.nan, 3.0, -0.0])[:size]
        m = np.arange(7)[:size] % 3 > 0
        own = m.copy()
        for found, expected in zip(compiled(m, x), masked(own, x), strict=True):
            np.testing.assert_array_equal(found, expected, strict=True)
        np.testing.assert_array_equal(m, own)
