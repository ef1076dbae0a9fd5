"""A module to machine code, called on NumPy arrays."""

import os
import re
from functools import partial

import numpy as np
import pytest

import raising
from raising.compile_module import rehearse
from raising.native.base.unsupported import CallError, CompileError
from raising.support.errors import InputError
from raising.support.isolate import Finished, run_fresh

GEMM = """
func.func @gemm(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>, %C: memref<?x?xf64>) {
  %c = bufferization.to_tensor %C restrict writable : memref<?x?xf64> to tensor<?x?xf64>
  %r = linalg.matmul ins(%A, %B : tensor<?x?xf64>, tensor<?x?xf64>) outs(%c : tensor<?x?xf64>) -> tensor<?x?xf64>
  bufferization.materialize_in_destination %r in restrict writable %C : (tensor<?x?xf64>, memref<?x?xf64>) -> ()
  return
}
"""

STABLEHLO = """
func.func @f(%a: tensor<4x5xf32>, %s: tensor<f32>) -> (tensor<5x4xf32>, tensor<4xf32>) {
  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<5x4xf32>
  %m = stablehlo.multiply %t, %b : tensor<5x4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  return %m, %r : tensor<5x4xf32>, tensor<4xf32>
}
"""

LOOPS = """
func.func @prefix(%n: i32, %x: memref<?xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %end = arith.index_cast %n : i32 to index
  %sum = affine.for %i = 0 to %end iter_args(%s = %zero) -> f32 {
    %v = affine.load %x[%i] : memref<?xf32>
    %t = arith.addf %s, %v : f32
    affine.store %t, %x[%i] : memref<?xf32>
    affine.yield %t : f32
  }
  return %sum : f32
}
"""

GATHER = """
func.func @gather(%i: memref<?xi64>, %x: memref<?xf64>, %y: memref<4xf64>) {
  affine.for %k = 0 to 4 {
    %p = affine.load %i[%k] : memref<?xi64>
    %q = arith.index_cast %p : i64 to index
    %v = memref.load %x[%q] : memref<?xf64>
    affine.store %v, %y[%k] : memref<4xf64>
  }
  return
}
"""

TEMPORARY = """
func.func @f(%n: index, %a: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %t = memref.alloc(%n, %n) : memref<?x?xf64>
  linalg.fill ins(%one : f64) outs(%t : memref<?x?xf64>)
  %v = memref.load %t[%c0, %c0] : memref<?x?xf64>
  memref.store %v, %a[%c0] : memref<?xf64>
  return
}
"""


@pytest.fixture(scope="module")
def gemm() -> raising.Compiled:
    return raising.compile(GEMM)


def test_a_contraction_adds_to_the_array_of_the_caller(gemm):
    random = np.random.default_rng(0)
    a, b, c = random.random((5, 7)), random.random((7, 3)), random.random((5, 3))
    expected = c + a @ b
    assert gemm(a, b, c) is None
    np.testing.assert_allclose(c, expected, rtol=1e-13)


def test_results_are_returned_or_written_where_the_caller_wants_them():
    f = raising.compile(STABLEHLO)
    a = np.arange(20, dtype=np.float32).reshape(4, 5)
    scaled, sums = f(a, 2.0)
    np.testing.assert_array_equal(scaled, 2 * a.T)
    np.testing.assert_array_equal(sums, a.sum(1))
    out = np.zeros((5, 4), np.float32), np.zeros(4, np.float32)
    f(a, np.float32(3), out=out)
    np.testing.assert_array_equal(out[0], 3 * a.T)


def test_loops_that_were_kept_are_compiled_with_the_rest():
    x = np.ones(5, np.float32)
    assert raising.compile(LOOPS)(4, x) == 4
    np.testing.assert_array_equal(x, [1, 2, 3, 4, 1])


