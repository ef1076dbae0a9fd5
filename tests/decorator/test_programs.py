"""The set of programs under the decorator: all are right in NumPy; a few that compile quickly are compared."""

from __future__ import annotations

import warnings

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
