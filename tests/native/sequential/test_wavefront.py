"""Repeated sweeps in place: vectors across the repetitions do what the loops do, in their order, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from raising import raise_module
from raising.frontend.c import convert
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.running import called, called_with

HEAD = """func.func @f(%A: memref<{rows}x{columns}xf32>, %W: memref<{rows}x{columns}xf32>, %t0: index, %t1: index,
  %i0: index, %i1: index, %j0: index, %j1: index) {{
  %c1 = arith.constant 1 : index
  %h = arith.constant 0.3 : f32
  scf.for %t = %t0 to %t1 step %c1 {{
    scf.for %i = %i0 to %i1 step %c1 {{
      scf.for %j = %j0 to %j1 step %c1 {{
        {body}
      }}
    }}
  }}
  return
}}"""

NINE = [(di, dj) for di in (-1, 0, 1) for dj in (-1, 0, 1)]
"""All neighbours, as Gauss-Seidel with nine points reads them."""


def _read(name: str, array: str, at: tuple[int, int], shape: tuple[int, int]) -> list[str]:
    kind = f"memref<{shape[0]}x{shape[1]}xf32>"
    return [
        f"%{name}k0 = arith.constant {at[0]} : index",
        f"%{name}k1 = arith.constant {at[1]} : index",
        f"%{name}i = arith.addi %i, %{name}k0 : index",
        f"%{name}j = arith.addi %j, %{name}k1 : index",
        f"%{name} = memref.load %{array}[%{name}i, %{name}j] : {kind}",
    ]


def _program(shape: tuple[int, int], neighbours: list[tuple[int, int]], combine: str = "arith.addf") -> str:
    """A[i][j] = 0.3 * (A of the neighbours combined in their order) - W[i][j]."""
    lines = _read("s0", "A", neighbours[0], shape)
    for number, at in enumerate(neighbours[1:], 1):
        lines += _read(f"x{number}", "A", at, shape)
        lines.append(f"%s{number} = {combine} %s{number - 1}, %x{number} : f32")
    lines += [
        *_read("w", "W", (0, 0), shape),
        f"%p = arith.mulf %h, %s{len(neighbours) - 1} : f32",
        "%q = arith.subf %p, %w : f32",
        f"memref.store %q, %A[%i, %j] : memref<{shape[0]}x{shape[1]}xf32>",
    ]
    return HEAD.format(rows=shape[0], columns=shape[1], body="\n".join(lines))


def _arguments(shape: tuple[int, int], times: int, margin: int = 2) -> list[Any]:
    random = np.random.default_rng(3)
    arrays = [random.standard_normal(shape).astype(np.float32) for _ in range(2)]
    return [*arrays, 0, times, margin, shape[0] - margin, margin, shape[1] - margin]


def _taken(text: str, fp: str = "strict") -> bool:
    """Whether rows are transposed in registers: vectors go across the repetitions."""
    return "vector.shuffle" in build(text.encode(), "-", CompileOptions(cpu="x86-64-v4", fp=fp, cache=False)).mlir


def _same(text: str, *calls: list[Any], **settings: Any) -> None:
    ours = called_with(text, calls, fp="strict", cache=False, **settings)
    loops = called_with(text, calls, plain=True, fp="strict")
    for one, other in zip(ours, loops, strict=True):
        np.testing.assert_array_equal(one[0].view(np.int32), other[0].view(np.int32))


@pytest.mark.parametrize(("rows", "columns"), [(0, 9), (9, 0), (1, 1), (2, 17), (3, 33), (17, 5), (33, 35), (70, 16)])
def test_all_sizes_and_numbers_of_repetitions(rows: int, columns: int) -> None:
    text = _program((rows + 4, columns + 4), NINE)
    assert _taken(text)
    times = (-3, 0, 1, 2, 3, 5, 17, 33, 50) if rows == 17 else (1, 20)
    _same(text, *(_arguments((rows + 4, columns + 4), each) for each in times))


@pytest.mark.parametrize(
    "neighbours",
    [
        [(0, -1), (-1, 0), (0, 1), (1, 0)],
        [(0, 1), (0, 0), (0, -1)],
        [(0, -2), (2, -2), (-2, 1), (0, 1)],
        [(1, 2), (0, -1), (1, -2), (-1, 2)],
    ],
)
@pytest.mark.parametrize("combine", ["arith.addf", "arith.maximumf"])
def test_other_stencils(neighbours: list[tuple[int, int]], combine: str) -> None:
    text = _program((41, 44), neighbours, combine)
    assert _taken(text)
    _same(text, _arguments((41, 44), 21))


def test_values_that_are_not_finite() -> None:
    shape = (37, 39)
    arguments = _arguments(shape, 18)
    arguments[0][5, 7], arguments[0][20, 3], arguments[0][30:, 30:] = np.nan, np.inf, -0.0
    _same(_program(shape, NINE), arguments)


def test_empty_sweeps_and_bounds_the_wrong_way_round() -> None:
    text = _program((24, 24), NINE)
    every = ((5, 5, 2, 20), (9, 2, 2, 20), (2, 20, 7, 7), (2, 20, 22, -11), (20, 2, 20, 2))
    _same(text, *([*_arguments((24, 24), 20)[:4], *bounds] for bounds in every))


def test_scans_that_go_on_at_once_give_what_the_loops_give() -> None:
    text = _program((33, 42), NINE)
    every = ((2, 31, 2, 40), (2, 5, 2, 40), (2, 31, 2, 9), (5, 5, 2, 20), (2, 20, 22, -11))
    times = (-3, 0, 1, 2, 3, 4, 5, 9, 17)
    calls = [[*_arguments((33, 42), each)[:4], *bounds] for bounds in every for each in times]
    ours, loops = called_with(text, calls, fp="reassoc"), called_with(text, calls, plain=True, fp="strict")
    for one, other, call in zip(ours, loops, calls, strict=True):
        scale = np.abs(other[0]).max()
        np.testing.assert_allclose(one[0] / scale, other[0] / scale, atol=2e-6, err_msg=str(call[2:]))


def test_threads_change_nothing() -> None:
    _same(_program((41, 44), NINE), _arguments((41, 44), 33), threads=2)


def test_64_bits() -> None:
    text = _program((41, 44), NINE).replace("f32", "f64")
    assert _taken(text)
    arguments = [each.astype(np.float64) if isinstance(each, np.ndarray) else each for each in _arguments((41, 44), 21)]
    _same(text, arguments)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%A[%i, %j]", "%A[%t, %j]"),
        ("%A[%i, %j]", "%A[%j, %i]"),
        ("scf.for %j = %j0", "scf.for %j = %i"),
        ("scf.for %i = %i0", "scf.for %i = %t"),
        ("%p = arith.mulf %h, %s8", "%b = arith.index_cast %t : index to i32\n%c = arith.sitofp %b : i32 to f32\n"
         "%p = arith.mulf %c, %s8"),
        ("%p = arith.mulf %h, %s8", "%b = arith.index_cast %i : index to i32\n%c = arith.sitofp %b : i32 to f32\n"
         "%p = arith.mulf %c, %s8"),
        ("%p = arith.mulf %h, %s8", "%b = arith.index_cast %j : index to i32\n%c = arith.sitofp %b : i32 to f32\n"
         "%p = arith.mulf %c, %s8"),
    ],
)  # fmt: skip
def test_what_differs_from_row_to_row_stays_a_loop(old: str, new: str) -> None:
    text = _program((44, 44), NINE).replace(old, new)
    assert not _taken(text)
    _same(text, [*_arguments((44, 44), 20)[:2], 2, *_arguments((44, 44), 20)[3:]])


def test_rows_that_all_depend_on_one_stay_in_order() -> None:
    text = _program((44, 44), NINE).replace("%A[%x1i, %x1j]", "%A[%c1, %x1j]")
    assert not _taken(text)
    _same(text, _arguments((44, 44), 20, 1))


CANCELLED = """
void f(int n, int t, double a[restrict n][5]) {
  for (int s = 0; s < t; s++) for (int i = 1; i < n - 1; i++) for (int j = 1; j < 4; j++)
    a[i][j] = ((((a[i][j] + a[i][j - 1]) - a[i - 1][j]) + a[i - 1][j]) + a[i][j + 1]) * 0.25;
}"""


def test_a_row_that_cancels_leaves_constants_of_the_function_where_they_are() -> None:
    text = raise_module(convert(CANCELLED, "k.c").mlir, target="linalg").text
    array = np.random.default_rng(5).standard_normal((9, 5))
    ours, loops = (called(text, [9, 4, array], cache=False, plain=plain) for plain in (False, True))
    np.testing.assert_allclose(ours[0], loops[0], rtol=1e-12)
