"""What is written for NumPy: its text for what people know, and its values for what is easily wrong."""

import warnings
from typing import Any

import numpy as np
import pytest

from raising.frontend.c import convert
from raising.pipeline import raise_module
from raising.readable.to_source import to_source
from raising.support.mlir.predicates import ORDER
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
    text = "func.func @f(%x: memref<8xf64>, %y: memref<8xf64>) {\nlinalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>)"
    text += " outs(%y : memref<8xf64>)\nreturn\n}"
    assert to_source(text, "numpy", {}).refused == {"f": "an operation that writes to memory"}


def elementwise(operation: str, kinds: str, *arguments: np.ndarray) -> np.ndarray:
    """One operation on tensors of `kinds` elements and a result type, as `f64, f64 -> i1`."""
    size = arguments[0].size
    given, _, result = kinds.partition(" -> ")
    types = [f"tensor<{size}x{k}>" for k in given.split(", ")]
    operands = ", ".join(f"%x{k}" for k in range(len(types)))
    to = "" if result in given or "cmp" in operation else f" to tensor<{size}x{result}>"
    parameters = ", ".join(f"%x{k}: {t}" for k, t in enumerate(types))
    shown = ", ".join(types if "fpowi" in operation else types[:1])
    body = f"%r = {operation} {operands} : {shown}{to}\nreturn %r : tensor<{size}x{result}>"
    return ran(f"func.func @f({parameters}) -> tensor<{size}x{result}> {{\n{body}\n}}", *arguments)[-1]


@pytest.mark.parametrize("order", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("mark", ["o", "u"])
def test_comparisons_of_floats_with_equal_ones_and_with_nan(mark: str, order: str) -> None:
    x, y = (m.ravel() for m in np.meshgrid([-1.0, 0.0, 2.0, np.inf, np.nan], [-1.0, 0.0, 2.0, np.nan]))
    want = np.where(np.isnan(x) | np.isnan(y), mark == "u", ORDER[order](x, y))
    assert (elementwise(f"arith.cmpf {mark}{order},", "f64, f64 -> i1", x, y) == want).all()


def test_halves_are_rounded_away_from_zero_and_nothing_else_is() -> None:
    below, large = np.nextafter(0.5, 0), 2.0**52 + 1
    x = np.array([0.5, below, 1.5, 2.5, 0.25, 0.0, large, np.inf, np.nan])
    want = np.array([1.0, 0.0, 2.0, 3.0, 0.0, 0.0, large, np.inf, np.nan])
    found = elementwise("math.round", "f64 -> f64", np.concatenate([x, -x]))
    both = np.concatenate([want, -want])
    assert np.array_equal(found, both, equal_nan=True)
    assert (np.signbit(found) == np.signbit(both))[~np.isnan(both)].all()


def test_quotients_of_the_least_and_of_the_largest_integer() -> None:
    a, b = np.array([-(2**31), -(2**31), -7, 7], np.int32), np.array([2, 3, 2, -2], np.int32)
    assert elementwise("arith.divsi", "i32, i32 -> i32", a, b).tolist() == [-(2**30), -715827882, -3, -3]
    c, d = np.array([2**32 - 1, 5, 4, 0], np.uint32), np.array([2, 2, 2, 3], np.uint32)
    assert elementwise("arith.ceildivui", "i32, i32 -> i32", c, d).view(np.uint32).tolist() == [2**31, 3, 2, 0]


def test_quotients_of_the_least_integer_rounded_up() -> None:
    a, b = np.array([-(2**31), 7, -7], np.int32), np.array([2, 2, 2], np.int32)
    assert elementwise("arith.ceildivsi", "i32, i32 -> i32", a, b).tolist() == [-(2**30), 4, -3]


def test_powers_by_integers_keep_their_type() -> None:
    found = elementwise("math.fpowi", "f32, i32 -> f32", np.array([2, 3], np.float32), np.array([3, -1], np.int32))
    assert found.dtype == np.float32 and np.allclose(found, [8, 1 / 3])
    with pytest.raises(AssertionError, match="exponent may be negative"):
        elementwise("math.ipowi", "i32, i32 -> i32", *[np.ones(1, np.int32)] * 2)


def test_a_truth_value_with_a_sign_is_zero_or_minus_one() -> None:
    found = elementwise("arith.sitofp", "i1 -> f64", np.array([False, True]))
    assert found.tolist() == [0.0, -1.0] and not np.signbit(found[0])
    assert elementwise("arith.index_cast", "i1 -> index", np.array([False, True])).tolist() == [0, -1]
    assert elementwise("arith.index_cast", "index -> i1", np.array([1, 2])).tolist() == [True, False]


def scalar(operation: str, kinds: str, *arguments: int) -> int:
    """One operation on numbers of Python."""
    given, _, result = kinds.partition(" -> ")
    parameters = ", ".join(f"%x{k}: {given}" for k in range(len(arguments)))
    operands = ", ".join(f"%x{k}" for k in range(len(arguments)))
    to = "" if result in (given, "i1") else f" to {result}"
    body = f"%r = {operation} {operands} : {given}{to}\nreturn %r : {result}"
    text = f"func.func @f({parameters}) -> {result} {{\n{body}\n}}"
    space: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(to_source(text, "numpy", {}).text, "f", "exec"), space)  # the text that is tested
        return int(space["f"](*arguments))


