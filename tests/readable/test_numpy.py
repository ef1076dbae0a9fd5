"""What is written for NumPy: its text for what people know, and its values for what is easily wrong."""

import numpy as np
import pytest

from raising.frontend.c import convert
from raising.pipeline import raise_module
from raising.readable.to_source import to_source
from tests.readable.running import results

GEMM = """
void gemm(int n, int m, int k, float alpha, float beta, float C[n][m], float A[n][k], float B[k][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] *= beta;
      for (int l = 0; l < k; l++)
        C[i][j] += alpha * A[i][l] * B[l][j];
    }
}
"""


def written(body: str, parameters: str, c_parameters: str = "") -> str:
    """A module of one function `f`."""
    attributes = f" attributes {{c_parameters = {c_parameters}}}" if c_parameters else ""
    return f"func.func @f({parameters}){attributes} {{\n{body}\nreturn\n}}"


def ran(text: str, *arguments: np.ndarray | np.generic) -> list[np.ndarray]:
    """What the arguments hold afterwards."""
    source = to_source(text, "numpy", {"f": [f"x{k}" for k in range(len(arguments))]})
    assert not source.refused, source.refused
    return results(source, "f", list(arguments), "numpy")


def test_a_product_is_written_as_people_write_it() -> None:
    module = convert(GEMM, "gemm.c")
    result = raise_module(module.mlir, check="none")
    line = "    C[:] = beta * C + alpha * (A @ B)\n"
    assert result.to_source("numpy").endswith(f"def gemm(n, m, k, alpha, beta, C, A, B):\n{line}")
    assert "C = beta * C + alpha * (A @ B)\n    return C" in result.to_source("jax")
    with pytest.raises(ValueError, match="unknown language 'fortran'"):
        result.to_source("fortran")


SWAP = """
  %a = bufferization.to_tensor %x restrict writable : memref<?xf64> to tensor<?xf64>
  %b = bufferization.to_tensor %y restrict writable : memref<?xf64> to tensor<?xf64>
  bufferization.materialize_in_destination %b in restrict writable %x : (tensor<?xf64>, memref<?xf64>) -> ()
  bufferization.materialize_in_destination %a in restrict writable %y : (tensor<?xf64>, memref<?xf64>) -> ()
"""


def test_a_value_outlives_its_array() -> None:
    x, y = np.arange(3.0), np.arange(3.0) + 10
    first, second = ran(written(SWAP, "%x: memref<?xf64>, %y: memref<?xf64>"), x, y)
    assert (first == y).all() and (second == x).all()


SHIFT = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  %m = arith.subi %n, %c2 : index
  %s = arith.maxsi %m, %c0 : index
  %a = bufferization.to_tensor %x restrict writable : memref<?xf64> to tensor<?xf64>
  %p = tensor.extract_slice %a[0] [%s] [1] : tensor<?xf64> to tensor<?xf64>
  %q = tensor.insert_slice %p into %a[2] [%s] [1] : tensor<?xf64> into tensor<?xf64>
  bufferization.materialize_in_destination %q in restrict writable %x : (tensor<?xf64>, memref<?xf64>) -> ()
"""


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_a_slice_before_the_end_is_empty_where_there_is_nothing(n: int) -> None:
    x = np.arange(float(n))
    want = x.copy()
    want[2:] = x[: max(n - 2, 0)]
    assert (ran(written(SHIFT, "%x: memref<?xf64>"), x)[0] == want).all()


OLD_IN_A_LOOP = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = bufferization.to_tensor %x restrict writable : memref<4xf64> to tensor<4xf64>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> (tensor<4xf64>) {
    %k = arith.subi %c4, %i : index
    %m = arith.subi %k, %c1 : index
    %e = tensor.extract %a[%m] : tensor<4xf64>
    %u = tensor.insert %e into %t[%i] : tensor<4xf64>
    scf.yield %u : tensor<4xf64>
  }
  bufferization.materialize_in_destination %r in restrict writable %x : (tensor<4xf64>, memref<4xf64>) -> ()
"""


