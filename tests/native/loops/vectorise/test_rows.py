"""Rows that are done side by side: their sums are one vector, and what is done to a number of each, too."""

from typing import Any

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.running import called, isolated


def program(element: str) -> str:
    """y = exp(-A x), z += y A, m = the greatest of each row."""
    memref, vector = f"memref<?x?x{element}>", f"memref<?x{element}>"
    low = {"f32": "0xFF800000", "f64": "0xFFF0000000000000"}[element]
    return f"""func.func @f(%A: {memref}, %x: {vector}, %y: {vector}, %z: {vector}, %m: {vector}) {{
  %zero = arith.constant 0.0 : {element}
  %low = arith.constant {low} : {element}
  linalg.fill ins(%zero : {element}) outs(%y : {vector})
  linalg.fill ins(%low : {element}) outs(%m : {vector})
  linalg.matvec ins(%A, %x : {memref}, {vector}) outs(%y : {vector})
  linalg.negf ins(%y : {vector}) outs(%y : {vector})
  linalg.exp ins(%y : {vector}) outs(%y : {vector})
  linalg.vecmat ins(%y, %A : {vector}, {memref}) outs(%z : {vector})
  linalg.reduce ins(%A : {memref}) outs(%m : {vector}) dimensions = [1]
    (%in: {element}, %init: {element}) {{
      %r = arith.maximumf %in, %init : {element}
      linalg.yield %r : {element} }}
  return
}}"""


def _agrees(element: str, fp: str) -> None:
    compiled: Any = compile_module(program(element), fp=fp)["f"]
    kind: Any = np.float32 if element == "f32" else np.float64
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 7, 8, 9, 16, 41):
        for m in (0, 1, 3, 8, 16, 17, 40, 131):
            a, x, z = (rng.random(s).astype(kind) / 4 for s in ((n, m), m, m))
            y, most = np.full(n, 7, kind), np.full(n, 7, kind)
            if n and m:
                a[n // 2, m // 2] = np.inf
                x[m // 2] = 1
            wide = a.astype(np.float64)
            wanted: Any = np.exp(-(wide @ x))
            with np.errstate(invalid="ignore"):
                sums = z + wanted @ wide
            compiled(a, x, y, z, most)
            tolerance = 1e-4 if element == "f32" else 1e-12
            np.testing.assert_allclose(y, wanted, tolerance, tolerance)
            np.testing.assert_allclose(z, sums, tolerance, tolerance)
            assert np.array_equal(most, np.max(a, axis=1, initial=-np.inf))


@pytest.mark.parametrize("fp", ["reassoc", "strict"])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_sums_of_rows_side_by_side(element: str, fp: str) -> None:
    isolated(lambda: _agrees(element, fp))


def test_a_function_of_a_number_of_each_row_is_one_of_a_vector() -> None:
    text = build(program("f32").encode(), "m.mlir", CompileOptions(cpu="x86-64-v3")).mlir
    assert text.count("math.exp") == 1  # of the rows that are left over; that of a vector is written out


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3", "native"])
@pytest.mark.parametrize("element", ["f32", "i32"])
def test_rows_that_add_to_one_sum_where_nothing_is_masked(element: str, cpu: str) -> None:
    """What whole vectors leave over is added row by row: each row began with the sum that was there before all."""
    add, number = ("addf", np.float32) if element == "f32" else ("addi", np.int32)
    text = f"""func.func @f(%p: memref<8x13x{element}>, %q: memref<8x26x{element}>, %r: memref<{element}>) {{
      linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 2 * j)>,
          affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}}
          ins(%p, %q : memref<8x13x{element}>, memref<8x26x{element}>) outs(%r : memref<{element}>) {{
      ^bb0(%a: {element}, %b: {element}, %s: {element}):
        %t = arith.{add} %s, %b : {element}
        linalg.yield %t : {element}
      }}
      return
    }}"""
    p, q = np.zeros((8, 13), number), np.arange(8 * 26).reshape(8, 26).astype(number)
    found = called(text, [p, q, np.array(3, number)], cpu=cpu, fp="fast")[2]
    assert found == 3 + q[:, ::2].sum()
