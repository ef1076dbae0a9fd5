"""A temporary whose rows are used where they are made becomes one row."""

from functools import partial

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.guarded import guarded
from tests.native.running import isolated

IJ, ROW = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (i)>"
SOFTMAX = f"""func.func @f(%x: tensor<?x?xf64>, %yes: i1) -> tensor<?x?xf64> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf64>
  %m = tensor.dim %x, %c1 : tensor<?x?xf64>
  %low = arith.constant 0xFFF0000000000000 : f64
  %zero = arith.constant 0.0 : f64
  %row = tensor.empty(%n) : tensor<?xf64>
  %whole = tensor.empty(%n, %m) : tensor<?x?xf64>
  %l = linalg.fill ins(%low : f64) outs(%row : tensor<?xf64>) -> tensor<?xf64>
  %z = linalg.fill ins(%zero : f64) outs(%row : tensor<?xf64>) -> tensor<?xf64>
  %g = linalg.reduce ins(%x : tensor<?x?xf64>) outs(%l : tensor<?xf64>) dimensions = [1]
    (%a: f64, %b: f64) {{ %r = arith.maximumf %a, %b : f64 linalg.yield %r : f64 }}
  %h = arith.select %yes, %g, %z : tensor<?xf64>
  %e = linalg.generic {{indexing_maps = [{IJ}, {ROW}, {IJ}], iterator_types = ["parallel", "parallel"]}}
    ins(%x, %h : tensor<?x?xf64>, tensor<?xf64>) outs(%whole : tensor<?x?xf64>) {{
  ^bb0(%a: f64, %b: f64, %o: f64):
    %s = arith.subf %a, %b : f64
    %r = math.exp %s : f64
    linalg.yield %r : f64 }} -> tensor<?x?xf64>
  %s = linalg.reduce ins(%e : tensor<?x?xf64>) outs(%z : tensor<?xf64>) dimensions = [1]
    (%a: f64, %b: f64) {{ %r = arith.addf %a, %b : f64 linalg.yield %r : f64 }}
  %d = linalg.generic {{indexing_maps = [{IJ}, {ROW}, {IJ}], iterator_types = ["parallel", "parallel"]}}
    ins(%e, %s : tensor<?x?xf64>, tensor<?xf64>) outs(%whole : tensor<?x?xf64>) {{
  ^bb0(%a: f64, %b: f64, %o: f64):
    %r = arith.divf %a, %b : f64
    linalg.yield %r : f64 }} -> tensor<?x?xf64>
  return %d : tensor<?x?xf64>
}}"""


@pytest.mark.parametrize("threads", [1, 2])
def test_softmax_of_any_size(threads: int) -> None:
    isolated(partial(_softmax, threads))


def _softmax(threads: int) -> None:
    compiled = compile_module(SOFTMAX, threads=threads)
    for n, m in ((0, 3), (3, 0), (1, 1), (5, 3), (9, 4), (17, 65), (64, 131)):
        x = np.random.default_rng(0).standard_normal((n, m))
        for yes in (True, False):
            e = np.exp(x - (x.max(axis=1, keepdims=True) if yes and m else 0.0))
            out = guarded(np.zeros_like(x))
            compiled(guarded(x), yes, out=[out])
            np.testing.assert_allclose(out, e / e.sum(axis=1, keepdims=True), rtol=1e-12)


def test_its_temporaries_are_a_few_rows() -> None:
    text = build(SOFTMAX.encode(), "softmax.mlir", CompileOptions(cpu="x86-64-v3", threads=1)).mlir
    assert "memref<?xi8> to memref<8x?xf64>" in text and "memref<?xi8> to memref<?x?xf64>" not in text