def test_a_function_is_found_by_its_name():
    both = raising.compile(GEMM + LOOPS)
    assert both["prefix"](1, np.ones(1, np.float32)) == 1
    with pytest.raises(CallError, match=r"several functions, name one: gemm, prefix"):
        both(1)
    with pytest.raises(CallError, match="no function 'nothing'"):
        both["nothing"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda a, b, c: (a, b), "gemm takes 3 arguments, not 2"),
        (lambda a, b, c: (a, b.astype(np.float32), c), "arg1: elements are float32, not float64"),
        (lambda a, b, c: (a[0], b, c), r"arg0: the shape is 7, not \?x\?"),
        (lambda a, b, c: (a, np.asfortranarray(b), c), "arg1: the array is not contiguous in row-major order"),
        (lambda a, b, c: (a.tolist(), b, c), "arg0: a NumPy array is needed, not list"),
        (lambda a, b, c: (c.reshape(5, 3), b, c), "arg0 and arg2 overlap in memory, and arg2 is written"),
        (lambda a, b, c: (a, b, np.broadcast_to(c[:1], (5, 3))), "arg2: the array is not contiguous"),
        (lambda a, b, c: (a, b, frozen(c)), "arg2: the array is read-only, but the function writes to it"),
        (lambda a, b, c: (a, b, unaligned(c)), "arg2: the elements are not aligned"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(gemm, change, said):
    with pytest.raises(CallError, match=said):
        gemm(*change(np.ones((5, 7)), np.ones((7, 3)), np.ones((5, 3))))


UNSIGNED = """
func.func @halve(%x: memref<3xi32>) attributes {c_parameters = [["unsigned", "x", "3"]]} {
  %one = arith.constant 1 : i32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<3xi32>) {
  ^bb0(%a: i32):
    %half = arith.shrui %a, %one : i32
    linalg.yield %half : i32
  }
  return
}
"""


def test_numbers_without_sign_in_c_are_numbers_without_sign_in_numpy():
    halve, x = raising.compile(UNSIGNED), np.array([7, 1 << 31, 0], np.uint32)
    halve(x)
    np.testing.assert_array_equal(x, [3, 1 << 30, 0])
    with pytest.raises(CallError, match="x: elements are int64, not uint32"):
        halve(x.astype(np.int64))


DIVIDED = """
func.func @count(%n: i32, %m: i32, %a: memref<?x?xf64>)
    attributes {c_parameters = [["int", "n"], ["int", "m"], ["double", "a", "m", "n SIGN m + 1"]]} {
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %rows = arith.index_cast %m : i32 to index
  scf.for %i = %zero to %rows step %step {
    %old = memref.load %a[%i, %zero] : memref<?x?xf64>
    %new = arith.addf %old, %one : f64
    memref.store %new, %a[%i, %zero] : memref<?x?xf64>
  }
  return
}
"""


@pytest.mark.parametrize(("sign", "of_two", "of_zero"), [("/", 4, 8), ("%", 2, 1)])
def test_an_extent_that_divides_by_zero_is_as_by_one(sign, of_two, of_zero):
    count, rows = raising.compile(DIVIDED.replace("SIGN", sign)), np.zeros((2, of_two))
    count(7, 2, rows)
    assert rows[:, 0].tolist() == [1, 1] and not rows[:, 1:].any()
    count(7, 0, np.zeros((0, of_zero)))


TRUTH = """
func.func @both(%a: tensor<4x5xi1>, %b: tensor<4x5xf32>, %c: tensor<4x5xf32>) -> (tensor<4x5xi1>, tensor<4xf32>, tensor<5xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<4x5xf32>
  %less = stablehlo.compare LT, %b, %c : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
  %set = stablehlo.and %a, %less : tensor<4x5xi1>
  %chosen = stablehlo.select %set, %b, %zeros : tensor<4x5xi1>, tensor<4x5xf32>
  %rows = stablehlo.reduce(%chosen init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  %columns = stablehlo.reduce(%chosen init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
  return %set, %rows, %columns : tensor<4x5xi1>, tensor<4xf32>, tensor<5xf32>
}
"""  # noqa: E501


def test_truth_values_in_memory_are_bytes():
    random = np.random.default_rng(0)
    a, (b, c) = random.random((4, 5)) < 0.5, random.random((2, 4, 5)).astype(np.float32)
    bits, rows, columns = raising.compile(TRUTH)(a, b, c)
    np.testing.assert_array_equal(bits, a & (b < c))
    np.testing.assert_allclose(rows, np.where(bits, b, 0).sum(1), rtol=1e-6)
    np.testing.assert_allclose(columns, np.where(bits, b, 0).sum(0), rtol=1e-6)


ONE_TRUTH = """
func.func @choose(%a: memref<i1>, %x: memref<f32>) {
  %chosen = memref.load %a[] : memref<i1>
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %r = arith.select %chosen, %one, %two : f32
  memref.store %r, %x[] : memref<f32>
  return
}
"""


@pytest.mark.parametrize("chosen", [True, False])
def test_a_single_truth_value_in_memory_is_a_byte(chosen):
    x = np.zeros((), np.float32)
    raising.compile(ONE_TRUTH)(np.array(chosen), x)
    assert x == (1 if chosen else 2)


def frozen(array):
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def unaligned(array):
    return np.frombuffer(bytearray(array.nbytes + 1), np.uint8)[1:].view(array.dtype).reshape(array.shape)


@pytest.mark.parametrize("value", [1 << 31, -(1 << 31) - 1, 1.5, "1", None])
def test_a_number_has_to_fit_its_type(value):
    with pytest.raises(CallError, match="arg0"):
        raising.compile(LOOPS)(value, np.ones(1, np.float32))


def test_arrays_that_are_only_read_may_overlap(gemm):
    a, c = np.ones((4, 4)), np.zeros((4, 4))
    gemm(a, a, c)
    np.testing.assert_array_equal(c, np.full((4, 4), 4.0))


@pytest.mark.parametrize("size", [1 << 22, 1 << 31, 1 << 32, 1 << 62])
def test_temporaries_that_no_memory_can_hold_are_a_memory_error(size):
    with pytest.raises(MemoryError, match="f needs .* bytes for temporaries"):
        raising.compile(TEMPORARY)(size, np.zeros(1))


def test_temporaries_serve_call_after_call():
    f, a = raising.compile(TEMPORARY), np.zeros(1)
    for size in (10, 3, 200, 1):
        a[:] = 0
        f(size, a)
        assert a[0] == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("func.func private @f(f32) -> f32", "there is no function to compile"),
        ("func.func @f(%x: memref<4xf32, 1>) { return }", "not a plain row-major array"),
        ("func.func @f(%x: memref<*xf32>) { return }", "cannot be passed from C"),
        ("func.func @f(%x: vector<4xf32>) { return }", "vector<4xf32> cannot be passed from C"),
        (
            "func.func @f(%n: index, %m: index) -> i32 { %t = memref.alloc(%n) : memref<?xi4>\n"
            " affine.for %i = 0 to %n { %c = arith.index_cast %i : index to i4\n"
            " affine.store %c, %t[%i] : memref<?xi4> }\n"
            " %l = memref.load %t[%m] : memref<?xi4>\n %r = arith.extui %l : i4 to i32\n return %r : i32 }",
            "elements of type i4 have no form in memory",
        ),
        ("func.func @f(%x: memref<4xf32>) -> memref<4xf32> { return %x : memref<4xf32> }", "returns memory"),
        (
            "func.func private @g(f32) -> f32\nfunc.func @f(%x: f32) -> f32"
            " { %y = call @g(%x) : (f32) -> f32\n return %y : f32 }",
            "nothing defines g",
        ),
        (
            "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { %y = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
            " return %y : tensor<4xf32> }",
            "function 'f' on tensors calls itself",
        ),
    ],
)
def test_what_cannot_be_compiled_is_said(text, said):
    with pytest.raises(CompileError, match=said):
        raising.compile(text)


