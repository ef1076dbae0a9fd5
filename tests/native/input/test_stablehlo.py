"""StableHLO that its own passes do not bring to linalg: control flow, sorting, scattering, odd types and shapes."""

import re

import numpy as np
import pytest

import raising
from raising.native.base.unsupported import CompileError
from tests.native.running import isolated

COUNTED = """
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: tensor<i32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %x = %a, %y = %b, %end = %n)
      : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.add %x, %y : tensor<4xf32>
    stablehlo.return %j, %y, %s, %end : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
  }
  return %r#1, %r#2, %r#0 : tensor<4xf32>, tensor<4xf32>, tensor<i32>
}
"""

UNTIL = """
func.func @f(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%x = %a, %k = %zero) : tensor<3xf32>, tensor<i32>
  cond {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %most = stablehlo.constant dense<100.0> : tensor<f32>
    %c = stablehlo.compare LT, %sum, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %l = stablehlo.add %k, %one : tensor<i32>
    %y = stablehlo.add %x, %x : tensor<3xf32>
    stablehlo.return %y, %l : tensor<3xf32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<3xf32>, tensor<i32>
}
"""

CASE = """
func.func @f(%which: tensor<i32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %r = "stablehlo.case"(%which) ({
    stablehlo.return %x : tensor<3xf32>
  }, {
    %n = stablehlo.negate %x : tensor<3xf32>
    stablehlo.return %n : tensor<3xf32>
  }, {
    %d = stablehlo.add %x, %x : tensor<3xf32>
    stablehlo.return %d : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
"""

SORT = """
func.func @f(%key: tensor<@shape@xi32>, %value: tensor<@shape@xi32>) -> (tensor<@shape@xi32>, tensor<@shape@xi32>) {
  %r:2 = "stablehlo.sort"(%key, %value) <{dimension = @axis@ : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<@shape@xi32>, tensor<@shape@xi32>) -> (tensor<@shape@xi32>, tensor<@shape@xi32>)
  return %r#0, %r#1 : tensor<@shape@xi32>, tensor<@shape@xi32>
}
"""

SCATTER = """
func.func @f(%a: tensor<5x2xf32>, %i: tensor<4x1xi32>, %u: tensor<4x2xf32>) -> tensor<5x2xf32> {
  %r = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    %s = stablehlo.add %old, %new : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5x2xf32>, tensor<4x1xi32>, tensor<4x2xf32>) -> tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}
"""

UNSIGNED = """
func.func @f(%a: tensor<4xui8>, %b: tensor<4xui8>) -> (tensor<4xui8>, tensor<4xf32>, tensor<4xi1>) {
  %q = stablehlo.divide %a, %b : tensor<4xui8>
  %x = stablehlo.convert %a : (tensor<4xui8>) -> tensor<4xf32>
  %c = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  return %q, %x, %c : tensor<4xui8>, tensor<4xf32>, tensor<4xi1>
}
"""

CONVERT = """
func.func @f(%a: tensor<?xf32>) -> (tensor<?xi32>, tensor<?xui8>) {
  %i = stablehlo.convert %a : (tensor<?xf32>) -> tensor<?xi32>
  %u = stablehlo.convert %a : (tensor<?xf32>) -> tensor<?xui8>
  return %i, %u : tensor<?xi32>, tensor<?xui8>
}
"""

EMPTY = """
func.func @f(%a: tensor<0x3xf32>, %b: tensor<2x3xf32>) -> (tensor<3xf32>, tensor<2x3xf32>, tensor<0x3xf32>) {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0]
    : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
  %c = stablehlo.concatenate %a, %b, dim = 0 : (tensor<0x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = stablehlo.add %a, %a : tensor<0x3xf32>
  return %s, %c, %d : tensor<3xf32>, tensor<2x3xf32>, tensor<0x3xf32>
}
"""

HIGH = """
func.func @f(%a: tensor<37xf32>) -> tensor<37xf32> {
  %s = chlo.square %a : tensor<37xf32> -> tensor<37xf32>
  %b = stablehlo.optimization_barrier %s : tensor<37xf32>
  %c = stablehlo.cbrt %b : tensor<37xf32>
  return %c : tensor<37xf32>
}
"""

LOOPS = """
func.func @f(%n: index, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %room = tensor.empty() : tensor<4xf32>
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %room, %b = %room) -> (tensor<4xf32>, tensor<4xf32>) {
    %v = tensor.extract %x[%i] : tensor<4xf32>
    %w = arith.negf %v : f32
    %p = tensor.insert %v into %a[%i] : tensor<4xf32>
    %q = tensor.insert %w into %b[%i] : tensor<4xf32>
    scf.yield %p, %q : tensor<4xf32>, tensor<4xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %r#0) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %d = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %d : tensor<4xf32>
  }
  return %s, %r#1 : tensor<4xf32>, tensor<4xf32>
}
"""