def test_numbers_of_python_wrap_around_as_integers_of_64_bits() -> None:
    assert scalar("arith.addi", "i64 -> i64", 2**63 - 1, 1) == -(2**63)
    assert scalar("arith.muli", "i64 -> i64", 2**62, 6) == -(2**63)
    assert scalar("arith.shli", "i64 -> i64", 3, 63) == -(2**63)
    assert scalar("arith.cmpi ult,", "i64 -> i1", 1, -1) == 1
    assert scalar("arith.index_cast", "index -> i8", 300) == 44
    with pytest.raises(OverflowError):
        scalar("arith.index_cast", "index -> i32", 2**31)


def test_truth_values_are_integers_of_one_bit() -> None:
    assert elementwise("arith.trunci", "i32 -> i1", np.array([0, 1, 2, 3, -2], np.int32)).tolist() == [0, 1, 0, 1, 0]
    x, y = np.array([False, False, True, True]), np.array([False, True, False, True])
    for op in ("addi", "subi"):
        assert (elementwise(f"arith.{op}", "i1, i1 -> i1", x, y) == x ^ y).all()
    with pytest.raises(AssertionError, match="read with a sign"):
        elementwise("arith.maxsi", "i1, i1 -> i1", x, y)


FOLD = """
#map = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
func.func @f(%x: tensor<?x{kind}>, %s: tensor<{kind}>) -> tensor<{kind}> {{
  %r = linalg.generic {{indexing_maps = [#map, #none], iterator_types = ["reduction"]}}
      ins(%x : tensor<?x{kind}>) outs(%s : tensor<{kind}>) {{
  ^bb0(%a: {kind}, %b: {kind}):
    %t = arith.{op} %b, %a : {kind}
    linalg.yield %t : {kind}
  }} -> tensor<{kind}>
  return %r : tensor<{kind}>
}}
"""


@pytest.mark.parametrize("values", [[], [1.0, np.nan, 3.0], [np.nan], [-1.0, 2.0]])
@pytest.mark.parametrize("start", [2.0, np.nan])
def test_nan_is_left_out_of_an_extremum_as_fmax_does(values: list[float], start: float) -> None:
    for op, fold in (("maxnumf", np.fmax), ("minnumf", np.fmin)):
        found = ran(FOLD.format(kind="f64", op=op), np.array(values), np.array(start))[-1]
        assert np.array_equal(found, fold.reduce(np.array([start, *values])), equal_nan=True)


def test_a_sum_of_truth_values_is_their_parity() -> None:
    for bits in ([], [True], [True, True], [True, False, True, True]):
        assert ran(FOLD.format(kind="i1", op="addi"), np.array(bits, bool), np.array(False))[-1] == sum(bits) % 2
