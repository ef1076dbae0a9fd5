"""Sums over small windows are written out, in their order."""

from typing import Any

import numpy as np
import pytest

from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from raising.native.loops.unroll_window import unrolled
from raising.native.nest.nest import Nest
from tests.native.nest.test_nest import nests, read
from tests.native.running import called

ROWS, COLUMNS = 13, 37


def window(body: str, element: str = "f32", p: int = 3, q: int = 2, columns: str = f"{COLUMNS}") -> str:
    """y[i, j] joined with x[i + p, j + q] and w[p, q], for all p and q."""
    whole = f"{COLUMNS + q - 1}" if columns == f"{COLUMNS}" else "?"
    x, w, y = (f"memref<{shape}x{element}>" for shape in (f"{ROWS + p - 1}x{whole}", f"{p}x{q}", f"{ROWS}x{columns}"))
    maps = ("(i + p, j + q)", "(p, q)", "(i, j)")
    indexing = ", ".join(f"affine_map<(i, j, p, q) -> {each}>" for each in maps)
    return f"""func.func @f(%x: {x}, %w: {w}, %y: {y}) {{
  linalg.generic {{indexing_maps = [{indexing}],
    iterator_types = ["parallel", "parallel", "reduction", "reduction"]}} ins(%x, %w : {x}, {w}) outs(%y : {y}) {{
  ^bb0(%a: {element}, %b: {element}, %o: {element}):
    {body}
    linalg.yield %r : {element} }}
  return
}}"""


WEIGHTED = "%t = arith.mulf %a, %b : f32\n%r = arith.addf %o, %t : f32"
LARGEST = "%r = arith.maximumf %o, %a : f32"
FROM = "%t = arith.divf %a, %b : f32\n%r = arith.subf %o, %t : f32"
INTEGERS = "%t = arith.xori %a, %b : i32\n%r = arith.addi %o, %t : i32"


def inputs(element: str, p: int, q: int) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(0)
    shapes = ((ROWS + p - 1, COLUMNS + q - 1), (p, q), (ROWS, COLUMNS))
    if element == "i32":
        return [rng.integers(-99, 99, shape).astype(np.int32) for shape in shapes]
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


@pytest.mark.parametrize("columns", [f"{COLUMNS}", "?"], ids=["known", "open"])
@pytest.mark.parametrize(("body", "element"), [(WEIGHTED, "f32"), (LARGEST, "f32"), (FROM, "f32"), (INTEGERS, "i32")])
def test_results_are_those_of_the_loops_to_the_bit(body: str, element: str, columns: str) -> None:
    text, given = window(body, element, columns=columns), inputs(element, 3, 2)
    assert np.array_equal(called(text, given, fp="strict")[2], called(text, given, plain=True, fp="strict")[2])
    np.testing.assert_allclose(called(text, given, threads=2)[2], called(text, given, plain=True)[2], rtol=1e-4)


def one_nest(body: str, p: int, q: int) -> Nest:
    head, rest = window(body, p=p, q=q).split("{\n", 1)
    (found,) = nests(read(rest.rsplit("return", 1)[0], head.split("(", 1)[1].rsplit(")", 1)[0])[0])
    return found


def test_small_windows_are_written_out_and_large_ones_are_not() -> None:
    small, large = one_nest(WEIGHTED, 3, 5), one_nest(WEIGHTED, 7, 5)
    found = unrolled(small)
    assert found.parallel == (True, True) and len(found.reads) == 1 + 2 * 15 and len(found.body) == 2 * 15
    assert unrolled(large) == large


def test_what_does_not_sum_stays() -> None:
    last = one_nest("%r = arith.mulf %a, %b : f32", 2, 2)
    assert unrolled(last) == last