def test_a_loop_that_counts_carries_tensors_that_change_places():
    a, b = np.float32([1, 2, 3, 4]), np.float32([5, 6, 7, 8])
    f = raising.compile(COUNTED)
    for count in (0, 1, 6):
        x, y = a, b
        for _ in range(count):
            x, y = y, x + y
        for got, expected in zip(f(a, b, np.int32(count)), (x, y, count), strict=True):
            np.testing.assert_array_equal(got, expected)
    assert f(a, b, np.int32(-3))[2] == 0


def test_a_counter_may_pass_more_numbers_than_its_type_has() -> None:
    text = """func.func @f(%a: tensor<i64>, %from: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
      %r:2 = stablehlo.while(%i = %from, %x = %a) : tensor<i64>, tensor<i64>
      cond {
        %end = stablehlo.constant dense<4> : tensor<i64>
        %c = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %step = stablehlo.constant dense<STEP> : tensor<i64>
        %j = stablehlo.add %i, %step : tensor<i64>
        %s = stablehlo.add %x, %x : tensor<i64>
        stablehlo.return %j, %s : tensor<i64>, tensor<i64>
      }
      return %r#1, %r#0 : tensor<i64>, tensor<i64>
    }""".replace("STEP", str(1 << 62))
    first = -(1 << 63) + 1
    found = isolated(lambda: raising.compile(text, cache=False)(np.array(1), np.array(first)))
    assert [int(each) for each in found] == [8, first + 3 * (1 << 62)]


def test_a_loop_goes_on_until_its_condition_fails():
    x, count = raising.compile(UNTIL)(np.float32([1, 2, 3]))
    np.testing.assert_array_equal(x, np.float32([32, 64, 96]))
    assert count == 5


@pytest.mark.parametrize(("number", "factor"), [(0, 1), (1, -1), (2, 2), (3, 2), (-1, 2)])
def test_a_number_without_a_branch_takes_the_last_one(number, factor):
    x = np.float32([1, -2, 3])
    np.testing.assert_array_equal(raising.compile(CASE)(np.int32(number), x), factor * x)


@pytest.mark.parametrize(("shape", "axis"), [((1,), 0), ((13,), 0), ((3, 8), 1), ((9, 2), 0)])
def test_tensors_are_sorted_stably_along_a_dimension(shape, axis):
    random = np.random.default_rng(0)
    key, value = random.integers(0, 4, shape, np.int32), np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    text = SORT.replace("@shape@", "x".join(map(str, shape))).replace("@axis@", str(axis))
    order = np.argsort(key, axis=axis, kind="stable")
    for got, given in zip(raising.compile(text)(key, value), (key, value), strict=True):
        np.testing.assert_array_equal(got, np.take_along_axis(given, order, axis))


def test_updates_are_combined_in_their_order_and_left_out_beyond_the_operand():
    a, u = np.zeros((5, 2), np.float32), np.arange(8, dtype=np.float32).reshape(4, 2)
    got = raising.compile(SCATTER)(a, np.int32([[3], [5], [3], [-1]]), u)
    np.testing.assert_array_equal(got, np.float32([[0, 0]] * 3 + [[4, 6]] + [[0, 0]]))
    assert not a.any()