def test_a_loop_reads_what_was_there_before_it() -> None:
    assert ran(written(OLD_IN_A_LOOP, "%x: memref<4xf64>"), np.arange(4.0))[0].tolist() == [3.0, 2.0, 1.0, 0.0]


UNSIGNED = """
  %a = bufferization.to_tensor %x restrict writable : memref<?xi8> to tensor<?xi8>
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xi8>
  %e = tensor.empty(%n) : tensor<?xi8>
  %c3 = arith.constant -3 : i8
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%a : tensor<?xi8>) outs(%e : tensor<?xi8>) {
  ^bb0(%in: i8, %out: i8):
    %s = arith.addi %in, %c3 : i8
    %d = arith.divui %s, %in : i8
    linalg.yield %d : i8
  } -> tensor<?xi8>
  bufferization.materialize_in_destination %r in restrict writable %x : (tensor<?xi8>, memref<?xi8>) -> ()
"""


def test_bytes_wrap_around() -> None:
    given = np.array([1, 2, 3, 100, 200, 255], np.uint8)
    want = (given - np.uint8(3)) // given
    text = written(UNSIGNED, "%x: memref<?xi8>", '[["unsigned char *", "x"]]')
    assert ran(text, given)[0].tolist() == want.tolist()


FOLDED = """
  %a = bufferization.to_tensor %x restrict : memref<?xi32> to tensor<?xi32>
  %b = bufferization.to_tensor %y restrict writable : memref<i32> to tensor<i32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a : tensor<?xi32>) outs(%b : tensor<i32>) {
  ^bb0(%in: i32, %out: i32):
    %s = arith.xori %in, %out : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<i32>, memref<i32>) -> ()
"""


def test_a_fold_of_unsigned_numbers_into_a_signed_one() -> None:
    given = np.array([1, 3110434307, 2**31], np.uint32)
    text = written(FOLDED, "%x: memref<?xi32>, %y: memref<i32>", '[["unsigned *", "x"], ["int *", "y"]]')
    want = np.bitwise_xor.reduce(given).view(np.int32)
    assert ran(text, given, np.array(0, np.int32))[1] == want


WINDOWS = """
  %a = bufferization.to_tensor %x restrict : memref<?x9xi32> to tensor<?x9xi32>
  %b = bufferization.to_tensor %y restrict writable : memref<?x3x4xi32> to tensor<?x3x4xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1 * 2 + d2)>,
      affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : tensor<?x9xi32>) outs(%b : tensor<?x3x4xi32>) {
  ^bb0(%in: i32, %out: i32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i32
    %p = arith.muli %in, %out : i32
    %s = arith.addi %p, %k : i32
    linalg.yield %s : i32
  } -> tensor<?x3x4xi32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<?x3x4xi32>, memref<?x3x4xi32>) -> ()
"""


@pytest.mark.parametrize("n", [0, 1, 5])
def test_windows_that_overlap(n: int) -> None:
    x, y = np.arange(9 * n, dtype=np.int32).reshape(n, 9), np.arange(12 * n, dtype=np.int32).reshape(n, 3, 4)
    windows = np.lib.stride_tricks.sliding_window_view(x, 4, 1)[:, :6:2]
    want = windows * y + np.arange(3)[:, None]
    assert np.array_equal(ran(written(WINDOWS, "%x: memref<?x9xi32>, %y: memref<?x3x4xi32>"), x, y)[1], want)


def test_names_are_names_of_python() -> None:
    text = written("", "%a: f64, %b: f64, %c: f64, %d: f64")
    source = to_source(text, "numpy", {"f": ["lambda", "1x", "np", "a b; import os"]})
    assert "def f(lambda_2, x1x, np_2, a_b__import_os):" in source.text
    compile(source.text, "f", "exec")


def test_what_has_no_form_is_refused_with_its_reason() -> None:
    text = "func.func private @g(i32)\nfunc.func @f(%x: i32) {\ncall @g(%x) : (i32) -> ()\nreturn\n}"
    assert to_source(text, "numpy", {}).refused == {"f": "'func.call' has no form here"}
