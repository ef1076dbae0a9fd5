"""How loops end without masks, and which vectors small integers, colours and sums of a few elements have."""

from functools import partial

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.guarded import guarded
from tests.native.running import isolated

ID = "affine_map<(i) -> (i)>"
TYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "f32": np.float32, "f64": np.float64}
LENGTHS = [*range(70), 100, 131, *range(1180, 1190)]


def _loop(body: str, element: str) -> str:
    """A loop over two arrays of these elements: `y` becomes `%r`, of `%p` of `x` and `%o` of `y`."""
    kind = f"memref<?x{element}>"
    return f"""func.func @f(%x: {kind}, %y: {kind}) {{
  linalg.generic {{indexing_maps = [{ID}, {ID}], iterator_types = ["parallel"]}} ins(%x : {kind}) outs(%y : {kind}) {{
  ^bb0(%p: {element}, %o: {element}):
    %r = arith.{body} : {element}
    linalg.yield %r : {element} }}
  return
}}"""


def _loops(element: str) -> tuple[str, str]:
    """One in place, and one from one array to the other."""
    letter = "f" if element[0] == "f" else "i"
    return _loop(f"sub{letter} %p, %o", element), _loop(f"add{letter} %p, %p", element)


@pytest.mark.parametrize("cpu", ["native", "x86-64-v3"])
@pytest.mark.parametrize("element", TYPES)
def test_every_length(element: str, cpu: str) -> None:
    isolated(partial(_every_length, element, cpu))


def _every_length(element: str, cpu: str) -> None:
    kind = TYPES[element]
    update, double = (compile_module(text, cpu=cpu) for text in _loops(element))
    rng = np.random.default_rng(0)
    for n in LENGTHS:
        x, y = (rng.integers(-60, 60, n).astype(kind) for _ in range(2))
        found, out = guarded(y), guarded(y)
        update(guarded(x), found)
        double(guarded(x), out)
        np.testing.assert_array_equal(found, x - y)
        np.testing.assert_array_equal(out, x + x)


@pytest.mark.parametrize("cpu", ["native", "x86-64-v3", "x86-64"])
def test_what_is_in_front_of_the_first_element_stays(cpu: str) -> None:
    """The last vector ends with the loop, but only if it begins in it: not in front of its first element."""
    isolated(partial(_from_an_element_on, cpu))


def _from_an_element_on(cpu: str) -> None:
    kind = "memref<?xf32>"
    text = f"""func.func @f(%x: {kind}, %y: {kind}, %first: index) {{
  linalg.generic {{indexing_maps = [{ID}, {ID}], iterator_types = ["parallel"]}} ins(%x : {kind}) outs(%y : {kind}) {{
  ^bb0(%p: f32, %o: f32):
    %i = linalg.index 0 : index
    %c = arith.cmpi sge, %i, %first : index
    %r = arith.select %c, %p, %o : f32
    linalg.yield %r : f32 }}
  return
}}"""
    copy = compile_module(text, cpu=cpu)
    for n in range(20):
        for first in range(n + 1):
            x, y = (np.arange(k, k + n, dtype=np.float32) for k in (100, 200))
            found = guarded(y)
            copy(guarded(x), found, first)
            np.testing.assert_array_equal(found, np.where(np.arange(n) >= first, x, y))


@pytest.mark.parametrize("element", TYPES)
def test_no_light_loop_of_avx2_stores_under_a_mask(element: str) -> None:
    for loop in _loops(element):
        text = build(loop.encode(), "f.mlir", CompileOptions(cpu="x86-64-v3")).mlir
        assert "vector.store" in text and "maskedstore" not in text


def test_small_integers_fill_vectors_where_they_are_in_memory() -> None:
    """A sum of bytes that is saturated is computed on 16 bits: of 32 bytes."""
    text = f"""func.func @f(%x: memref<?xi8>, %y: memref<?xi8>, %z: memref<?xi8>) {{
  %most = arith.constant 255 : i32
  linalg.generic {{indexing_maps = [{ID}, {ID}, {ID}], iterator_types = ["parallel"]}}
    ins(%x, %y : memref<?xi8>, memref<?xi8>) outs(%z : memref<?xi8>) {{
  ^bb0(%p: i8, %q: i8, %o: i8):
    %a = arith.extui %p : i8 to i32
    %b = arith.extui %q : i8 to i32
    %s = arith.addi %a, %b : i32
    %r = arith.minsi %s, %most : i32
    %t = arith.trunci %r : i32 to i8
    linalg.yield %t : i8 }}
  return
}}"""
    assert "vector<32xi8>" in build(text.encode(), "f.mlir", CompileOptions(cpu="x86-64-v3")).mlir


PIXELS = """func.func @f(%a: tensor<?x3xi8>) -> tensor<?x4xi8> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant -3 : index
  %full = arith.constant -1 : i8
  %n = tensor.dim %a, %c0 : tensor<?x3xi8>
  %room = tensor.empty(%n) : tensor<?x4xi8>
  %r = tensor.extract_slice %a[0, 0] [%n, 1] [1, 1] : tensor<?x3xi8> to tensor<?xi8>
  %g = tensor.extract_slice %a[0, 1] [%n, 1] [1, 1] : tensor<?x3xi8> to tensor<?xi8>
  %b = tensor.extract_slice %a[0, 2] [%n, 1] [1, 1] : tensor<?x3xi8> to tensor<?xi8>
  %1 = tensor.insert_slice %r into %room[0, 0] [%n, 1] [1, 1] : tensor<?xi8> into tensor<?x4xi8>
  %2 = tensor.insert_slice %g into %1[0, 1] [%n, 1] [1, 1] : tensor<?xi8> into tensor<?x4xi8>
  %3 = tensor.insert_slice %b into %2[0, 2] [%n, 1] [1, 1] : tensor<?xi8> into tensor<?x4xi8>
  %4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<?x4xi8>) outs(%room : tensor<?x4xi8>) {
  ^bb0(%p: i8, %q: i8):
    %j = linalg.index 1 : index
    %k = arith.addi %j, %c3 : index
    %last = arith.cmpi eq, %k, %c0 : index
    %v = arith.select %last, %full, %p : i8
    linalg.yield %v : i8
  } -> tensor<?x4xi8>
  return %4 : tensor<?x4xi8>
}"""


