"""`--target stablehlo`: pure functions that the verifier, the interpreter and XLA accept, equal to the loops."""

from __future__ import annotations

import atexit
import importlib.util
import select
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raising.grammar.dialects.host import Host, imported
from raising.grammar.dialects.target_dialect import read_target
from raising.pipeline import RaiseResult, raise_module
from tests.kernels import ISSUE_KERNELS, arguments, kernel, small
from tests.oracles import expected

HAS_JAX = importlib.util.find_spec("jax") is not None
OTHERS = ("correlation", "symm", "syr2k", "trmm")
NATURAL = {  # kernel: (operation, how often); what the algebra of the kernel asks for
    "2mm": ("dot_general", 2),
    "3mm": ("dot_general", 3),
    "atax": ("dot_general", 2),
    "bicg": ("dot_general", 2),
    "covariance": ("dot_general", 1),
    "doitgen": ("dot_general", 1),
    "gemm": ("dot_general", 1),
    "gemver": ("dot_general", 2),
    "gesummv": ("dot_general", 2),
    "mvt": ("dot_general", 2),
    "syrk": ("dot_general", 1),
}


def raised(name: str, large: bool = False) -> RaiseResult:
    text = kernel(name, None if large else small(name))
    return raise_module(text, file=f"{name}.mlir", target="stablehlo", check="field")


def inputs(name: str) -> list[np.ndarray]:
    return [np.asarray(v) for v in arguments(name, small(name))]


def interpreted(text: str, given: list[np.ndarray]) -> list[np.ndarray]:
    """What StableHLO's own interpreter makes of a module with one function."""
    host = Host(read_target("stablehlo"))
    ir: Any = host.ir
    with host.context, ir.Location.unknown():
        module = ir.Module.parse(text.replace("@kernel_", "@main_kernel_", 1))
        function = module.body.operations[0]
        function.attributes["sym_name"] = ir.StringAttr.get("main")
        evaluate = imported("jaxlib.mlir.dialects.stablehlo:eval_module")
        results = evaluate(module, [ir.DenseElementsAttr.get(np.array(v, order="C")) for v in given])
        return [np.array(ir.DenseFPElementsAttr(r)).reshape(r.type.shape) for r in results]


def on_xla(text: str, given: list[np.ndarray], folder: Path) -> list[np.ndarray]:
    """What XLA makes of a module with one function on the CPU."""
    module, arguments, results = folder / "module.mlir", folder / "inputs.npz", folder / "outputs.npz"
    module.write_text(text)
    np.savez(arguments, **{f"a{k}": v for k, v in enumerate(given)})
    worker = _xla_worker()
    assert worker.stdin is not None and worker.stdout is not None
    worker.stdin.write("\t".join(map(str, (module, arguments, results))) + "\n")
    worker.stdin.flush()
    ready, _, _ = select.select([worker.stdout], [], [], 120)
    said = worker.stdout.readline().strip() if ready else "no answer in 120 s"
    if said != "done":
        worker.kill()
        _xla_worker.cache_clear()
    assert said == "done", said or f"ended with {worker.wait()}"
    with np.load(results) as found:
        return [found[f"r{k}"] for k in range(len(found.files))]


@cache
def _xla_worker() -> subprocess.Popen[str]:
    """The process that runs XLA for all tests of this one; it ends when its input does."""
    command = [sys.executable, "-m", "tests.raising.targets.xla_worker"]
    pipe = subprocess.PIPE
    worker = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
    atexit.register(worker.kill)
    return worker


def wanted(name: str, given: list[np.ndarray]) -> list[np.ndarray]:
    final = expected(name, [v if v.ndim else float(v) for v in given])
    return [np.asarray(v) for v in final if v is not None]


def assert_equal(got: list[np.ndarray], want: list[np.ndarray]) -> None:
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", [*ISSUE_KERNELS, *OTHERS])
def test_kernel_is_equal_in_the_interpreter_and_on_xla(name: str, tmp_path: Path) -> None:
    result = raised(name)
    assert result.complete, result.remarks
    given = inputs(name)
    assert_equal(interpreted(result.text, given), wanted(name, given))
    if not HAS_JAX:
        pytest.skip("jax, of the development extra, runs StableHLO on XLA")
    assert_equal(on_xla(result.text, given, tmp_path), wanted(name, given))


@pytest.mark.parametrize("name", ISSUE_KERNELS)
def test_kernel_has_its_natural_form(name: str) -> None:
    result = raised(name, large=True)
    assert "affine.for" not in result.text
    operation, times = NATURAL[name]
    assert result.text.count(f"stablehlo.{operation} ") == times


def test_doitgen_computes_nothing_but_one_contraction() -> None:
    text = raised("doitgen", large=True).text
    used = {line.split("stablehlo.")[1].split(" ")[0] for line in text.splitlines() if "stablehlo." in line}
    assert used == {"dot_general", "slice", "reshape"}


def test_a_function_with_a_loop_that_cannot_be_read_is_kept_whole() -> None:
    text = """func.func @f(%x: memref<9xf64>, %y: memref<9xindex>) {
      affine.for %i = 0 to 9 {
        %k = affine.load %y[%i] : memref<9xindex>
        %a = memref.load %x[%k] : memref<9xf64>
        affine.store %a, %x[%i] : memref<9xf64>
      }
      return
    }"""
    result = raise_module(text, target="stablehlo")
    assert not result.complete and "affine.for" in result.text
    assert any("whole function" in r.why for r in result.remarks)


def test_a_constant_is_stored_in_each_iteration_of_a_loop_that_stays() -> None:
    text = """func.func @f(%x: memref<5x5xf64>) {
      %c = arith.constant 3.0 : f64
      affine.for %i = 1 to 5 {
        affine.for %j = 0 to 5 {
          %a = affine.load %x[%i - 1, %j] : memref<5x5xf64>
          %b = arith.mulf %a, %a : f64
          affine.store %b, %x[%i, %j] : memref<5x5xf64>
        }
        affine.store %c, %x[%i, %i] : memref<5x5xf64>
      }
      return
    }"""
    result = raise_module(text, target="stablehlo", check="field")
    given = np.linspace(-1.0, 1.0, 25).reshape(5, 5)
    want = given.copy()
    for i in range(1, 5):
        want[i] = want[i - 1] ** 2
        want[i, i] = 3.0
    assert "stablehlo.while" in result.text, result.remarks
    assert_equal(interpreted(result.text, [given]), [want])


def test_attributes_of_other_dialects_on_the_module_do_not_stop_it() -> None:
    attributes = '{dlti.dl_spec = #dlti.dl_spec<i64 = dense<64> : vector<2xi64>>, llvm.x = "a"}'
    text = f"module attributes {attributes} {{\n{kernel('gemm', small('gemm'))}\n}}"
    result = raise_module(text, target="stablehlo")
    assert result.complete
    assert "stablehlo.dot_general " in result.text and "dlti.dl_spec" in result.text
