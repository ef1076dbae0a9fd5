"""Sequential loops around independent lines: vectors across the lines do what the loops did."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from raising.native.nest.nest import Access, Array
from raising.native.sequential.outer_vectorise import later
from tests.native.running import called

SAME = "affine_map<(i) -> (i)>"


def _view(tag: str, array: str, where: tuple[str, str], size: tuple[int, int], shape: tuple[int, int]) -> list[str]:
    """A row or a column of an array as a vector `%tag`; offsets may be values."""
    dynamic = any(offset.startswith("%") for offset in where)
    stride = shape[1] if size[1] == 1 else 1
    offset = "?" if dynamic else str(int(where[0]) * shape[1] + int(where[1]))
    kind = f"memref<{max(size)}xf32, strided<[{stride}], offset: {offset}>>"
    whole = f"memref<{shape[0]}x{shape[1]}xf32>"
    text = f"%{tag} = memref.subview %{array}[{where[0]}, {where[1]}] [{size[0]}, {size[1]}] [1, 1] : {whole} to {kind}"
    return [text, kind]


def _step(views: list[list[str]], names: list[str], body: list[str]) -> str:
    """`body` computes %r of %x0, %x1, ... for each element of the views; the last view is written."""
    maps = ", ".join([SAME] * len(views))
    inputs = ", ".join(f"%{name}" for name in names[:-1])
    kinds = ", ".join(kind for _, kind in views[:-1])
    arguments = ", ".join(f"%x{k}: f32" for k in range(len(views) - 1))
    return "\n".join([
        *(text for text, _ in views),
        f'linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}',
        f"ins({inputs} : {kinds}) outs(%{names[-1]} : {views[-1][1]}) {{",
        f"^bb0({arguments}, %out: f32):",
        *body,
        "linalg.yield %r : f32 }",
    ])  # fmt: skip


def _program(lines: int, count: int, body: str, low: int = 2) -> str:
    """A loop over %t around `body`; P is lines x (count + 4), R the other way round, S one element a line."""
    return f"""func.func @f(%P: memref<{lines}x{count + 4}xf32>, %R: memref<{count + 4}x{lines}xf32>,
  %S: memref<1x{lines}xf32>, %end: index) {{
  %low = arith.constant {low} : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %last = arith.constant {count + 3} : index
  scf.for %t = %low to %end step %c1 {{
    %before = arith.subi %t, %c1 : index
    %two = arith.subi %t, %c2 : index
    %after = arith.addi %t, %c1 : index
    %back = arith.subi %last, %t : index
    %next = arith.addi %back, %c1 : index
    {body}
  }}
  return
}}"""


def _forward(lines: int, count: int) -> str:
    """P[i][t] = 0.5 * P[i][t-1] + R[t][i] - 0.25 * P[i][t-2]; then S[i] += P[i][t+1], that is still old."""
    wide, high = (lines, count + 4), (count + 4, lines)
    column, row = (lines, 1), (1, lines)
    first = [
        _view("a", "P", ("0", "%before"), column, wide),
        _view("b", "R", ("%t", "0"), row, high),
        _view("c", "P", ("0", "%two"), column, wide),
        _view("d", "P", ("0", "%t"), column, wide),
    ]
    body = [
        "%h = arith.constant 0.5 : f32",
        "%q = arith.constant 0.25 : f32",
        "%u = arith.mulf %x0, %h : f32",
        "%v = arith.mulf %x2, %q : f32",
        "%w = arith.addf %u, %x1 : f32",
        "%r = arith.subf %w, %v : f32",
    ]
    second = [
        _view("e", "P", ("0", "%after"), column, wide),
        _view("f", "S", ("0", "0"), row, (1, lines)),
        _view("g", "S", ("0", "0"), row, (1, lines)),
    ]
    total = ["%r = arith.addf %x0, %x1 : f32"]
    return _program(lines, count, _step(first, list("abcd"), body) + "\n" + _step(second, list("efg"), total))


def _backward(lines: int, count: int) -> str:
    """R[m-t][i] = P[i][m-t] * R[m-t+1][i], and P[i][m-t] = R[m-t][i] + P[i][m-t+1]."""
    wide, high = (lines, count + 4), (count + 4, lines)
    column, row = (lines, 1), (1, lines)
    first = [
        _view("a", "P", ("0", "%back"), column, wide),
        _view("b", "R", ("%next", "0"), row, high),
        _view("c", "R", ("%back", "0"), row, high),
    ]
    second = [
        _view("d", "R", ("%back", "0"), row, high),
        _view("e", "P", ("0", "%next"), column, wide),
        _view("g", "P", ("0", "%back"), column, wide),
    ]
    product, total = ["%r = arith.mulf %x0, %x1 : f32"], ["%r = arith.addf %x0, %x1 : f32"]
    return _program(lines, count, _step(first, list("abc"), product) + "\n" + _step(second, list("deg"), total))


def _neighbours(lines: int, count: int) -> str:
    """R[t][i] = 0.5 * R[t-1][i] + P[i][t-1] + P[i][t] - P[i][t+1], the earlier elements first."""
    wide, high = (lines, count + 4), (count + 4, lines)
    column, row = (lines, 1), (1, lines)
    views = [
        _view("a", "R", ("%before", "0"), row, high),
        _view("b", "P", ("0", "%before"), column, wide),
        _view("c", "P", ("0", "%t"), column, wide),
        _view("d", "P", ("0", "%after"), column, wide),
        _view("e", "R", ("%t", "0"), row, high),
    ]
    body = [
        "%h = arith.constant 0.5 : f32",
        "%u = arith.mulf %x0, %h : f32",
        "%v = arith.addf %u, %x1 : f32",
        "%w = arith.addf %v, %x2 : f32",
        "%r = arith.subf %w, %x3 : f32",
    ]
    return _program(lines, count, _step(views, list("abcde"), body))


def _arguments(lines: int, count: int, end: int) -> list[Any]:
    random = np.random.default_rng(7)
    shapes = ((lines, count + 4), (count + 4, lines), (1, lines))
    return [*(random.random(shape, np.float32) for shape in shapes), end]


def _transposes(text: str) -> bool:
    """Whether columns are transposed in registers."""
    return "vector.shuffle" in build(text.encode(), "-", CompileOptions(cpu="x86-64-v4", cache=False)).mlir


@pytest.mark.parametrize(("lines", "count", "end"), [(37, 41, 43), (32, 32, 34), (5, 9, 11), (19, 50, 2), (16, 21, 3)])
@pytest.mark.parametrize("program", [_forward, _backward, _neighbours])
def test_lines_side_by_side_give_what_the_loops_give(program: Any, lines: int, count: int, end: int) -> None:
    text = program(lines, count)
    assert _transposes(text)
    arguments = _arguments(lines, count, end)
    ours = called(text, arguments, fp="strict", cache=False)
    loops = called(text, arguments, plain=True, fp="strict", cache=False)
    for one, other in zip(ours[:3], loops[:3], strict=True):
        np.testing.assert_array_equal(one, other)


def test_threads_change_nothing() -> None:
    text, arguments = _forward(37, 41), _arguments(37, 41, 43)
    for one, other in zip(called(text, arguments)[:3], called(text, arguments, threads=2)[:3], strict=True):
        np.testing.assert_array_equal(one, other)


def _slanted(lines: int, count: int) -> str:
    """P[i][t] = P[i+1][t-1] + R[t][i]: a line needs the next one."""
    wide, high = (lines, count + 4), (count + 4, lines)
    views = [
        _view("a", "P", ("1", "%before"), (lines - 1, 1), wide),
        _view("b", "R", ("%t", "0"), (1, lines - 1), high),
        _view("c", "P", ("0", "%t"), (lines - 1, 1), wide),
    ]
    return _program(lines, count, _step(views, list("abc"), ["%r = arith.addf %x0, %x1 : f32"]))


def test_lines_that_need_one_another_stay_in_step() -> None:
    text, arguments = _slanted(37, 41), _arguments(37, 41, 43)
    assert not _transposes(text)
    ours, loops = called(text, arguments, cache=False), called(text, arguments, plain=True, cache=False)
    np.testing.assert_array_equal(ours[0], loops[0])


def test_an_element_is_read_again_only_if_all_subscripts_say_the_same() -> None:
    """x[t, t] is read as x[t, t - 1] by no later iteration, and as x[t - 1, t - 1] by the next one."""
    array = Array("%x", "f32", "memref<9x9xf32>", (Affine(9), Affine(9)), (9, 1), 0, "%x")
    t = dim("%t")
    write = Access(array, (t, t))
    found = [later(write, Access(array, at), "%t") for at in ((t, t - 1), (t - 1, t - 1), (t - 1, t - 2), (t, t))]
    assert found == [None, 1, None, 0]
