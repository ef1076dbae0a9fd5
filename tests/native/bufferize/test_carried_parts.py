"""A tensor that each iteration of a loop puts together from parts is stored onto the old one, without copies."""

from typing import Any

import numpy as np
import pytest
from mlir import ir

from raising.native.bufferize.bufferize import bufferize
from raising.native.bufferize.destination_passing import to_destinations
from raising.native.input.read_module import new_context, read
from tests.native.running import called

Array = np.ndarray[Any, np.dtype[Any]]
MAP = "affine_map<(i, j) -> (i, j)>"
TEXT = f"""func.func @f(%t: memref<?x9xf32>, %h: memref<?x9xf32>, %w: memref<5xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %two = arith.constant 2 : index
  %n = memref.dim %t, %c0 : memref<?x9xf32>
  %m = arith.subi %n, %c1 : index
  %all = bufferization.to_tensor %t restrict writable : memref<?x9xf32> to tensor<?x9xf32>
  %other = bufferization.to_tensor %h restrict : memref<?x9xf32> to tensor<?x9xf32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%old = %all) -> (tensor<?x9xf32>) {{
    %empty = tensor.empty(%n) : tensor<?x9xf32>
    %x = memref.load %w[%i] : memref<5xf32>
    %e = tensor.empty() : tensor<ROWSx9xf32>
    %row = linalg.fill ins(%x : f32) outs(%e : tensor<ROWSx9xf32>) -> tensor<ROWSx9xf32>
    %one = tensor.insert_slice %row into %empty[0, 0] [ROWS, 9] [1, 1] : tensor<ROWSx9xf32> into tensor<?x9xf32>
    %mine = tensor.extract_slice %old[FROM, 0] [%m, 9] [1, 1] : tensor<?x9xf32> to tensor<?x9xf32>
    %its = tensor.extract_slice %other[1, 0] [%m, 9] [1, 1] : tensor<?x9xf32> to tensor<?x9xf32>
    %d = tensor.empty(%m) : tensor<?x9xf32>
    %rest = linalg.generic {{indexing_maps = [{MAP}, {MAP}, {MAP}], iterator_types = ["parallel", "parallel"]}}
      ins(%mine, %its : tensor<?x9xf32>, tensor<?x9xf32>) outs(%d : tensor<?x9xf32>) {{
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }} -> tensor<?x9xf32>
    %whole = tensor.insert_slice %rest into %one[1, 0] [%m, 9] [1, 1] : tensor<?x9xf32> into tensor<?x9xf32>
    %new = bufferization.materialize_in_destination %whole in %old
      : (tensor<?x9xf32>, tensor<?x9xf32>) -> tensor<?x9xf32>
    scf.yield %new : tensor<?x9xf32>
  }}
  bufferization.materialize_in_destination %r in restrict writable %t : (tensor<?x9xf32>, memref<?x9xf32>) -> ()
  return
}}"""


def allocated(text: str) -> int:
    """The arrays that a function has besides its own."""
    with new_context() as context, ir.Location.unknown():
        module = read(text.encode(), "-", context)
        to_destinations(module)
        return str(bufferize(module)).count("memref.alloc(")


@pytest.mark.parametrize(("rows", "start", "copies"), [(1, 1, False), (2, 1, True), (1, 0, True)])
def test_parts_are_stored_onto_the_old_tensor(rows: int, start: int, copies: bool) -> None:
    """Where they meet, or one is computed from what another one replaces, there is another tensor, and it is right."""
    text = TEXT.replace("ROWS", str(rows)).replace("FROM", str(start))
    assert bool(allocated(text)) == copies
    for n in (2, 3, 8, 33):
        random = np.random.default_rng(n)
        t, h, w = (random.integers(-9, 9, shape).astype(np.float32) for shape in ((n, 9), (n, 9), (5,)))
        wanted = t.copy()
        for x in w:
            rest = wanted[start : start + n - 1] + h[1:]
            wanted[:rows] = x
            wanted[1:] = rest
        np.testing.assert_array_equal(called(text, [t, h, w])[0], wanted)
