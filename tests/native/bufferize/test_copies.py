"""Copies are left out only where what reads them can read the original."""

import numpy as np
import pytest

from tests.native.running import called

SUM = """linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]} ins(%A : memref<9x9xf64>) outs(%t : memref<9xf64>) {
    ^bb0(%a: f64, %o: f64):
    %s = arith.addf %o, %a : f64
    linalg.yield %s : f64 }"""
SHIFT = """linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]} ins(%l, %r : memref<7xf64, strided<[1]>>, memref<7xf64, strided<[1], offset: 2>>)
    outs(%x1 : memref<7xf64, strided<[1], offset: 1>>) {
    ^bb0(%a: f64, %b: f64, %o: f64):
    %s = arith.subf %a, %b : f64
    linalg.yield %s : f64 }"""
VIEWS = """%l = memref.subview %t[0] [7] [1] : memref<9xf64> to memref<7xf64, strided<[1]>>
    %r = memref.subview %t[2] [7] [1] : memref<9xf64> to memref<7xf64, strided<[1], offset: 2>>
    %x1 = memref.subview %x[1] [7] [1] : memref<9xf64> to memref<7xf64, strided<[1], offset: 1>>"""
TO_T = "memref.copy %x, %t : memref<9xf64> to memref<9xf64>"
FROM_T = "memref.copy %t, %y : memref<9xf64> to memref<9xf64>"
CASES = {
    "a sum that starts from the copy": ([TO_T, SUM, FROM_T], lambda a, x, y: (x, x + a.sum(1))),
    "neighbours that are written over": ([TO_T, VIEWS, SHIFT], lambda a, x, y: (np.r_[x[0], x[:-2] - x[2:], x[-1]], y)),
    "the copy of something old": (
        [TO_T, "memref.copy %y, %x : memref<9xf64> to memref<9xf64>", FROM_T],
        lambda a, x, y: (y, x),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_old_values_count(name: str) -> None:
    lines, expected = CASES[name]
    body = "\n".join(["%t = memref.alloc() : memref<9xf64>", *lines])
    text = f"func.func @f(%A: memref<9x9xf64>, %x: memref<9xf64>, %y: memref<9xf64>) {{\n{body}\nreturn\n}}"
    rng = np.random.default_rng(0)
    a, x, y = rng.random((9, 9)), rng.random(9), rng.random(9)
    _, *found = called(text, [a, x, y])
    for one, other in zip(found, expected(a, x, y), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
