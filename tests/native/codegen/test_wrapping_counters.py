"""A counter of few bits wraps around where one of more bits does not, also in loops that LLVM makes ones on vectors."""

from functools import partial

import numpy as np
import pytest

from raising.compile_module import compile_module
from tests.native.running import isolated

# a position in 32 bits that may wrap around, plus bits of the counter
LOOP = """func.func @f(%t: memref<?xi8>, %x: memref<?xi8>, %o: memref<?xi8>, %n: index, %k: i32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mask = arith.constant {mask} : i32
  %row = arith.muli %k, %mask : i32
  scf.for %i = %c0 to %n step %c1 {{
    %i32 = arith.index_cast %i : index to i32
    {narrow}
    %at = arith.addi %row, %low : i32
    %at64 = arith.extui %at : i32 to i64
    %place = arith.index_cast %at64 : i64 to index
    %a = memref.load %t[%place] : memref<?xi8>
    %b = memref.load %x[%i] : memref<?xi8>
    %s = arith.addi %a, %b : i8
    memref.store %s, %o[%i] : memref<?xi8>
  }}
  return
}}"""
NARROWED = {
    3: "%low = arith.andi %i32, %mask : i32",
    7: "%low = arith.andi %i32, %mask : i32",
    255: "%byte = arith.trunci %i32 : i32 to i8\n %low = arith.extui %byte : i8 to i32",
}


@pytest.mark.parametrize("mask", NARROWED)
def test_positions_repeat(mask: int) -> None:
    isolated(partial(_repeats, mask))


def _repeats(mask: int) -> None:
    f = compile_module(LOOP.format(mask=mask, narrow=NARROWED[mask]), unchecked=True)
    t, x = np.arange(3 * 256, dtype=np.int8) * 37, np.arange(600, dtype=np.int8)
    for n in (1, 8, 16, 70, 300, 600):
        o = np.zeros(n, np.int8)
        f(t, x[:n].copy(), o, n, 2)
        assert (o == t[2 * mask + (np.arange(n) & mask)] + x[:n]).all(), n