def test_unsigned_integers_go_in_and_out():
    a, b = np.uint8([200, 7, 255, 0]), np.uint8([3, 9, 255, 1])
    quotient, number, less = raising.compile(UNSIGNED)(a, b)
    assert quotient.dtype == np.uint8
    np.testing.assert_array_equal(quotient, a // b)
    np.testing.assert_array_equal(number, a.astype(np.float32))
    np.testing.assert_array_equal(less, a < b)


def test_floats_beyond_the_integers_become_the_nearest_one():
    a = np.float32([1.7, -1.7, 1e20, -1e20, np.nan, 300, np.inf])
    i, u = np.empty(7, np.int32), np.empty(7, np.uint8)
    raising.compile(CONVERT, unchecked=True)(a, out=[i, u])
    assert i.tolist() == [1, -1, 2**31 - 1, -(2**31), 0, 300, 2**31 - 1]
    assert u.tolist() == [1, 0, 255, 0, 0, 255, 255]


@pytest.mark.parametrize("shape", [(), (3,)])
def test_reductions_along_no_dimension(shape: tuple[int, ...]):
    """What JAX makes of `jnp.sum` of a number."""
    kind = f"tensor<{''.join(f'{n}x' for n in shape)}f32>"
    text = f"""
    func.func @f(%a: {kind}) -> {kind} {{
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [] : ({kind}, tensor<f32>) -> {kind}
      return %r : {kind}
    }}"""
    for number in (np.nan, 3.0):
        a = np.full(shape, number, np.float32)
        np.testing.assert_equal(raising.compile(text)(a), a)


def test_arrays_without_elements():
    a, b = np.empty((0, 3), np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
    sums, joined, nothing = raising.compile(EMPTY)(a, b)
    assert sums.tolist() == [1, 1, 1]
    np.testing.assert_array_equal(joined, b)
    assert nothing.shape == (0, 3)


def test_operations_above_stablehlo_and_calls_of_the_c_library():
    a = np.linspace(-3, 3, 37, dtype=np.float32)
    np.testing.assert_allclose(raising.compile(HIGH)(a), np.cbrt(a * a), rtol=1e-6)


def test_loops_that_begin_with_the_same_room_do_not_share_it():
    x = np.float32([1, 2, 3, 4])
    scaled, negative = raising.compile(LOOPS)(3, x)
    np.testing.assert_array_equal(scaled, 8 * x)
    np.testing.assert_array_equal(negative, -x)


def test_what_has_no_form_is_refused_with_its_place():
    text = """
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.custom_call @nowhere(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}"""
    with pytest.raises(
        CompileError, match=r"^x.mlir:3:8: error: stablehlo.custom_call has no form in linalg .of 'nowhere'"
    ):
        raising.compile(text, file="x.mlir")


@pytest.mark.parametrize(("element", "kind"), [("ui8", np.uint8), ("i8", np.int8)])
def test_products_of_bytes_in_a_wider_type(element: str, kind: type) -> None:
    """Those without signs were extended by their signs."""
    types = {"A": f"tensor<1x2x3x{element}>", "B": f"tensor<2x2x3x{element}>", "R": "tensor<2x1xi32>"}
    text = """func.func @f(%a: A, %b: B) -> (R, R) {
      %0 = stablehlo.dot_general %b, %a, contracting_dims = [1, 2] x [1, 2] : (B, A) -> R
      %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[o, 0, i]->[f, 0, b], window = {}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (A, B) -> tensor<2x1x1xi32>
      %2 = stablehlo.reshape %1 : (tensor<2x1x1xi32>) -> R
      return %0, %2 : R, R
    }"""
    text = re.sub(r"\b[ABR]\b", lambda mark: types[mark[0]], text)
    a = np.arange(100, 256, 28, dtype=np.uint8).reshape(1, 2, 3).view(kind)
    b = np.arange(3, 255, 21, dtype=np.uint8).reshape(2, 2, 3).view(kind)
    wanted = np.einsum("oij,bij->ob", b.astype(np.int32), a.astype(np.int32))
    for found in raising.compile(text, cache=False)["f"](a, b):
        np.testing.assert_array_equal(found, wanted)


def test_functions_of_vectors_in_tasks_of_threads():
    kind = "tensor<64x1024xf32>"
    text = f"func.func @f(%a: {kind}) -> {kind} {{ %e = stablehlo.exponential %a : {kind} return %e : {kind} }}"
    a = np.random.default_rng(0).standard_normal((64, 1024)).astype(np.float32)
    np.testing.assert_allclose(isolated(lambda: raising.compile(text, threads=2)(a)), np.exp(a), rtol=1e-6)


@pytest.mark.parametrize("kept", ["0:1, 0:1", "0:2, 1:2"])
def test_columns_backwards(kept: str) -> None:
    """A slice whose last dimension has more than one element between neighbours, read from its end."""
    rows, column = kept.split(", ")
    many = 6 * int(rows[2])
    text = f"""
    func.func @f(%a: tensor<7x2x5xi32>) -> tensor<{many}xi32> {{
      %0 = stablehlo.slice %a [0:6, {kept}] : (tensor<7x2x5xi32>) -> tensor<6x{rows[2]}x1xi32>
      %1 = stablehlo.reshape %0 : (tensor<6x{rows[2]}x1xi32>) -> tensor<{many}xi32>
      %2 = stablehlo.reverse %1, dims = [0] : tensor<{many}xi32>
      return %2 : tensor<{many}xi32>
    }}"""
    a = np.arange(70, dtype=np.int32).reshape(7, 2, 5)
    made = isolated(lambda: raising.compile(text, cache=False)["f"](a))
    assert np.array_equal(made, a[:6, : int(rows[2]), int(column[0])].reshape(-1)[::-1])
