"""Programs that a random generator wrote and that were once compiled wrongly, each made as small as it goes."""

import numpy as np
import pytest

from raising import RaiseOptions, raise_module
from raising.compile_module import compile_module
from raising.frontend.c import convert
from tests.native.running import called, isolated

FP = ("strict", "reassoc")


def test_a_result_that_another_result_is_made_of_keeps_its_value():
    """The first result would be made in its array out of the second, which goes to memory after it."""
    text = """
    func.func @f(%a: tensor<7x5xf64>, %x: memref<7xf64>, %y: memref<7xf64>) {
      %e = tensor.empty() : tensor<7xf64>
      %one = arith.constant 1.0 : f64
      %z = linalg.fill ins(%one : f64) outs(%e : tensor<7xf64>) -> tensor<7xf64>
      %r = linalg.reduce { arith.addf } ins(%a : tensor<7x5xf64>) outs(%z : tensor<7xf64>) dimensions = [1]
      bufferization.materialize_in_destination %r in restrict writable %x : (tensor<7xf64>, memref<7xf64>) -> ()
      bufferization.materialize_in_destination %z in restrict writable %y : (tensor<7xf64>, memref<7xf64>) -> ()
      return
    }"""
    a = np.arange(35.0).reshape(7, 5)
    _, x, y = called(text, [a, np.zeros(7), np.zeros(7)])
    np.testing.assert_array_equal(x, 1 + a.sum(1))
    np.testing.assert_array_equal(y, np.ones(7))


@pytest.mark.parametrize("fp", FP)
def test_sums_that_look_at_each_other_are_not_taken_apart(fp):
    """The second sum adds up what the first one is at each step."""
    text = """
    func.func @f(%a: memref<3x37xf64>, %s: memref<3xf64>, %t: memref<3xf64>) {
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
          affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
          ins(%a : memref<3x37xf64>) outs(%s, %t : memref<3xf64>, memref<3xf64>) {
        ^bb0(%x: f64, %u: f64, %v: f64):
          %p = arith.addf %u, %x : f64
          %q = arith.addf %v, %p : f64
          linalg.yield %p, %q : f64, f64
      }
      return
    }"""
    a = np.arange(111.0).reshape(3, 37)
    _, s, t = called(text, [a, np.ones(3), np.ones(3)], fp=fp)
    np.testing.assert_array_equal(s, 1 + a.sum(1))
    np.testing.assert_array_equal(t, 1 + (1 + a.cumsum(1)).sum(1))


def test_an_array_that_only_says_how_far_a_loop_goes_may_be_of_any_size():
    text = """
    func.func @f(%a: memref<?xf64>, %b: memref<?xf64>, %s: memref<f64>) {
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>, affine_map<(i) -> ()>],
          iterator_types = ["reduction"]}
          ins(%a, %b : memref<?xf64>, memref<?xf64>) outs(%s : memref<f64>) {
        ^bb0(%x: f64, %y: f64, %u: f64):
          %p = arith.addf %u, %y : f64
          linalg.yield %p : f64
      }
      return
    }"""
    *_, s = called(text, [np.zeros(11), np.full(2, 3.0), np.zeros(())])
    assert s == 33


@pytest.mark.parametrize("rows", [31, 33])
def test_what_the_lanes_of_a_tile_share_is_not_read_beyond_its_end(rows):
    """A tile is whole vectors of both loops: its last rows do not exist, nor what would be read for them."""
    text = f"""
    func.func @f(%t: memref<31x{rows}xf64>, %b: memref<{rows}xf64>, %c: memref<{rows}x31xf64>) {{
      linalg.generic {{indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>,
          affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
          ins(%t, %b : memref<31x{rows}xf64>, memref<{rows}xf64>) outs(%c : memref<{rows}x31xf64>) {{
        ^bb0(%x: f64, %y: f64, %u: f64):
          %p = arith.subf %x, %y : f64
          linalg.yield %p : f64
      }}
      return
    }}"""
    rng = np.random.default_rng(0)
    a, b = rng.random((31, rows)), rng.random(rows)
    *_, c = called(text, [a, b, np.zeros((rows, 31))])
    np.testing.assert_array_equal(c, a.T - b[:, None])


def test_a_temporary_stays_for_a_reader_that_stays_as_it_is():
    """A selection over a sum's own value is no reduction that loops are written for."""
    text = """
    func.func @f(%a: memref<2x64xf32>, %s: memref<f32>) {
      %t = memref.alloc() : memref<64x2xf32>
      %two = arith.constant 2.0 : f32
      linalg.fill ins(%two : f32) outs(%t : memref<64x2xf32>)
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>,
          affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
          ins(%a, %t : memref<2x64xf32>, memref<64x2xf32>) outs(%s : memref<f32>) {
        ^bb0(%x: f32, %y: f32, %u: f32):
          %c = arith.cmpf olt, %y, %u : f32
          %p = arith.select %c, %y, %u : f32
          linalg.yield %p : f32
      }
      return
    }"""
    *_, s = called(text, [np.zeros((2, 64), np.float32), np.full((), 5, np.float32)])
    assert s == 2


def test_what_a_loop_begins_with_stays_for_whoever_reads_it_later():
    text = """
    func.func @f(%a: tensor<5xf64>, %n: index) -> (tensor<5xf64>, tensor<5xf64>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %e = tensor.empty() : tensor<5xf64>
      %k = linalg.add ins(%a, %a : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %k) -> (tensor<5xf64>) {
        %w = linalg.add ins(%x, %x : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
        scf.yield %w : tensor<5xf64>
      }
      return %r, %k : tensor<5xf64>, tensor<5xf64>
    }"""
    a = np.arange(5.0)
    r, k = isolated(lambda: compile_module(text)(a, 3))
    np.testing.assert_array_equal(r, 16 * a)
    np.testing.assert_array_equal(k, 2 * a)


def test_an_iteration_that_reads_what_it_has_changed_hands_no_memory_of_its_own_on():
    """Updates in their best order would need a copy of the array, made in each iteration and kept beyond it."""
    source = """void f(int n, double *restrict b, double a[restrict 6][7]) {
      for (int i = 0; i < n; i += 2) {
        a[i][i] = 3.0 * b[1];
        for (int j = n - 1; j > 0; j--) a[i][j] = a[j][n - 1 - j] * a[i][j]; } }"""
    text = raise_module(convert(source, "f.c").mlir, options=RaiseOptions(check="field", cache=False)).text
    for n in (0, 1, 2, 5, 6):
        before, b = np.arange(42.0).reshape(6, 7) / 8, np.array([1.5, 0.75])
        want = before.copy()
        for i in range(0, n, 2):
            want[i, i] = 3.0 * b[1]
            for j in range(n - 1, 0, -1):
                want[i, j] = want[j, n - 1 - j] * want[i, j]
        np.testing.assert_allclose(called(text, [n, b, before])[2], want, rtol=1e-12)
