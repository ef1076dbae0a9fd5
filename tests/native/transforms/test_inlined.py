"""Temporaries are computed where they are read only where that changes nothing, and then no loop knows them."""

import numpy as np
import pytest

from raising.native.nest.nest import Nest
from raising.native.transforms.producer_fusion import inlined
from tests.native.nest.test_nest import generic, read
from tests.native.running import called

IJ, JI, J = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (j, i)>", "affine_map<(i, j) -> (j)>"
TEMPORARY = "%t = memref.alloc() : memref<9x7xf64>\n"
TURNED = generic("%A : memref<7x9xf64>", "%t : memref<9x7xf64>", f"{JI}, {IJ}", '"parallel", "parallel"',
                 "^bb0(%a: f64, %o: f64):\n%u = arith.addf %a, %a : f64\nlinalg.yield %u : f64")  # fmt: skip
STRAIGHT = generic("%B : memref<9x7xf64>", "%t : memref<9x7xf64>", f"{IJ}, {IJ}", '"parallel", "parallel"',
                   "^bb0(%a: f64, %o: f64):\n%u = arith.addf %a, %a : f64\nlinalg.yield %u : f64")  # fmt: skip


TRIANGLE = generic(
    "%B : memref<9x7xf64>", "%t : memref<9x7xf64>", f"{IJ}, {IJ}", '"parallel", "parallel"',
    "^bb0(%a: f64, %o: f64):\n%i = linalg.index 0 : index\n%j = linalg.index 1 : index\n"
    "%c = arith.cmpi sge, %i, %j : index\n%z = arith.constant 0.0 : f64\n"
    "%u = arith.select %c, %a, %z : f64\nlinalg.yield %u : f64")  # fmt: skip


def reduced(source: str, into: str) -> str:
    """into[i] += source[i, j] squared."""
    return generic(f"{source} : memref<9x7xf64>", f"{into} : memref<9xf64>", f"{IJ}, affine_map<(i, j) -> (i)>",
                   '"parallel", "reduction"', "^bb0(%a: f64, %o: f64):\n%s = arith.mulf %a, %a : f64\n"
                   "%u = arith.addf %o, %s : f64\nlinalg.yield %u : f64")  # fmt: skip


def back(shift: int) -> str:
    """A from the temporary, moved by some rows."""
    kind = f"memref<{7 - shift}x9xf64, strided<[9, 1]{f', offset: {9 * shift}' if shift else ''}>>"
    part = f"memref<9x{7 - shift}xf64, strided<[7, 1]>>"
    views = f"""%v = memref.subview %A[{shift}, 0] [{7 - shift}, 9] [1, 1] : memref<7x9xf64> to {kind}
    %w = memref.subview %t[0, 0] [9, {7 - shift}] [1, 1] : memref<9x7xf64> to {part}\n"""
    return views + generic(f"%w : {part}", f"%v : {kind}", f"{JI}, {IJ}", '"parallel", "parallel"',
                           "^bb0(%a: f64, %o: f64):\nlinalg.yield %a : f64")  # fmt: skip


CASES = {
    "read once": (TURNED + reduced("%t", "%x"), True),
    "read by two": (TURNED + reduced("%t", "%x") + reduced("%t", "%y"), False),
    "read by two along its rows": (STRAIGHT + reduced("%t", "%x") + reduced("%t", "%y"), True),
    "a triangle read by two": (TRIANGLE + reduced("%t", "%x") + reduced("%t", "%y"), True),
    "a quotient read by two": (STRAIGHT.replace("addf", "divf") + reduced("%t", "%x") + reduced("%t", "%y"), False),
    "the source is written before": (
        TURNED + "%c = arith.constant 3.0 : f64\nlinalg.fill ins(%c : f64) outs(%A : memref<7x9xf64>)\n"
        + reduced("%t", "%x"), False),
    "the reader writes the same places": (TURNED + back(0), True),
    "the reader writes other places": (TURNED + back(1), False),
}  # fmt: skip
ARGUMENTS = "%A: memref<7x9xf64>, %x: memref<9xf64>, %y: memref<9xf64>, %B: memref<9x7xf64>"


@pytest.mark.parametrize("name", CASES)
def test_a_temporary_goes_only_where_nobody_notices(name: str) -> None:
    body, expected = CASES[name]
    items, *_ = read(TEMPORARY + body, ARGUMENTS)
    root = next(item.what.writes[0].array.root for item in items if isinstance(item.what, Nest))
    after = inlined(items[:-1], frozenset({root or ""}))
    reads = [read for item in after if isinstance(item.what, Nest) for read in item.what.reads]
    assert (root not in {read.array.root for read in reads}) == expected


@pytest.mark.parametrize("name", CASES)
def test_the_values_stay(name: str) -> None:
    text = f"func.func @f({ARGUMENTS}) {{\n{TEMPORARY}{CASES[name][0]}\nreturn\n}}"
    rng = np.random.default_rng(0)
    arguments = [rng.random((7, 9)), rng.random(9), rng.random(9), rng.random((9, 7))]
    for one, other in zip(called(text, arguments, plain=True), called(text, arguments), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
