"""Operations on elements that read what they write into, and that a sum takes in."""

import numpy as np
import pytest

import raising
from raising.validate.base.verdict import Proved, Refuted
from raising.validate.check import CheckOptions, check
from tests.native.running import isolated

HEAD = """
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#left = affine_map<(d0, d1, d2) -> (d2, d0)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @f(%a: tensor<4xf32>, %b: tensor<7xf32>, %y: tensor<4x5xf32>, %c: tensor<4x7xf32>) -> tensor<7x5xf32> {
"""
TAIL = """
  %e = tensor.empty() : tensor<7x5xf32>
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<7x5xf32>) -> tensor<7x5xf32>
  %2 = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%1, %y : tensor<4x7xf32>, tensor<4x5xf32>) outs(%i : tensor<7x5xf32>) {
  ^bb0(%x: f32, %z: f32, %o: f32):
    %p = arith.mulf %x, %z : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<7x5xf32>
  return %2 : tensor<7x5xf32>
}"""
INTO = """  %1 = linalg.generic {indexing_maps = [#row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4xf32>, tensor<7xf32>) outs(%c : tensor<4x7xf32>) {
  ^bb0(%x: f32, %z: f32, %o: f32):
    %p = arith.mulf %x, %z : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x7xf32>"""
APART = """  %n = tensor.empty() : tensor<4x7xf32>
  %1 = linalg.generic {indexing_maps = [#row, #column, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %c : tensor<4xf32>, tensor<7xf32>, tensor<4x7xf32>) outs(%n : tensor<4x7xf32>) {
  ^bb0(%x: f32, %z: f32, %w: f32, %o: f32):
    %p = arith.mulf %x, %z : f32
    %s = arith.SIGNf %w, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x7xf32>"""


@pytest.mark.parametrize("fp", ["strict", "reassoc"])
def test_each_element_is_added_to_once(fp: str) -> None:
    dice = np.random.default_rng(0)
    a, b, y, c = (dice.standard_normal(shape).astype(np.float32) for shape in ((4,), (7,), (4, 5), (4, 7)))
    found = isolated(lambda: raising.compile(HEAD + INTO + TAIL, fp=fp)(a, b, y, c.copy()))
    np.testing.assert_allclose(found, (np.outer(a, b) + c).T @ y, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("sign", "verdict"), [("add", Proved), ("sub", Refuted)])
def test_what_is_compared_adds_each_element_once(sign: str, verdict: type) -> None:
    found = check(HEAD + INTO + TAIL, HEAD + APART.replace("SIGN", sign) + TAIL, CheckOptions(functions=("f", "f")))
    assert isinstance(found, verdict), found
