"""Kernels with a loop that has to run in sequence: only that loop stays, over tensors, and its body is raised."""

import re
from functools import cache
from pathlib import Path

import pytest

from raising.frontend.c import convert
from raising.pipeline import RaiseOptions, RaiseResult, raise_module
from raising.validate.base.verdict import level
from tests.kernels import SEQUENTIAL, arguments, kernel, symbol
from tests.oracles import mismatch
from tests.raising.algebra import kinds, loops, signatures
from tests.raising.running import execute, medium
from tests.validate.stock_lowering import lower_to_llvm

INPUTS = Path(__file__).parents[2] / "inputs" / "sequential"
FORMS: dict[str, tuple[int, dict[str, int]]] = {  # loops that stay, and what is in them
    "adi": (5, {"pointwise": 26}),  # time, and along either axis p with q, and the solution
    "cholesky": (1, {"contraction 1": 1, "contraction 2": 1, "pointwise": 2}),
    "deriche": (2, {"pointwise": 30}),  # along either axis, both directions at once
    "durbin": (1, {"contraction 1": 1, "pointwise": 2}),
    "fdtd-2d": (1, {"pointwise": 11}),
    "floyd-warshall": (1, {"pointwise": 4, "selection": 4}),
    "gramschmidt": (1, {"contraction 1": 1, "contraction 2": 1, "outer product": 1, "pointwise": 2, "selection": 1}),
    "heat-3d": (1, {"pointwise": 26}),
    "jacobi-1d": (1, {"pointwise": 6}),
    "jacobi-2d": (1, {"pointwise": 10}),
    "lu": (1, {"contraction 2": 2, "pointwise": 3}),  # the order of Crout
    "ludcmp": (2, {"contraction 1": 2, "contraction 2": 2, "pointwise": 3, "selection": 2}),
    "nussinov": (2, {"reduction": 1, "selection": 2}),
    "seidel-2d": (3, {}),
    "trisolv": (1, {"contraction 1": 1}),
}


@cache
def _raised(name: str, abi: str = "memref") -> RaiseResult:
    return raise_module(kernel(name, medium(name)), options=RaiseOptions(check="field", abi=abi))


@pytest.mark.parametrize("name", FORMS)
def test_only_the_essential_loops_stay(name: str) -> None:
    result = _raised(name)
    assert loops(result.text) == ["scf.for"] * FORMS[name][0]
    (report,) = result.functions
    assert (report.kept, report.sequential) == (0, FORMS[name][0])
    assert not result.complete
    assert kinds(result.text) == FORMS[name][1]


@pytest.mark.parametrize("name", FORMS)
def test_it_computes_what_the_oracle_says(name: str) -> None:
    before = arguments(name, medium(name))
    after = execute(_raised(name).text, symbol(name), before)
    assert not mismatch(name, before, after)


@pytest.mark.parametrize("name", ["jacobi-2d", "durbin", "lu"])
def test_on_tensors_no_memory_is_left(name: str) -> None:
    result = _raised(name, "tensor")
    assert "memref" not in result.text
    assert loops(result.text) == loops(_raised(name).text)


@pytest.mark.parametrize("name", ["lu", "seidel-2d", "adi"])
def test_mlir_opt_lowers_it(name: str) -> None:
    assert f"llvm.func @{symbol(name)}" in lower_to_llvm(_raised(name).text)


@pytest.mark.parametrize("name", ["recurrence", "seidel"])
def test_the_remark_stands_at_the_outermost_loop_and_says_what_is_carried(name: str) -> None:
    text = (INPUTS / f"{name}.mlir").read_text()
    result = raise_module(text, options=RaiseOptions(check="field"))
    (line,) = [k for k, row in enumerate(text.splitlines(), 1) if "// expect-remark" in row]
    remarks = [r for r in result.remarks if r.kind == "kept"]
    assert remarks[0].where.line == line
    assert "each iteration needs the one before it (in " in remarks[0].why
    assert re.search(r"read at -:\d+:\d+ was stored at -:\d+:\d+, 1 iteration before", remarks[0].why)
    assert signatures(result.text) == signatures(text)


def test_the_time_loop_of_a_sweep_is_interchanged_with_a_parallel_one() -> None:
    text = """func.func @f(%x: memref<9x12xf64>) {
      affine.for %i = 0 to 9 {
        affine.for %j = 1 to 12 {
          %a = affine.load %x[%i, %j - 1] : memref<9x12xf64>
          %b = affine.load %x[%i, %j] : memref<9x12xf64>
          %c = arith.mulf %a, %b : f64
          affine.store %c, %x[%i, %j] : memref<9x12xf64>
        }
      }
      return
    }"""
    result = raise_module(text)
    assert loops(result.text) == ["scf.for"]
    assert "linalg.mul ins" in result.text and "tensor<9xf64>" in result.text
    assert result.functions[0].verdict is not None


