"""Operations of linalg that are taken apart before they are placed in memory."""

import numpy as np
import pytest

import raising
from raising.native.base.unsupported import CompileError

SOFTMAX = """
func.func @f(%a: tensor<?x?xf32>, %room: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.softmax dimension(1) ins(%a : tensor<?x?xf32>) outs(%room : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""

PACK = """
func.func @f(%a: tensor<7x9xf32>) -> (tensor<2x3x4x3xf32>, tensor<7x9xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x4x3xf32>
  %p = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 3] into %e
    : tensor<7x9xf32> -> tensor<2x3x4x3xf32>
  %u = tensor.empty() : tensor<7x9xf32>
  %q = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [4, 3] into %u
    : tensor<2x3x4x3xf32> -> tensor<7x9xf32>
  return %p, %q : tensor<2x3x4x3xf32>, tensor<7x9xf32>
}
"""

FORALL = """
func.func @f(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<8x4xf32>) {
    %k = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %s = tensor.extract_slice %a[%k, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
    %t = tensor.extract_slice %o[%k, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
    %y = linalg.square ins(%s : tensor<2x4xf32>) outs(%t : tensor<2x4xf32>) -> tensor<2x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%k, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<8x4xf32>
    }
  }
  return %r : tensor<8x4xf32>
}
"""


@pytest.mark.parametrize("shape", [(5, 9), (1, 1), (0, 3)])
def test_softmax_of_any_shape(shape):
    a, out = np.random.default_rng(0).standard_normal(shape).astype(np.float32), np.empty(shape, np.float32)
    raising.compile(SOFTMAX)(a, np.empty_like(a), out=[out])
    e = np.exp(a - a.max(1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=1e-5)


def test_tensors_are_packed_with_padding_and_unpacked():
    a = np.random.default_rng(0).standard_normal((7, 9)).astype(np.float32)
    packed, again = raising.compile(PACK)(a)
    np.testing.assert_array_equal(packed, np.pad(a, ((0, 1), (0, 0))).reshape(2, 4, 3, 3).transpose(0, 2, 1, 3))
    np.testing.assert_array_equal(again, a)


def test_a_loop_whose_iterations_share_a_tensor():
    a = np.random.default_rng(0).standard_normal((8, 4)).astype(np.float32)
    np.testing.assert_array_equal(raising.compile(FORALL)(a), a * a)


def test_a_tensor_with_an_encoding_is_no_plain_array():
    kind = 'tensor<3xf32, {layout = "other"}>'
    with pytest.raises(CompileError, match="is not a plain row-major array"):
        raising.compile(f"func.func @f(%a: {kind}) -> {kind} {{ return %a : {kind} }}")
