"""Recurrences with a multiply-add on the way to the next iteration give what they gave, up to its one rounding."""

from functools import partial

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.running import isolated

SUMS = {"add": "arith.addf %p, %t", "add behind": "arith.addf %t, %p", "sub": "arith.subf %p, %t",
        "sub behind": "arith.subf %t, %p"}  # fmt: skip


def _program(form: str, element: str) -> str:
    """y[i] = |sum| of carried * w and x[i] * v, in one of the forms: others run on vectors."""
    array = f"memref<?x{element}>"
    return f"""func.func @f(%x: {array}, %y: {array}, %w: {element}, %v: {element}) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %begin = arith.constant 1.0 : {element}
  %n = memref.dim %x, %zero : {array}
  %r = scf.for %i = %zero to %n step %one iter_args(%e = %begin) -> ({element}) {{
    %a = memref.load %x[%i] : {array}
    %t = arith.mulf %a, %v : {element}
    %p = arith.mulf %w, %e : {element}
    %s = {SUMS[form]} : {element}
    %o = math.absf %s : {element}
    memref.store %o, %y[%i] : {array}
    scf.yield %o : {element}
  }}
  return
}}"""


@pytest.mark.parametrize("fp", ["strict", "reassoc", "fast"])
@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("form", SUMS)
def test_recurrences(form: str, element: str, fp: str) -> None:
    isolated(partial(_agrees, form, element, fp))


def _agrees(form: str, element: str, fp: str) -> None:
    compiled = compile_module(_program(form, element), fp=fp)
    kind = np.float32 if element == "f32" else np.float64
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 3, 17, 100):
        x, y = rng.standard_normal(n).astype(kind), np.empty(n, kind)
        compiled(x, y, kind(0.9), kind(0.1))
        carried, wanted = kind(1), []
        for each in x:
            product, term = kind(kind(0.9) * carried), kind(kind(0.1) * each)
            sums = {"add": product + term, "add behind": term + product, "sub": product - term,
                    "sub behind": term - product}  # fmt: skip
            carried = abs(kind(sums[form]))
            wanted.append(carried)
        if fp == "strict":
            assert np.array_equal(y, np.array(wanted, kind)), n
        else:
            assert np.allclose(y, wanted, rtol=1e-5, atol=1e-6), n


@pytest.mark.parametrize("form", SUMS)
def test_the_next_iteration_waits_for_one_operation(form: str) -> None:
    def fused(**settings: str) -> int:
        return build(_program(form, "f64").encode(), "f", CompileOptions(**settings)).mlir.count("math.fma")

    assert fused(cpu="x86-64-v3") == 1
    assert fused(cpu="x86-64-v3", fp="strict") == 0
    assert fused(cpu="x86-64") == 0
