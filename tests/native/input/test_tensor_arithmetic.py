"""Operations of `arith` and `math` on whole tensors, as mlir-opt and front ends print them."""

import numpy as np

from raising import compile as compile_module

TEXT = """
func.func @f(%a: tensor<37xf32>, %b: tensor<37xf32>, %c: tensor<f32>) -> (tensor<37xf32>, tensor<f32>) {
  %s = arith.addf %a, %b : tensor<37xf32>
  %p = arith.cmpf olt, %s, %b : tensor<37xf32>
  %m = arith.select %p, %s, %b : tensor<37xi1>, tensor<37xf32>
  %r = math.absf %m : tensor<37xf32>
  %d = arith.addf %c, %c : tensor<f32>
  return %r, %d : tensor<37xf32>, tensor<f32>
}
"""


def test_it_is_done_element_by_element() -> None:
    dice = np.random.default_rng(0)
    a, b = (dice.standard_normal(37).astype(np.float32) for _ in range(2))
    c = np.array(1.5, np.float32)
    found, twice = compile_module(TEXT)(a, b, c)
    assert np.array_equal(found, np.abs(np.minimum(a + b, b))) and twice == 3.0
