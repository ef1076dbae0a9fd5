"""Parts of a matrix that are computed from it, one after the other, take its place without a copy of the matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir

from raising.native.base.unsupported import CompileError
from raising.native.bufferize.bufferize import bufferize
from raising.native.bufferize.destination_passing import to_destinations
from raising.native.input.read_module import new_context, read
from tests.native.running import called

N = 13
WHOLE = f"tensor<{N}x{N}xf32>"
MAPS = (
    "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>"
)


def _least(name: str, block: str, column: str, row: str, rows: str) -> str:
    """The block, or the sum of a column and a row where that is less."""
    part = f"tensor<?x{N}xf32>"
    return f"""%{name}e = tensor.empty({rows}) : {part}
    %{name} = linalg.generic {{indexing_maps = [{MAPS}], iterator_types = ["parallel", "parallel"]}}
      ins({block}, {column}, {row} : {part}, tensor<?xf32>, tensor<{N}xf32>) outs(%{name}e : {part}) {{
    ^bb0(%b: f32, %c: f32, %r: f32, %out: f32):
      %s = arith.addf %c, %r : f32
      %m = arith.minimumf %b, %s : f32
      linalg.yield %m : f32
    }} -> {part}"""


def _program(row: str) -> str:
    """For each k: rows up to k of the matrix from its column and row k; then the rows below, from `row`."""
    part = f"tensor<?x{N}xf32>"
    return f"""func.func @f(%matrix: memref<{N}x{N}xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {N} : index
  %start = bufferization.to_tensor %matrix restrict writable : memref<{N}x{N}xf32> to {WHOLE}
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%t = %start) -> ({WHOLE}) {{
    %h = arith.addi %k, %c1 : index
    %l = arith.subi %n, %h : index
    %b1 = tensor.extract_slice %t[0, 0] [%h, {N}] [1, 1] : {WHOLE} to {part}
    %c1s = tensor.extract_slice %t[0, %k] [%h, 1] [1, 1] : {WHOLE} to tensor<?xf32>
    %r1 = tensor.extract_slice %t[%k, 0] [1, {N}] [1, 1] : {WHOLE} to tensor<{N}xf32>
    {_least("p", "%b1", "%c1s", "%r1", "%h")}
    %b2 = tensor.extract_slice %t[%h, 0] [%l, {N}] [1, 1] : {WHOLE} to {part}
    %c2 = tensor.extract_slice %t[%h, %k] [%l, 1] [1, 1] : {WHOLE} to tensor<?xf32>
    %t1 = tensor.insert_slice %p into %t[0, 0] [%h, {N}] [1, 1] : {part} into {WHOLE}
    %r2 = {row}
    {_least("q", "%b2", "%c2", "%r2", "%l")}
    %empty = tensor.empty() : {WHOLE}
    %t0 = tensor.insert_slice %p into %empty[0, 0] [%h, {N}] [1, 1] : {part} into {WHOLE}
    %t2 = tensor.insert_slice %q into %t0[%h, 0] [%l, {N}] [1, 1] : {part} into {WHOLE}
    %out = bufferization.materialize_in_destination %t2 in %t : ({WHOLE}, {WHOLE}) -> {WHOLE}
    scf.yield %out : {WHOLE}
  }}
  bufferization.materialize_in_destination %end in restrict writable %matrix : ({WHOLE}, memref<{N}x{N}xf32>) -> ()
  return
}}"""


NEW = f"tensor.extract_slice %p[%k, 0] [1, {N}] [1, 1] : tensor<?x{N}xf32> to tensor<{N}xf32>"
OLD = f"tensor.extract_slice %t[%k, 0] [1, {N}] [1, 1] : {WHOLE} to tensor<{N}xf32>"


@pytest.mark.parametrize(("row", "new"), [(NEW, True), (OLD, False)])
def test_rows_that_change_meanwhile_are_read_as_they_were(row: str, new: bool) -> None:
    matrix: Any = np.random.default_rng(2).normal(size=(N, N)).astype(np.float32)
    (found,) = called(_program(row), [matrix], cache=False)
    for k in range(N):
        old = matrix.copy()
        matrix[: k + 1] = np.minimum(old[: k + 1], old[: k + 1, k, None] + old[k])
        matrix[k + 1 :] = np.minimum(old[k + 1 :], old[k + 1 :, k, None] + (matrix if new else old)[k])
    np.testing.assert_array_equal(found, matrix)


def test_only_rows_and_columns_are_copied() -> None:
    context = new_context()
    with context, ir.Location.unknown():
        module = read(_program(NEW).encode(), "-", context)
        to_destinations(module)
        placed = str(bufferize(module))
    made = [line.split(" : ")[-1] for line in placed.splitlines() if "memref.alloc" in line]
    assert made
    assert not any("x" in kind.removeprefix("memref<").removesuffix("xf32>") for kind in made)


_HALF = "tensor.extract_slice %t[{0}] [%n] [2] : tensor<?xf32> to tensor<?xf32>"
_HALVES = f"""func.func @f(%n: index, %a: memref<?xf32>)
    attributes {{c_parameters = [["long", "n"], ["float", "a", "?"]]}} {{
  %t = bufferization.to_tensor %a restrict writable : memref<?xf32> to tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %x = {_HALF.format(0)}
  %y = {_HALF.format(1)}
  %p = linalg.mul ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %q = linalg.add ins(%y, %y : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %z = tensor.extract %t[%n] : tensor<?xf32>
  %t1 = tensor.insert_slice %p into %t[0] [%n] [2] : tensor<?xf32> into tensor<?xf32>
  %t2 = tensor.insert_slice %q into %t1[1] [%n] [2] : tensor<?xf32> into tensor<?xf32>
  %t3 = tensor.insert %z into %t2[%n] : tensor<?xf32>
  bufferization.materialize_in_destination %t3 in restrict writable %a : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}}"""


def test_an_array_whose_length_c_does_not_say_is_not_copied_as_a_whole() -> None:
    context = new_context()
    with context, ir.Location.unknown():
        module = read(_HALVES.encode(), "-", context)
        to_destinations(module)
        assert "memref.dim %arg1" not in str(bufferize(module))


def test_a_copy_of_an_array_whose_length_c_does_not_say_is_refused() -> None:
    text = _HALVES.replace("%z into %t2[%n]", "%y2 into %t[%n]").replace(
        "  %t3 =", "  %y2 = tensor.extract %t2[%n] : tensor<?xf32>\n  %t3 ="
    )
    with new_context() as context, ir.Location.unknown(), pytest.raises(CompileError, match="a copy of 'a'"):
        module = read(text.encode(), "-", context)
        to_destinations(module)
        bufferize(module)
