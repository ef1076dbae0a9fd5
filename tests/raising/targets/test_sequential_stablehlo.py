"""Kernels with a loop that has to run in sequence, for StableHLO: whole functions with `stablehlo.while`."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseResult, raise_module
from raising.validate.base.verdict import Proved
from raising.validate.check import CheckOptions, check
from tests.kernels import arguments, kernel, small, symbol
from tests.raising.targets.test_stablehlo import HAS_JAX, assert_equal, interpreted, on_xla, wanted

KERNELS = Path(__file__).parents[3] / "polybench" / "kernels"
FROM_C = {  # loops that stay, at small sizes
    "nussinov": ("N=20", 3),  # bytes beside integers
    "deriche": ("W=12 H=10", 2),  # carried values that move on
}
CALLS = {"cholesky": {"cholesky": 1}, "ludcmp": {"triangular_solve": 2}, "trisolv": {"triangular_solve": 1}}
LOOPS = {  # how many stay
    "adi": 5,
    "cholesky": 0,
    "deriche": 2,
    "durbin": 1,
    "fdtd-2d": 1,
    "floyd-warshall": 1,
    "gramschmidt": 1,
    "heat-3d": 1,
    "jacobi-1d": 1,
    "jacobi-2d": 1,
    "lu": 1,
    "ludcmp": 1,
    "nussinov": 3,
    "seidel-2d": 3,
    "trisolv": 0,
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
    if name != "cholesky":  # which the interpreter does not know
        assert_equal(interpreted(text, given), wanted(name, given))
    if HAS_JAX and name in ("lu", "deriche", "jacobi-2d", *CALLS):
        assert_equal(on_xla(result.text, given, tmp_path), wanted(name, given))


@pytest.mark.parametrize("name", FROM_C)
def test_the_same_from_c(name: str) -> None:
    sizes, loops = FROM_C[name]
    defines = tuple(sizes.split())
    loaded = convert((KERNELS / f"{name}.c").read_text(), f"{name}.c", COptions(defines=defines)).mlir
    result = raise_module(loaded, target="stablehlo", check="field")
    (report,) = result.functions
    assert (report.kept, report.sequential) == (0, loops), result.remarks
    if name == "deriche":  # a maximum of integers that is carried is proved nowhere
        verdict = check(loaded, result.text, CheckOptions(level="proved-all-sizes"))
        assert isinstance(verdict, Proved), verdict


@pytest.mark.parametrize("name", CALLS)
def test_factorisations_and_solves_are_operations_of_the_target(name: str) -> None:
    text = _raised(name).text
    assert {op: text.count(f"stablehlo.{op}") for op in ("cholesky", "triangular_solve") if op in text} == CALLS[name]
    verdict = check(kernel(name, small(name)), text, CheckOptions(level="proved-all-sizes"))
    assert name == "ludcmp" or isinstance(verdict, Proved), verdict


SOLVE = """func.func @f(%u: memref<7x7x{e}>, %x: memref<7x5x{e}>) {{
  affine.for %t = 0 to 7 {{
    affine.for %j = 0 to 5 {{
      affine.for %k = affine_map<(t) -> (7 - t)>(%t) to 7 {{
        %a = affine.load %u[%k, 6 - %t] : memref<7x7x{e}>
        %b = affine.load %x[%k, %j] : memref<7x5x{e}>
        %ab = arith.mulf %a, %b : {e}
        %c = affine.load %x[6 - %t, %j] : memref<7x5x{e}>
        %d = arith.subf %c, %ab : {e}
        affine.store %d, %x[6 - %t, %j] : memref<7x5x{e}>
      }}
      %p = affine.load %u[{p}, {p}] : memref<7x7x{e}>
      %q = affine.load %x[6 - %t, %j] : memref<7x5x{e}>
      %r = arith.divf %q, %p : {e}
      affine.store %r, %x[6 - %t, %j] : memref<7x5x{e}>
    }}
  }}
  return
}}"""


@pytest.mark.parametrize("element", ["f64", "f32"])
def test_a_solve_of_many_columns_with_a_transposed_triangle(element: str) -> None:
    result = raise_module(SOLVE.format(e=element, p="6 - %t"), target="stablehlo", check="field")
    assert result.complete and result.text.count("stablehlo.triangular_solve") == 1
    rng = np.random.default_rng(3)
    u, x = (rng.uniform(0.5, 1.5, s).astype(element.replace("f", "float")) for s in ((7, 7), (7, 5)))
    (got,) = interpreted(result.text.replace("@f(", "@kernel_f("), [u, x])
    np.testing.assert_allclose(np.tril(u).T @ got, x, rtol=1e-3)


def test_what_is_almost_a_solve_stays_a_loop() -> None:
    result = raise_module(SOLVE.format(e="f64", p="%t"), target="stablehlo", check="field")
    assert not result.complete and "triangular_solve" not in result.text
    assert any("no stablehlo.cholesky or stablehlo.triangular_solve computes it" in r.why for r in result.remarks)


def test_windows_of_a_stencil_are_slices() -> None:
    used = set(re.findall(r"stablehlo\.(\w+)", _raised("jacobi-2d").text))
    assert used == {"while", "compare", "return", "constant", "slice", "add", "multiply", "dynamic_update_slice"}


def test_what_depends_on_the_loop_is_masked_or_sliced_at_a_computed_place() -> None:
    text = _raised("lu").text
    assert text.count("stablehlo.dot_general") == 2
    assert "stablehlo.dynamic_slice" in text and "stablehlo.select" in text
