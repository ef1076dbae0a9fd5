"""Products with a matrix that comes from memory: one pass, rows asked for ahead, multiply-adds in one operation."""

from functools import partial

import numpy as np
import pytest

from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from raising.native.loops.loop_plan import ROWS
from tests.native.running import called

MATVEC = """
func.func @product(%A: memref<{n}x{m}xf32>, %x: memref<{m}xf32>, %y: memref<{m}xf32>, %t: memref<{n}xf32>) {{
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%t : memref<{n}xf32>)
  linalg.matvec ins(%A, %x : memref<{n}x{m}xf32>, memref<{m}xf32>) outs(%t : memref<{n}xf32>)
  linalg.fill ins(%zero : f32) outs(%y : memref<{m}xf32>)
  linalg.vecmat ins(%t, %A : memref<{n}xf32>, memref<{n}x{m}xf32>) outs(%y : memref<{m}xf32>)
  return
}}"""


def compiled(n: int, m: int, fp: str = "reassoc") -> tuple[str, str]:
    """The loops and the machine code of the product."""
    options = CompileOptions(cpu="x86-64-v3", fp=fp)
    built = build(MATVEC.format(n=n, m=m).encode(), "product", options)
    return built.mlir, built.code.assembly


@pytest.mark.parametrize(("n", "m"), [(3, 5), (8, 16), (29, 701), (803, 507)])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_matrix_and_its_transpose(n: int, m: int, threads: int) -> None:
    random = np.random.default_rng(n)
    a, x = random.random((n, m), np.float32), random.random(m, np.float32)
    _, _, y, t = called(
        MATVEC.format(n=n, m=m), [a, x, np.ones(m, np.float32), np.ones(n, np.float32)], threads=threads
    )
    wide = a.astype(np.float64)
    assert np.allclose(t, wide @ x, rtol=1e-5)
    assert np.allclose(y, wide.T @ (wide @ x), rtol=1e-5)


@pytest.mark.parametrize("sizes", [{"n": 803, "m": 507}, {"n": "?", "m": "?"}])
def test_any_number_of_threads_gives_the_same_bits(sizes: dict[str, str]) -> None:
    random = np.random.default_rng(7)
    a, x = random.random((803, 507), np.float32), random.random(507, np.float32)
    given = [a, x, np.empty(507, np.float32), np.empty(803, np.float32)]
    one, three = (called(MATVEC.format(**sizes), given, threads=threads) for threads in (1, 3))
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(one, three, strict=True))


COLUMNS = """
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @columns(%A: memref<{n}x37xf64>, %B: memref<{n}x37xi32>, %u: memref<{n}xf64>, %most: memref<37xf64>,
                   %count: memref<37xi32>, %minus: memref<80xf64>) {{
  linalg.generic {{indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}}
      ins(%u : memref<{n}xf64>) outs(%A : memref<{n}x37xf64>) {{
    ^bb0(%x: f64, %a: f64):
      %t = arith.mulf %x, %a : f64
      linalg.yield %t : f64
  }}
  linalg.generic {{indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}}
      ins(%A : memref<{n}x37xf64>) outs(%most : memref<37xf64>) {{
    ^bb0(%a: f64, %o: f64):
      %t = arith.maximumf %o, %a : f64
      linalg.yield %t : f64
  }}
  linalg.generic {{indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}}
      ins(%B : memref<{n}x37xi32>) outs(%count : memref<37xi32>) {{
    ^bb0(%b: i32, %o: i32):
      %t = arith.addi %o, %b : i32
      linalg.yield %t : i32
  }}
  %part = memref.subview %minus[5] [37] [1] : memref<80xf64> to memref<37xf64, strided<[1], offset: 5>>
  linalg.generic {{indexing_maps = [#all, #row, #column], iterator_types = ["reduction", "parallel"]}}
      ins(%A, %u : memref<{n}x37xf64>, memref<{n}xf64>) outs(%part : memref<37xf64, strided<[1], offset: 5>>) {{
    ^bb0(%a: f64, %x: f64, %o: f64):
      %t = arith.mulf %a, %x : f64
      %s = arith.subf %o, %t : f64
      linalg.yield %s : f64
  }}
  return
}}"""


@pytest.mark.parametrize("n", [0, 127, 300, 1100])
@pytest.mark.parametrize("known", [True, False])
def test_sums_over_rows_of_every_kind(n: int, known: bool) -> None:
    random = np.random.default_rng(n)
    a, u, most, minus = (random.standard_normal(shape) for shape in ((n, 37), n, 37, 80))
    b, count = (random.integers(-(1 << 30), 1 << 30, shape, np.int32) for shape in ((n, 37), 37))
    text = COLUMNS.format(n=n if known else "?")
    scaled, _, _, top, total, left = called(text, [a, b, u, most, count, minus], threads=2)
    assert np.allclose(scaled, u[:, None] * a)
    assert np.array_equal(top, np.maximum(scaled.max(0, initial=-np.inf), most))
    assert np.array_equal(total, count + b.sum(0, dtype=np.int32))
    minus[5:42] -= u @ scaled
    assert np.allclose(left, minus)


def test_rows_are_asked_for_ahead_where_a_matrix_does_not_stay_in_the_cache() -> None:
    small, large = (compiled(n, 512)[0] for n in (64, 4096))
    assert "memref.prefetch" in large
    assert "memref.prefetch" not in small


def test_a_start_value_in_between_does_not_cost_a_second_pass() -> None:
    text, _ = compiled(4096, 512)
    assert text.count("memref.prefetch") == ROWS  # each row once


def test_products_and_sums_are_one_operation_where_rounding_may_differ() -> None:
    machine = partial(compiled, 64, 512)
    assert "vfmadd" in machine()[1]
    assert "vfmadd" not in machine(fp="strict")[1]


STENCIL = """
#id = affine_map<(i, j) -> (i, j)>
func.func @f(%x: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = memref.dim %out, %zero : memref<?x?xf32>
  %m = memref.dim %out, %one : memref<?x?xf32>
  %up = memref.subview %x[0, 0] [%n, %m] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
  %down = memref.subview %x[2, 0] [%n, %m] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%up, %down : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1], offset: ?>>)
      outs(%out : memref<?x?xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.subf %a, %b : f32
      linalg.yield %s : f32
  }
  return
}"""


@pytest.mark.parametrize("n", [0, 1, 3, 5, 701])
@pytest.mark.parametrize("m", [0, 1, 7, 200, 255, 256])
def test_rows_that_read_rows_of_each_other_are_done_together_or_one_by_one(n: int, m: int) -> None:
    x = np.random.default_rng(n).random((n + 2, m), np.float32)
    _, found = called(STENCIL, [x, np.full((n, m), 7, np.float32)], threads=2)
    assert np.array_equal(found, x[:-2] - x[2:])
