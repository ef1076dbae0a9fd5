"""Elements of bf16 are computed with in f32 and rounded back, to even, on every processor."""

from typing import Any

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.running import called

SUM = """func.func @f(%a: memref<?xbf16>, %b: memref<?xf32>, %wide: memref<?xf32>) {
  affine.for %i = 0 to 37 {
    %x = affine.load %a[%i] : memref<?xbf16>
    %y = affine.load %b[%i] : memref<?xf32>
    %t = arith.truncf %y : f32 to bf16
    %s = arith.addf %x, %t : bf16
    %w = arith.extf %s : bf16 to f32
    affine.store %s, %a[%i] : memref<?xbf16>
    affine.store %w, %wide[%i] : memref<?xf32>
  }
  return
}"""


def rounded(x: Any) -> Any:
    """The upper halves of floats, to which they round; of a NaN, one that is quiet."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    near = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FC0), near)


def widened(bits: Any) -> Any:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def test_sums_are_rounded_to_even() -> None:
    random = np.random.default_rng(3)
    b = random.standard_normal(37).astype(np.float32)
    b[:9] = [np.nan, np.inf, -np.inf, -0.0, 1e-40, 3.4e38, -3.4e38, 1.0 + 2**-8, 1.0 + 3 * 2**-8]
    a = rounded(random.standard_normal(37).astype(np.float32))
    a[7:9] = 0
    with np.errstate(all="ignore"):
        wanted = rounded(widened(a) + widened(rounded(b)))
    own, _, wide = called(SUM, [a, b, np.zeros(37, np.float32)])
    numbers = ~np.isnan(widened(wanted))
    assert np.array_equal(own[numbers], wanted[numbers])
    np.testing.assert_array_equal(wide, widened(own))
    assert np.isnan(widened(own)[~numbers]).all()


@pytest.mark.parametrize("cpu", ["x86-64-v2", "x86-64-v3", "x86-64-v4"])
def test_no_library_of_a_compiler_is_called(cpu: str) -> None:
    assert "__trunc" not in build(SUM.encode(), "-", CompileOptions(cpu=cpu)).code.assembly


WIDE = """func.func @f(%a: memref<?xf64>, %o: memref<?xKIND>, %b: memref<?xf64>) {
  affine.for %i = 0 to 12 {
    %x = affine.load %a[%i] : memref<?xf64>
    %t = arith.truncf %x : f64 to KIND
    %w = arith.extf %t : KIND to f64
    %s = math.fma %t, %t, %t : KIND
    affine.store %s, %o[%i] : memref<?xKIND>
    affine.store %w, %b[%i] : memref<?xf64>
  }
  return
}"""


@pytest.mark.parametrize(("element", "digits"), [("f16", 11), ("bf16", 8)])
def test_numbers_of_64_bits_are_rounded_once(element: str, digits: int) -> None:
    """The library's functions were missing, or the code refused; by way of f32 a tie would be rounded twice."""
    tie, little = 1 + 2.0**-digits, 2.0**-40
    a = np.array(
        [tie, tie + little, tie - little, 3 * tie, -tie - little, 0.0, -0.0, 1e-300, np.inf, -np.inf, 1e300, 5]
    )
    up = 1 + 2.0 ** (1 - digits)
    wanted = [1, up, 1, 3 + 2.0 ** (2 - digits), -up, 0.0, -0.0, 0, np.inf, -np.inf, np.inf, 5]
    near = np.zeros(12, np.float16 if element == "f16" else np.uint16)
    _, fused, back = called(WIDE.replace("KIND", element), [a, near, np.zeros(12)])
    np.testing.assert_array_equal(back, wanted)
    numbers = fused.astype(float) if element == "f16" else widened(fused)
    assert numbers[0] == 2 and numbers[-1] == 30


def test_the_type_that_packages_define_for_numpy_is_taken() -> None:
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    text = """func.func @twice(%a: tensor<4xbf16>) -> tensor<4xbf16> {
      %b = arith.addf %a, %a : tensor<4xbf16>
      return %b : tensor<4xbf16>
    }"""
    twice = compile_module(text)["twice"]
    found = twice(np.array([1, 2.5, -3, 0], bfloat16))
    assert found.dtype == bfloat16
    assert found.tolist() == [2, 5, -6, 0]
    assert twice(np.array([0x3F80] * 4, np.uint16)).tolist() == [0x4000] * 4