STAYS = """
func.func @f(%x: memref<?xi8>, %y: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %most = arith.constant 255 : i32
  %n = memref.dim %y, %c0 : memref<?xi8>
  %s = memref.alloca() : memref<i32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %most, %s[] : memref<i32>
    %w = memref.subview %x[%i] [EXTENT] [1] : memref<?xi8> to memref<EXTENTxi8, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(p) -> (p)>, affine_map<(p) -> ()>], iterator_types = ["reduction"]}
      ins(%w : memref<EXTENTxi8, strided<[1], offset: ?>>) outs(%s : memref<i32>) {
    ^bb0(%a: i8, %o: i32):
      %e = arith.extui %a : i8 to i32
      %r = arith.minsi %o, %e : i32
      linalg.yield %r : i32 }
    %v = memref.load %s[] : memref<i32>
    %t = arith.trunci %v : i32 to i8
    memref.store %t, %y[%i] : memref<?xi8>
  }
  return
}
"""


@pytest.mark.parametrize("cpu", ["x86-64-v4", "x86-64-v3"])
@pytest.mark.parametrize(("extent", "joined"), [(1, False), (3, False), (4, False), (5, True), (40, True)])
def test_few_elements_in_a_loop_that_stays_are_scalars(extent: int, joined: bool, cpu: str) -> None:
    """The lanes of a vector are not joined for three elements: LLVM vectorises the loop around."""
    text = STAYS.replace("EXTENT", str(extent))
    built = build(text.encode(), "-", CompileOptions(cpu=cpu))
    assert ("vector.reduction" in built.mlir) == joined
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 63, 64, 65, 130):
        x = rng.integers(0, 256, n + extent - 1, dtype=np.uint8)
        _, y = called(text, [x.view(np.int8), np.zeros(n, np.int8)])
        wanted = [min(x[i : i + extent]) for i in range(n)]
        assert np.array_equal(y.view(np.uint8), np.array(wanted, np.uint8))


def table(element: str, rows: int, window: int, map_: str) -> str:
    """y[i, r] += x[i, k] * w[r, k] for all k of the window."""
    x, w, y = (f"memref<{shape}x{element}>" for shape in (f"?x{window}", f"{rows}x{window}", f"?x{rows}"))
    w = w if map_ == "(r, k)" else f"memref<{window}x{rows}x{element}>"
    maps = ", ".join(f"affine_map<(i, r, k) -> {each}>" for each in ("(i, k)", map_, "(i, r)"))
    return f"""func.func @f(%x: {x}, %w: {w}, %y: {y}) {{
  linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "reduction"]}}
    ins(%x, %w : {x}, {w}) outs(%y : {y}) {{
  ^bb0(%a: {element}, %b: {element}, %o: {element}):
    %t = arith.mulf %a, %b : {element}
    %r = arith.addf %o, %t : {element}
    linalg.yield %r : {element} }}
  return
}}"""


@pytest.mark.parametrize("map_", ["(r, k)", "(k, r)"])
@pytest.mark.parametrize(("element", "rows", "window"), [
    ("f32", 8, 8), ("f32", 16, 10), ("f64", 6, 6), ("f64", 3, 5), ("f32", 9, 2), ("f32", 3, 3), ("f32", 4, 4),
])  # fmt: skip
def test_small_tables_times_many_rows(element: str, rows: int, window: int, map_: str) -> None:
    """To the bit as the loops; the table's rows are vectors in registers, wherever a vector has enough results."""
    text, kind = table(element, rows, window, map_), np.dtype(f"f{int(element[1:]) // 8}")
    for n in (0, 1, 2, 17, 65):
        rng = np.random.default_rng(n)
        shape = (rows, window) if map_ == "(r, k)" else (window, rows)
        arrays = [rng.random(each).astype(kind) for each in ((n, window), shape, (n, rows))]
        found, wanted = (called(text, arrays, plain=plain, fp="strict")[2] for plain in (False, True))
        assert np.array_equal(found, wanted), n
    if element == "f64" and rows == 6 and map_ == "(r, k)":
        assert "vector.from_elements" in build(text.encode(), "-", CompileOptions(cpu="x86-64-v4")).mlir
