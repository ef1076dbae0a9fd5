"""Sequential loops around independent lines: vectors across the lines do what the loops did."""

from __future__ import annotations

import re
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from raising.native.loops.transpose_tiles import transposed
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Array
from raising.native.sequential.line_solvers import may_join
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


def _program(lines: int, count: int, body: str, low: int = 2, then: str = "", between: str = "") -> str:
    """A loop over %t around `body`; P is lines x (count + 4), R the other way round, S one element a line.

    With `then`, a second loop around that comes behind `between`.
    """
    loops = _loop(body) + (between + _loop(then) if then else "")
    return f"""func.func @f(%P: memref<{lines}x{count + 4}xf32>, %R: memref<{count + 4}x{lines}xf32>,
  %S: memref<1x{lines}xf32>, %end: index) {{
  %low = arith.constant {low} : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %last = arith.constant {count + 3} : index
  {loops}
  return
}}"""


def _loop(body: str) -> str:
    return f"""
  scf.for %t = %low to %end step %c1 {{
    %before = arith.subi %t, %c1 : index
    %two = arith.subi %t, %c2 : index
    %after = arith.addi %t, %c1 : index
    %back = arith.subi %last, %t : index
    %next = arith.addi %back, %c1 : index
    {body}
  }}
"""


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


ELIMINATED = ["%w = arith.mulf %x0, %x1 : f32", "%r = arith.subf %w, %x1 : f32"]
SUBSTITUTED = ["%w = arith.mulf %x0, %x1 : f32", "%r = arith.addf %w, %x2 : f32"]
OTHER = """%zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%S : memref<1x{lines}xf32>)"""
SOLUTION = """%zero = arith.constant 0.0 : f32
  %row = memref.subview %R[0, 0] [1, {lines}] [1, 1] : memref<{high}x{lines}xf32> to memref<{lines}xf32, strided<[1]>>
  linalg.fill ins(%zero : f32) outs(%row : memref<{lines}xf32, strided<[1]>>)"""


def _solver(lines: int, count: int, between: str = OTHER, apart: int = 0) -> str:
    """P[i][t] = (P[i][t-1] - 1) * R[t][i], then R[m-t][i] = P[i+apart][m-t] * R[m-t+1][i] + P[i][m-t+1]."""
    wide, high, some = (lines, count + 4), (count + 4, lines), lines - apart
    first = [
        _view("a", "P", ("0", "%before"), (lines, 1), wide),
        _view("b", "R", ("%t", "0"), (1, lines), high),
        _view("c", "P", ("0", "%t"), (lines, 1), wide),
    ]
    second = [
        _view("a", "P", (str(apart), "%back"), (some, 1), wide),
        _view("b", "R", ("%next", "0"), (1, some), high),
        _view("c", "P", ("0", "%next"), (some, 1), wide),
        _view("d", "R", ("%back", "0"), (1, some), high),
    ]
    forward, backward = _step(first, list("abc"), ELIMINATED), _step(second, list("abcd"), SUBSTITUTED)
    return _program(
        lines, count, forward, then=backward, between=between.format(lines=lines, count=count, high=count + 4)
    )


def _three_rows(lines: int, count: int) -> str:
    """R[t][i] = R[t-1][i] * ((P[i-1][t] + P[i][t]) * P[i+1][t]) + P[i][t]: two values along rows."""
    wide, high, some = (lines, count + 4), (count + 4, lines), lines - 2
    views = [_view("a", "R", ("%before", "1"), (1, some), high)]
    views += [_view(tag, "P", (str(k), "%t"), (some, 1), wide) for k, tag in enumerate("bcd")]
    views += [_view("e", "R", ("%t", "1"), (1, some), high)]
    body = [
        "%u = arith.addf %x1, %x2 : f32",
        "%v = arith.mulf %u, %x3 : f32",
        "%w = arith.mulf %x0, %v : f32",
        "%r = arith.addf %w, %x2 : f32",
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
@pytest.mark.parametrize("program", [_forward, _backward, _neighbours, _solver, _three_rows])
def test_lines_side_by_side_give_what_the_loops_give(program: Any, lines: int, count: int, end: int) -> None:
    text = program(lines, count)
    assert _transposes(text)
    arguments = _arguments(lines, count, end)
    ours = called(text, arguments, fp="strict", cache=False)
    loops = called(text, arguments, plain=True, fp="strict", cache=False)
    for one, other in zip(ours[:3], loops[:3], strict=True):
        np.testing.assert_array_equal(one, other)


def _joins(text: str) -> bool:
    """Whether each line goes through both loops before the next one begins."""
    answers = []

    def asked(*question: Any) -> bool:
        answers.append(may_join(*question))
        return answers[-1]

    with patch("raising.native.schedule.may_join", asked):
        build(text.encode(), "-", CompileOptions(cpu="x86-64-v4", cache=False))
    return any(answers)


def test_a_line_goes_through_both_loops_of_a_solver() -> None:
    assert _joins(_solver(37, 41))


@pytest.mark.parametrize("change", [{"between": SOLUTION}, {"apart": 1}])
def test_loops_that_need_all_lines_of_the_one_before_come_after_it(change: dict[str, Any]) -> None:
    text, arguments = _solver(37, 41, **change), _arguments(37, 41, 43)
    assert not _joins(text)
    ours, loops = called(text, arguments, fp="strict"), called(text, arguments, plain=True, fp="strict", cache=False)
    for one, other in zip(ours[:3], loops[:3], strict=True):
        np.testing.assert_array_equal(one, other)


def test_terms_along_rows_are_transposed_once() -> None:
    """Of three rows that are read two values are needed across them: 16 vectors, four shuffles of each, and masked."""
    text = build(_three_rows(66, 32).encode(), "-", CompileOptions(cpu="x86-64-v4", cache=False)).mlir
    assert text.count("vector.shuffle") == 2 * 2 * 64


@pytest.mark.parametrize("lanes", [2, 4, 8, 16, 32, 64])
@pytest.mark.parametrize("kind", ["i8", "f16", "f32", "f64"])
def test_tiles_are_transposed_by_shuffles(lanes: int, kind: str) -> None:
    code, tile = Lines(), np.arange(lanes * lanes).reshape(lanes, lanes)
    rows = [f"%row{number}" for number in range(lanes)]
    columns = transposed(code, rows, f"vector<{lanes}x{kind}>")
    values = dict(zip(rows, tile, strict=True))
    for line in code.lines:
        found = re.fullmatch(r"(\S+) = vector.shuffle (\S+), (\S+) \[(.*)\] : .*", line.strip())
        assert found is not None
        name, one, two, order = found.groups()
        values[name] = np.concatenate([values[one], values[two]])[[int(each) for each in order.split(",")]]
    np.testing.assert_array_equal([values[name] for name in columns], tile.T)


@pytest.mark.parametrize("program", [_forward, _solver])
def test_threads_change_nothing(program: Any) -> None:
    text, arguments = program(37, 41), _arguments(37, 41, 43)
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
