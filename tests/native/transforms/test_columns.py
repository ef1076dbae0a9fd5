"""Columns that kept loops read come from a copy with rows and columns exchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.running import called

SIZE = 61
ROW = "memref<?xf32, strided<[1], offset: ?>>"
COLUMN = f"memref<?xf32, strided<[{SIZE}], offset: ?>>"


def _program(inside: str = "", steps: int = SIZE - 1, before: str = "", high: str = "%size") -> str:
    """T[i][j] = max(T[i][j], T[i][i+k] + T[i+1+k][j] for all k below j - i), rows i from the last but one."""
    return f"""func.func @f(%T: memref<{SIZE}x{SIZE}xf32>, %S: memref<{SIZE}xf32>, %open: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %steps = arith.constant {steps} : index
  %size = arith.constant {SIZE} : index
  %last = arith.constant {SIZE - 2} : index
  {before}
  scf.for %s = %c0 to %steps step %c1 {{
    %i = arith.subi %last, %s : index
    %after = arith.addi %i, %c1 : index
    scf.for %j = %after to {high} step %c1 {{
      %count = arith.subi %j, %i : index
      %row = memref.subview %T[%i, %i] [1, %count] [1, 1] : memref<{SIZE}x{SIZE}xf32> to {ROW}
      %column = memref.subview %T[%after, %j] [%count, 1] [1, 1] : memref<{SIZE}x{SIZE}xf32> to {COLUMN}
      %best = memref.alloc() : memref<f32>
      %old = memref.load %T[%i, %j] : memref<{SIZE}x{SIZE}xf32>
      memref.store %old, %best[] : memref<f32>
      linalg.generic {{indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
        iterator_types = ["reduction"]}} ins(%row, %column : {ROW}, {COLUMN}) outs(%best : memref<f32>) {{
      ^bb0(%a: f32, %b: f32, %out: f32):
        %sum = arith.addf %a, %b : f32
        %max = arith.maximumf %sum, %out : f32
        linalg.yield %max : f32
      }}
      %new = memref.load %best[] : memref<f32>
      memref.store %new, %T[%i, %j] : memref<{SIZE}x{SIZE}xf32>
      {inside}
    }}
  }}
  return
}}"""


SWAPPED = f"""%less = arith.negf %new : f32
memref.store %less, %T[%j, %i] : memref<{SIZE}x{SIZE}xf32>"""
WHOLE_ROW = f"""%all = memref.subview %T[%i, 0] [1, {SIZE}] [1, 1] : memref<{SIZE}x{SIZE}xf32>
  to memref<{SIZE}xf32, strided<[1], offset: ?>>"""
FIXED = f"""%wide = memref.subview %T[0, 3] [{SIZE}, 1] [1, 1] : memref<{SIZE}x{SIZE}xf32>
  to memref<{SIZE}xf32, strided<[{SIZE}], offset: 3>>
linalg.generic {{indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>], iterator_types = ["parallel"]}}
  ins(%wide : memref<{SIZE}xf32, strided<[{SIZE}], offset: 3>>) outs(%S : memref<{SIZE}xf32>) {{
^bb0(%a: f32, %b: f32):
  %t = arith.addf %a, %b : f32
  linalg.yield %t : f32
}}"""
WRITTEN = f"""{WHOLE_ROW}
linalg.generic {{indexing_maps = [affine_map<(k) -> (k)>], iterator_types = ["parallel"]}}
  outs(%all : memref<{SIZE}xf32, strided<[1], offset: ?>>) {{
^bb0(%b: f32):
  %t = arith.negf %b : f32
  linalg.yield %t : f32
}}"""
CONDITION = f"""%even = arith.cmpi slt, %j, %c3 : index
scf.if %even {{
  memref.store %old, %T[%c3, %j] : memref<{SIZE}x{SIZE}xf32>
}}"""
PART = "memref<9x9xf32, strided<[61, 1], offset: 62>>"
OTHER = f"%U = memref.subview %T[1, 1] [9, 9] [1, 1] : memref<{SIZE}x{SIZE}xf32> to {PART}"
TAKEN = {
    "stores in both triangles": _program(SWAPPED),
    "a column at known places": _program(FIXED),
    "a store under a condition": _program(CONDITION),
    "as it is": _program(),
}
LEFT = {
    "stores of whole rows": _program(WRITTEN),
    "few columns": _program(steps=3),
    "unknown number of columns": _program(high="%open"),
    "a part with a name of its own": _program(f"memref.store %old, %U[%c3, %c3] : {PART}", before=OTHER),
}


def _arguments() -> list[Any]:
    random = np.random.default_rng(5)
    return [random.uniform(-1, 1, (SIZE, SIZE)).astype(np.float32), np.zeros(SIZE, np.float32), SIZE]


def _turned(text: str) -> bool:
    """Whether no element of a column is fetched by itself."""
    return "vector.gather" not in build(text.encode(), "f.mlir", CompileOptions(cpu="x86-64-v3", fp="strict")).mlir


@pytest.mark.parametrize("name", TAKEN)
def test_columns_are_read_as_rows(name: str) -> None:
    assert _turned(TAKEN[name])
    ours, plain = (called(TAKEN[name], _arguments(), plain=way, fp="strict") for way in (False, True))
    for one, other in zip(ours[:2], plain[:2], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", LEFT)
def test_arrays_that_change_otherwise_or_are_little_read_stay(name: str) -> None:
    assert not _turned(LEFT[name])
    ours, plain = (called(LEFT[name], _arguments(), plain=way, fp="strict") for way in (False, True))
    np.testing.assert_array_equal(ours[0], plain[0])