def _refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        raising.compile(text, file="gemm.mlir")
    return str(caught.value)


def test_operations_without_a_name_beside_functions_are_no_code():
    pattern = 'pdl.pattern : benefit(1) { %t = type\n %o = operation "a.b" -> (%t : !pdl.type)\n rewrite %o with "c" }'
    compiled = raising.compile(f"func.func @f(%x: f64) -> f64 {{ return %x : f64 }}\nmodule {{}}\n{pattern}")
    assert compiled["f"](2.5) == 2.5


def test_text_that_is_no_module_is_refused_with_its_place():
    found = run_fresh(partial(_refused, "func.func @f() -> f32 {\n return %x : f32 }"))
    assert isinstance(found, Finished), found.reason
    assert re.match(r"gemm.mlir:2:\d+: error: use of undeclared", found.value)


@pytest.mark.parametrize(
    "settings", [{"backend": "gpu"}, {"fp": "loose"}, {"threads": 0}, {"cpu": "i486"}, {"cpu": ";"}]
)
def test_choices_that_do_not_exist_are_refused(settings):
    with pytest.raises(CompileError):
        raising.compile(LOOPS, **settings)


def test_fresh_code_is_rehearsed_in_a_child():
    prefix, x = raising.compile(LOOPS)["prefix"], np.ones(4, np.float32)
    assert rehearse(prefix, 4, x) == 4 and (x == 1).all()
    with pytest.raises(CallError, match=r"prefix writes arg1\[2147483646\], the array has 4 elements"):
        rehearse(prefix, (1 << 31) - 1, x)
    gather = raising.compile(GATHER, unchecked=True)["gather"]
    with pytest.raises(CallError, match="gather crashed with signal SIG"):
        rehearse(gather, np.full(4, 1 << 40), np.ones(4), np.ones(4))  # far beyond the array
    with pytest.raises(CallError, match="arg0: an integer is needed"):
        rehearse(prefix, "4", x)


def test_any_number_of_threads_gives_the_same_bits_also_after_a_fork():
    random = np.random.default_rng(1)
    a, b = random.random((150, 170)), random.random((170, 190))
    results = []
    for threads in (1, 2, 3):
        compiled, c = raising.compile(GEMM, threads=threads), np.zeros((150, 190))
        compiled(a, b, c)
        results.append(c)
    assert all((c == results[0]).all() for c in results)
    child = os.fork()
    if child == 0:
        c = np.zeros((150, 190))
        compiled(a, b, c)
        os._exit(0 if (c == results[0]).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
