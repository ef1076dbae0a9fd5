"""The set of programs under the decorator: all are right in NumPy; a few that compile quickly are compared."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from importlib.util import find_spec

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


FORMS = """
from tests.bench.programs.compare import PROGRAMS, difference
from tests.bench.programs.jax_form import jax_form
for name in ("crc16", "life", "mandelbrot", "seidel_2d", "tridiagonal"):
    program = PROGRAMS[name]
    size = program.sizes[0]
    print(name, difference(program, jax_form(program, program.arguments(size)), size))
"""


@pytest.mark.skipif(find_spec("jax") is None, reason="JAX is not installed")
def test_programs_in_jax_are_equal_to_numpy() -> None:
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1"}
    command = [sys.executable, "-c", FORMS]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert run.stdout.split() == ["crc16", "life", "mandelbrot", "seidel_2d", "tridiagonal"], run.stderr


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