def test_a_row_that_chooses_by_its_place_is_on_vectors() -> None:
    """The fourth element of the temporary has no value; nothing uses it."""
    assert "vector<128xi8>" in build(PIXELS.encode(), "f.mlir", CompileOptions(cpu="x86-64-v3")).mlir
    isolated(_pixels)


def _pixels() -> None:
    run = compile_module(PIXELS)
    for n in (0, 1, 5, 31, 32, 33, 100):
        a = np.arange(3 * n, dtype=np.int64).astype(np.int8).reshape(n, 3)
        found = guarded(np.zeros((n, 4), np.int8))
        run(guarded(a), out=[found])
        np.testing.assert_array_equal(found, np.concatenate([a, np.full((n, 1), -1, np.int8)], axis=1))


ENDS = """func.func @f(%arg0: i32, %arg1: i32, %arg2: memref<?x?xf64>, %arg3: memref<?x?xf64>)
  attributes {c_parameters = [["int", "h"], ["int", "w"], ["double", "u", "h", "w"], ["double", "o", "h", "w"]],
    c_positive = ["w"]} {
  %0 = arith.index_cast %arg0 : i32 to index
  %1 = arith.index_cast %arg1 : i32 to index
  %2 = arith.index_cast %arg0 : i32 to index
  %3 = arith.index_cast %arg1 : i32 to index
  %4 = bufferization.to_tensor %arg2 restrict : memref<?x?xf64> to tensor<?x?xf64>
  %c0 = arith.constant 0 : index
  %5 = arith.maxsi %2, %c0 : index
  %6 = arith.maxsi %3, %c0 : index
  %7 = tensor.empty(%5, %6) : tensor<?x?xf64>
  %s = tensor.extract_slice %4[0, 1] [%5, 1] [1, 1] : tensor<?x?xf64> to tensor<?xf64>
  %c-1 = arith.constant -1 : index
  %8 = arith.addi %3, %c-1 : index
  %s_0 = tensor.extract_slice %4[0, %8] [%5, 1] [1, 1] : tensor<?x?xf64> to tensor<?xf64>
  %9 = tensor.empty(%5) : tensor<?xf64>
  %10 = linalg.sub ins(%s, %s_0 : tensor<?xf64>, tensor<?xf64>) outs(%9 : tensor<?xf64>) -> tensor<?xf64>
  %c-2 = arith.constant -2 : index
  %11 = arith.addi %3, %c-2 : index
  %12 = arith.maxsi %11, %c0 : index
  %s_1 = tensor.extract_slice %4[0, 2] [%5, %12] [1, 1] : tensor<?x?xf64> to tensor<?x?xf64>
  %s_2 = tensor.extract_slice %4[0, 0] [%5, %12] [1, 1] : tensor<?x?xf64> to tensor<?x?xf64>
  %13 = tensor.empty(%5, %12) : tensor<?x?xf64>
  %14 = linalg.sub ins(%s_1, %s_2 : tensor<?x?xf64>, tensor<?x?xf64>) outs(%13 : tensor<?x?xf64>) -> tensor<?x?xf64>
  %s_3 = tensor.extract_slice %4[0, 0] [%5, 1] [1, 1] : tensor<?x?xf64> to tensor<?xf64>
  %s_4 = tensor.extract_slice %4[0, %11] [%5, 1] [1, 1] : tensor<?x?xf64> to tensor<?xf64>
  %15 = linalg.sub ins(%s_3, %s_4 : tensor<?xf64>, tensor<?xf64>) outs(%9 : tensor<?xf64>) -> tensor<?xf64>
  %i = tensor.insert_slice %10 into %7[0, 0] [%5, 1] [1, 1] : tensor<?xf64> into tensor<?x?xf64>
  %i_5 = tensor.insert_slice %14 into %i[0, 1] [%5, %12] [1, 1] : tensor<?x?xf64> into tensor<?x?xf64>
  %i_6 = tensor.insert_slice %15 into %i_5[0, %8] [%5, 1] [1, 1] : tensor<?xf64> into tensor<?x?xf64>
  bufferization.materialize_in_destination %i_6 in restrict writable %arg3 : (tensor<?x?xf64>, memref<?x?xf64>) -> ()
  return
}"""


def test_rows_of_a_length_that_nothing_else_uses() -> None:
    """The rows of the middle part are kept for an iteration; their length is a value that no loop's bound names."""
    isolated(_ends)


def _ends() -> None:
    run = compile_module(ENDS)
    for h, w in ((1, 3), (3, 2), (5, 40)):
        u = np.random.default_rng(w).normal(size=(h, w))
        edge, end = (u[:, 1] - u[:, -1])[:, None], (u[:, 0] - u[:, -2])[:, None]
        found = guarded(np.zeros((h, w)))
        run(h, w, guarded(u), found)
        np.testing.assert_array_equal(found, np.concatenate([edge, u[:, 2:] - u[:, :-2], end], axis=1))
