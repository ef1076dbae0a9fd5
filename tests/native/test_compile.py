"""A module to machine code, called on NumPy arrays and from C."""

import numpy as np

import raising

GEMM = """
func.func @gemm(%alpha: f64, %A: tensor<?x?xf64>, %B: tensor<?x?xf64>, %C: memref<?x?xf64>) {
  %c = bufferization.to_tensor %C restrict writable : memref<?x?xf64> to tensor<?x?xf64>
  %r = linalg.matmul ins(%A, %B : tensor<?x?xf64>, tensor<?x?xf64>) outs(%c : tensor<?x?xf64>) -> tensor<?x?xf64>
  bufferization.materialize_in_destination %r in restrict writable %C : (tensor<?x?xf64>, memref<?x?xf64>) -> ()
  return
}
"""


def test_a_raised_gemm_is_called_on_arrays():
    gemm = raising.compile(GEMM)
    random = np.random.default_rng(0)
    a, b, c = random.random((5, 7)), random.random((7, 3)), random.random((5, 3))
    expected = c + a @ b
    assert gemm(1.0, a, b, c) is None
    np.testing.assert_allclose(c, expected, rtol=1e-14)
