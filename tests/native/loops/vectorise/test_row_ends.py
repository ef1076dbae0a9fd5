"""How rows end: what is updated in place, what is kept for one row only, masks of narrow elements, little memory."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.guarded import guarded
from tests.native.running import isolated

GATHER = """func.func @f(%x: memref<?x?xf32>, %p: memref<?xi64>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %p, %c0 : memref<?xi64>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %places = bufferization.to_tensor %p restrict : memref<?xi64> to tensor<?xi64>
  %from = bufferization.to_tensor %x restrict : memref<?x?xf32> to tensor<?x?xf32>
  %room = tensor.empty(%n, %m) : tensor<?x?xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%places : tensor<?xi64>) outs(%room : tensor<?x?xf32>) {
  ^bb0(%place: i64, %o: f32):
    %at = arith.index_cast %place : i64 to index
    %j = linalg.index 1 : index
    %e = tensor.extract %from[%at, %j] : tensor<?x?xf32>
    %r = arith.addf %e, %e : f32
    linalg.yield %r : f32 } -> tensor<?x?xf32>
  %old = bufferization.to_tensor %y restrict writable : memref<?x?xf32> to tensor<?x?xf32>
  %new = tensor.insert_slice %rows into %old[0, 0] [%n, %m] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  bufferization.materialize_in_destination %new in restrict writable %y : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  return
}"""
SIZES = [(0, 3), (3, 0), (1, 1), (2, 63), (9, 64), (8, 65), (17, 100), (5, 131)]
IJ, ROW, COLUMN = (f"affine_map<(i, j) -> ({each})>" for each in ("i, j", "i", "j"))
UPDATE = f"""func.func @f(%a: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {{
  linalg.generic {{indexing_maps = [{ROW}, {COLUMN}, {IJ}], iterator_types = ["parallel", "parallel"]}}
    ins(%x, %y : memref<?xf64>, memref<?xf64>) outs(%a : memref<?x?xf64>) {{
  ^bb0(%p: f64, %q: f64, %o: f64):
    %t = arith.mulf %p, %q : f64
    %r = arith.addf %o, %t : f64
    linalg.yield %r : f64 }}
  return
}}"""
CENTRE = f"""func.func @f(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %m = tensor.dim %a, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %row = tensor.empty(%n) : tensor<?xf32>
  %whole = tensor.empty(%n, %m) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce ins(%a : tensor<?x?xf32>) outs(%z : tensor<?xf32>) dimensions = [1]
    (%p: f32, %q: f32) {{ %r = arith.addf %p, %q : f32 linalg.yield %r : f32 }}
  %d = linalg.generic {{indexing_maps = [{IJ}, {ROW}, {IJ}], iterator_types = ["parallel", "parallel"]}}
    ins(%a, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%whole : tensor<?x?xf32>) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.subf %p, %q : f32
    linalg.yield %r : f32 }} -> tensor<?x?xf32>
  %v = linalg.generic {{indexing_maps = [{IJ}, {ROW}], iterator_types = ["parallel", "reduction"]}}
    ins(%d : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {{
  ^bb0(%p: f32, %o: f32):
    %t = arith.mulf %p, %p : f32
    %r = arith.addf %o, %t : f32
    linalg.yield %r : f32 }} -> tensor<?xf32>
  %e = linalg.generic {{indexing_maps = [{IJ}, {ROW}, {IJ}], iterator_types = ["parallel", "parallel"]}}
    ins(%d, %v : tensor<?x?xf32>, tensor<?xf32>) outs(%whole : tensor<?x?xf32>) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %h = math.sqrt %q : f32
    %r = arith.mulf %p, %h : f32
    linalg.yield %r : f32 }} -> tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}}"""
LARGEST = f"""func.func @f(%a: memref<?x?xf32>, %o: memref<?xf32>) {{
  linalg.generic {{indexing_maps = [{IJ}, {ROW}], iterator_types = ["parallel", "reduction"]}}
    ins(%a : memref<?x?xf32>) outs(%o : memref<?xf32>) {{
  ^bb0(%p: f32, %q: f32):
    %r = arith.maximumf %p, %q : f32
    linalg.yield %r : f32 }}
  return
}}"""
INVERT = """func.func @f(%a: memref<?xi8>, %o: memref<?xi8>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%a : memref<?xi8>) outs(%o : memref<?xi8>) {
  ^bb0(%p: i8, %q: i8):
    %m = arith.constant -1 : i8
    %r = arith.xori %p, %m : i8
    linalg.yield %r : i8 }
  return
}"""
OPTIONS = CompileOptions(cpu="x86-64-v4", fp="fast")


def _loops(text: str) -> str:
    return build(text.encode(), "f.mlir", OPTIONS).mlir


@pytest.mark.parametrize("settings", [{}, {"threads": 2}, {"cpu": "x86-64-v3"}, {"fp": "strict"}])
def test_rows_of_any_size(settings: dict[str, Any]) -> None:
    isolated(partial(_rows, settings))


def _rows(settings: dict[str, Any]) -> None:
    update, centre, largest = (compile_module(text, **settings) for text in (UPDATE, CENTRE, LARGEST))
    for n, m in SIZES:
        rng = np.random.default_rng(n + m)
        a, x, y = rng.integers(-9, 9, (n, m)) * 1.0, rng.integers(-9, 9, n) * 1.0, rng.integers(-9, 9, m) * 1.0
        found = guarded(a.copy())
        update(found, guarded(x), guarded(y))
        np.testing.assert_array_equal(found, a + np.outer(x, y))
        small = a.astype(np.float32)
        out = guarded(np.zeros_like(small))
        centre(guarded(small), out=[out])
        rest = small - small.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(out, rest * np.sqrt((rest * rest).sum(axis=1, keepdims=True)), rtol=1e-5)
        most = guarded(np.full(n, -100, np.float32))
        largest(guarded(small), most)
        np.testing.assert_array_equal(most, small.max(axis=1, initial=-100))


def test_narrow_elements_of_any_number() -> None:
    isolated(_narrow)


def _narrow() -> None:
    for settings in ({}, {"cpu": "x86-64-v3"}):
        invert = compile_module(INVERT, **settings)
        for n in (0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 190, 191, 700, 1000):
            a, out = np.random.default_rng(n).integers(-128, 128, n).astype(np.int8), guarded(np.zeros(n, np.int8))
            invert(guarded(a), out)
            np.testing.assert_array_equal(out, ~a)


def test_rows_that_are_updated_end_without_a_masked_store() -> None:
    assert "maskedstore" not in _loops(UPDATE)


def test_what_one_row_needs_takes_no_memory_of_the_call() -> None:
    """The sums of a row are one element of eight on the stack; differences are computed again by their readers."""
    assert "memref<?xi8>" not in _loops(CENTRE)


def test_maxima_of_eight_rows_share_shuffles() -> None:
    assert "vector.store" in _loops(LARGEST)  # one by one they are stored as numbers


def test_long_rows_are_read_one_by_one() -> None:
    """Rows that share nothing, by their length: as many at once only where they are short, or it is known."""
    assert "vector.store" in _loops(LARGEST) and _loops(LARGEST).count("vector.reduction") > 1
    known = LARGEST.replace("?x?xf32", "?x64xf32")
    assert "vector.reduction" not in _loops(known.replace("?", "16")) and "scf.if" not in _loops(known)


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_of_lengths_around_the_bound(threads: int) -> None:
    isolated(partial(_long_rows, threads))


def _long_rows(threads: int) -> None:
    largest = compile_module(LARGEST, threads=threads)
    for n, m in [(0, 600), (1, 511), (7, 512), (8, 513), (9, 511), (17, 700), (3, 0), (2000, 512)]:
        a = np.random.default_rng(n + m).normal(size=(n, m)).astype(np.float32)
        a[n // 2 : n // 2 + 1, m // 2 : m // 2 + 1] = np.nan
        most = guarded(np.full(n, -100, np.float32))
        largest(guarded(a), most)
        np.testing.assert_array_equal(most, a.max(axis=1, initial=-100))


def test_llvm_puts_no_steps_of_vectors_together() -> None:
    """A step is a vector for each of eight sums: LLVM made four of it, and another loop for what that leaves over."""
    assert "llvm.loop.unroll.disable" in build(LARGEST.encode(), "f.mlir", OPTIONS).code.llvm
    counted = LARGEST.replace("?x?xf32", "16x64xf32").replace("memref<?xf32>", "memref<16xf32>")
    assert "llvm.loop.unroll.disable" not in build(counted.encode(), "f.mlir", OPTIONS).code.llvm


def test_llvm_puts_no_steps_of_a_tile_of_a_product_together() -> None:
    """A step is as many products as there are registers; four of it were a third of the code and of the time to it."""
    product = """func.func @f(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) {
      linalg.matmul ins(%a, %b : memref<?x?xf64>, memref<?x?xf64>) outs(%c : memref<?x?xf64>)
      return
    }"""
    assert "llvm.loop.unroll.runtime.disable" in build(product.encode(), "f.mlir", OPTIONS).code.llvm


def test_masks_of_narrow_elements_are_words() -> None:
    text = _loops(INVERT)
    assert "vector.bitcast" in text
    assert "create_mask" not in text


def test_arrays_of_open_size_are_not_prefetched() -> None:
    rows = LARGEST.replace(f"[{IJ}, {ROW}]", f"[{IJ}, {COLUMN}, {ROW}]").replace("(%a :", "(%a, %x :")
    rows = rows.replace("(%a: memref<?x?xf32>,", "(%a: memref<?x?xf32>, %x: memref<?xf32>,")
    rows = rows.replace("(%a, %x : memref<?x?xf32>)", "(%a, %x : memref<?x?xf32>, memref<?xf32>)")
    rows = rows.replace("(%p: f32, %q", "(%p: f32, %x_: f32, %q")
    assert "prefetch" not in _loops(rows)  # all rows read one vector, and are done together
    known = rows.replace("?x?x", "3000x3000x").replace("<?x", "<3000x")
    assert "prefetch" in _loops(known)


def test_little_memory_of_a_call_from_c_is_on_the_stack() -> None:
    rows = CENTRE.replace("arith.subf", "arith.divf")  # not computed again
    assert "alloca [16384 x i8]" in build(rows.encode(), "f.mlir", OPTIONS).code.llvm


def test_rows_at_positions_that_are_data_are_computed_where_they_end_up() -> None:
    assert "memref.view" not in _loops(GATHER)
    x, p = np.arange(12.0, dtype=np.float32).reshape(4, 3), np.array([3, 0, 3])
    got = np.zeros((4, 3), np.float32)
    compile_module(GATHER)["f"](x, p, got)
    assert np.array_equal(got[:3], 2 * x[p]) and not got[3].any()