def test_every_kernel_is_listed() -> None:
    assert set(SEQUENTIAL) == set(FORMS)


def test_what_is_no_sum_stays_in_the_inner_loop_alone() -> None:
    text = """func.func @f(%y: memref<9xf64>, %x: memref<9xf64>, %c: memref<12xf64>) {
      affine.for %i = 0 to 9 {
        affine.for %k = 0 to 12 {
          %0 = affine.load %y[%i] : memref<9xf64>
          %1 = affine.load %x[%i] : memref<9xf64>
          %2 = arith.mulf %0, %1 : f64
          %3 = affine.load %c[%k] : memref<12xf64>
          %4 = arith.addf %2, %3 : f64
          affine.store %4, %y[%i] : memref<9xf64>
        }
      }
      return
    }"""
    result = raise_module(text)
    assert loops(result.text) == ["scf.for"] and result.functions[0].sequential == 1
    assert kinds(result.text) == {"pointwise": 2}
    assert any("1 iteration before" in r.why for r in result.remarks)


def test_values_that_move_on_are_read_before_their_memory_is_written() -> None:
    """A row becomes the row before the last one: upstream's bufferization takes that in one order only."""
    text = """func.func @f(%x: memref<9x7xf64>, %y: memref<9x7xf64>, %a: memref<7xf64>, %b: memref<7xf64>) {
      affine.for %i = 0 to 9 {
        affine.for %j = 0 to 7 {
          %0 = affine.load %x[%i, %j] : memref<9x7xf64>
          %1 = affine.load %a[%j] : memref<7xf64>
          %2 = affine.load %b[%j] : memref<7xf64>
          %3 = arith.mulf %1, %2 : f64
          %4 = arith.addf %0, %3 : f64
          affine.store %4, %y[%i, %j] : memref<9x7xf64>
          affine.store %1, %b[%j] : memref<7xf64>
          affine.store %4, %a[%j] : memref<7xf64>
        }
      }
      return
    }"""
    result = raise_module(text, check="proof")
    assert [level(f.verdict) for f in result.functions] == ["proved-all-sizes"], result.remarks
    assert lower_to_llvm(result.text)


def test_a_body_that_no_few_iterations_show_is_looked_at_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a body does too much for sizes at several places, no values were compared: all terms of a type were one."""
    text = """func.func @f(%x: memref<?xf64>, %y: memref<?xf64>, %a: f64, %n: index, %steps: index) {
      affine.for %t = 0 to %steps {
        affine.for %i = 0 to %n {
          %0 = affine.load %x[%i] : memref<?xf64>
          %1 = arith.mulf %0, %a : f64
          %2 = affine.load %y[%i] : memref<?xf64>
          %3 = arith.addf %1, %2 : f64
          affine.store %3, %x[%i] : memref<?xf64>
        }
        affine.for %i = 0 to %n {
          %0 = affine.load %x[%i] : memref<?xf64>
          %1 = affine.load %y[%i] : memref<?xf64>
          %2 = arith.subf %1, %0 : f64
          affine.store %2, %y[%i] : memref<?xf64>
        }
      }
      return
    }"""
    monkeypatch.setattr("raising.grammar.evaluate.size_vectors.FEW_INSTANCES", 3)
    result = raise_module(text, check="proof")
    assert [level(f.verdict) for f in result.functions] == ["proved-all-sizes"], result.remarks
    assert loops(result.text) == ["scf.for"] and result.functions[0].sequential == 1


CHAIN = """
static double a[40][40], p[41];
void chain(int n) {
  for (int i = 0; i < n; i++) a[i][i] = 0;
  for (int l = 1; l < n; l++)
    for (int i = 0; i + l < n; i++) {
      double best = 1e300;
      for (int k = i; k < i + l; k++) {
        double t = a[i][k] + a[k + 1][i + l] + p[i] * p[k + 1] * p[i + l + 1];
        if (t < best) best = t;
      }
      a[i][i + l] = best;
    }
}
"""


def test_a_sentinel_that_overflows_refutes_nothing() -> None:
    """Data that are 1e300, too, leave the floats behind: which of two infinities is the least, they do not tell."""
    result = raise_module(convert(CHAIN, "k.c").mlir, options=RaiseOptions(check="field"))
    assert loops(result.text) == ["scf.for"]
