"""Kernels with a loop that has to run in sequence, for StableHLO: whole functions with `stablehlo.while`."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from raising.pipeline import RaiseResult, raise_module
from tests.kernels import arguments, kernel, small, symbol
from tests.raising.test_stablehlo import HAS_JAX, assert_equal, interpreted, on_xla, wanted

LOOPS = {  # how many stay
    "adi": 7,
    "cholesky": 1,
    "deriche": 4,
    "durbin": 1,
    "fdtd-2d": 1,
    "floyd-warshall": 1,
    "gramschmidt": 1,
    "heat-3d": 1,
    "jacobi-1d": 1,
    "jacobi-2d": 1,
    "lu": 1,
    "ludcmp": 3,
    "nussinov": 3,
    "seidel-2d": 3,
    "trisolv": 1,
}


@cache
def _raised(name: str) -> RaiseResult:
    return raise_module(kernel(name, small(name)), target="stablehlo", check="field")


@pytest.mark.parametrize("name", LOOPS)
def test_it_is_a_whole_function_with_the_essential_loops_and_equal(name: str, tmp_path: Path) -> None:
    result = _raised(name)
    (report,) = result.functions
    assert (report.kept, report.sequential) == (0, LOOPS[name]), result.remarks
    assert result.text.count("stablehlo.while") == LOOPS[name]
    assert "memref" not in result.text and "scf." not in result.text
    given = [np.asarray(v) for v in arguments(name, small(name))]
    text = result.text.replace(f"@{symbol(name)}", "@kernel_x")
    assert_equal(interpreted(text, given), wanted(name, given))
    if HAS_JAX and name in ("lu", "deriche", "jacobi-2d"):
        assert_equal(on_xla(result.text, given, tmp_path), wanted(name, given))


def test_windows_of_a_stencil_are_slices() -> None:
    used = set(re.findall(r"stablehlo\.(\w+)", _raised("jacobi-2d").text))
    assert used == {"while", "compare", "return", "constant", "slice", "add", "multiply", "dynamic_update_slice"}


def test_what_depends_on_the_loop_is_masked_or_sliced_at_a_computed_place() -> None:
    text = _raised("lu").text
    assert text.count("stablehlo.dot_general") == 2
    assert "stablehlo.dynamic_slice" in text and "stablehlo.select" in text
