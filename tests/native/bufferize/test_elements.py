"""Tables that are updated element by element stay in place, whatever is chosen and read between."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from raising.compile_module import compile_module
from raising.native.bufferize.bufferize import bufferize
from raising.native.bufferize.destination_passing import to_destinations
from raising.native.input.read_module import new_context, read
from tests.native.running import called

N = 9
TABLE = f"tensor<{N}x{N}xf32>"


def _program(body: str, arguments: str = "") -> str:
    """`body` makes %new of the table %T."""
    return f"""func.func @f(%table: memref<{N}x{N}xf32>{arguments}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {N} : index
  %T = bufferization.to_tensor %table restrict writable : memref<{N}x{N}xf32> to {TABLE}
  {body}
  bufferization.materialize_in_destination %new in restrict writable %table : ({TABLE}, memref<{N}x{N}xf32>) -> ()
  return
}}"""


CHOICE = _program(
    f"""%a = tensor.extract %T[%c0, %i] : {TABLE}
  %s = arith.addf %a, %x : f32
  %one = tensor.insert %s into %T[%c1, %i] : {TABLE}
  %two = tensor.insert %x into %T[%c1, %j] : {TABLE}
  %chosen = arith.select %left, %one, %two : {TABLE}
  %b = tensor.extract %chosen[%c1, %j] : {TABLE}
  %c = tensor.extract %two[%c1, %i] : {TABLE}
  %r = arith.mulf %b, %c : f32
  %new = tensor.insert %r into %chosen[%c0, %j] : {TABLE}""",
    ", %i: index, %j: index, %left: i1, %x: f32",
)


def _sums(start: str) -> str:
    """For j from 1: an element 1, j is 1 while the row 1 from `start` to j is summed; then it is the sum."""
    return _program(f"""%one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %new = scf.for %j = %c1 to %n step %c1 iter_args(%t = %T) -> ({TABLE}) {{
    %marked = tensor.insert %one into %t[%c1, %j] : {TABLE}
    %long = arith.subi %j, %c1 : index
    %size = arith.maxsi %long, %c0 : index
    %row = tensor.extract_slice %marked[1, {start}] [1, %size] [1, 1] : {TABLE} to tensor<?xf32>
    %init = tensor.from_elements %zero : tensor<f32>
    %sum = linalg.generic {{
      indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]
    }} ins(%row : tensor<?xf32>) outs(%init : tensor<f32>) {{
    ^bb0(%in: f32, %out: f32):
      %add = arith.addf %in, %out : f32
      linalg.yield %add : f32
    }} -> tensor<f32>
    %total = tensor.extract %sum[] : tensor<f32>
    %next = tensor.insert %total into %marked[%c1, %j] : {TABLE}
    scf.yield %next : {TABLE}
  }}""")


def _table() -> Any:
    return np.random.default_rng(3).random((N, N), np.float32)


def test_a_choice_of_updates_is_one_update() -> None:
    for i, j, left in ((2, 5, True), (2, 5, False), (4, 4, True), (4, 4, False)):
        table, x = _table(), np.float32(0.25)
        (found, *_) = called(CHOICE, [table, i, j, left, x], cache=False)
        one, two = table.copy(), table.copy()
        one[1, i] = table[0, i] + x
        two[1, j] = x
        chosen = one if left else two
        product = chosen[1, j] * two[1, i]
        chosen[0, j] = product
        np.testing.assert_array_equal(found, chosen)


def test_a_slice_is_read_as_it_was_only_where_the_update_is_outside() -> None:
    for start in ("0", "2"):
        table = _table()
        (found,) = called(_sums(start), [table], fp="strict", cache=False)
        for j in range(1, N):
            table[1, j] = 1
            table[1, j] = np.add.accumulate(np.append(np.float32(0), table[1, int(start) : int(start) + j - 1]))[-1]
        np.testing.assert_array_equal(found, table)


def test_no_table_is_copied() -> None:
    assert "memref.alloc" not in _placed(CHOICE)
    assert f"memref.alloc() {{alignment = 64 : i64}} : memref<{N}x{N}xf32>" not in _placed(_sums("0"))


_ELEMENT_AND_PART = """func.func @f(%a: memref<8xf64>, %b: memref<8x4xf64>, %n: index, %k: index, %x: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = bufferization.to_tensor %a restrict writable : memref<8xf64> to tensor<8xf64>
  %u = bufferization.to_tensor %b restrict writable : memref<8x4xf64> to tensor<8x4xf64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %t, %w = %u) -> (tensor<8xf64>, tensor<8x4xf64>) {
    %new = tensor.insert %x into %v[%i] : tensor<8xf64>
    %part = tensor.extract_slice %new[2] [4] [1] : tensor<8xf64> to tensor<4xf64>
    %one = tensor.extract %new[%k] : tensor<8xf64>
    %e = tensor.empty() : tensor<4xf64>
    %p = linalg.mul ins(%part, %one : tensor<4xf64>, f64) outs(%e : tensor<4xf64>) -> tensor<4xf64>
    %rows = tensor.insert_slice %p into %w[%i, 0] [1, 4] [1, 1] : tensor<4xf64> into tensor<8x4xf64>
    scf.yield %new, %rows : tensor<8xf64>, tensor<8x4xf64>
  }
  bufferization.materialize_in_destination %r#0 in restrict writable %a : (tensor<8xf64>, memref<8xf64>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %b : (tensor<8x4xf64>, memref<8x4xf64>) -> ()
  return
}
"""


def test_an_element_and_a_part_of_the_newest_version_are_read_without_a_copy() -> None:
    assert "memref.alloc" not in _placed(_ELEMENT_AND_PART)
    a, b, x = np.arange(8.0), np.zeros((8, 4)), 0.5
    one, rows = called(_ELEMENT_AND_PART, [a, b, 5, 3, x], cache=False)[:2]
    for i in range(5):
        a[i] = x
        b[i] = a[2:6] * a[3]
    np.testing.assert_array_equal(one, a)
    np.testing.assert_array_equal(rows, b)


def _placed(text: str) -> str:
    context = new_context()
    with context, ir.Location.unknown():
        module = read(text.encode(), "-", context)
        to_destinations(module)
        return str(bufferize(module))


def test_a_number_in_memory_that_is_chosen_twice() -> None:
    """As tensors of rank 0, the first choice would be memory that nothing can be written to in place."""
    text = """func.func @f(%n: index, %a: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2> : tensor<i8>
  %three = arith.constant dense<3> : tensor<i8>
  %one = arith.constant 1 : i8
  scf.for %i = %c0 to %n step %c1 {
    %cell = memref.alloca() : memref<i8>
    memref.store %one, %cell[] : memref<i8>
    %less = arith.cmpi slt, %i, %c1 : index
    %more = arith.cmpi sgt, %i, %c1 : index
    %other = arith.ori %less, %more : i1
    scf.if %other {
      %old = bufferization.to_tensor %cell restrict writable : memref<i8> to tensor<i8>
      %first = arith.select %less, %two, %old : tensor<i8>
      %second = arith.select %more, %three, %first : tensor<i8>
      bufferization.materialize_in_destination %second in restrict writable %cell : (tensor<i8>, memref<i8>) -> ()
    }
    %new = memref.load %cell[] : memref<i8>
    memref.store %new, %a[%i] : memref<?xi8>
  }
  return
}"""
    a = np.zeros(5, np.int8)
    compile_module(text, unchecked=True)(5, a)
    assert a.tolist() == [2, 1, 3, 3, 3]
