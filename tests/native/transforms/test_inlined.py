"""Temporaries are computed where they are read only where that changes nothing, and then no loop knows them."""

import numpy as np
import pytest
from mlir import ir

from raising.native.nest.nest import Nest
from raising.native.nest.read_nests import read_block
from raising.native.nest.read_views import Reader
from raising.native.transforms.producer_fusion import first_apart, inlined
from raising.support.mlir.walk import maker
from tests.native.nest.test_nest import generic, read
from tests.native.running import called, called_with

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


SHIFTED, AT = "affine_map<(i) -> (i)>", "affine_map<(i) -> ()>"


def delayed(far: int, reader: str, initial: str = "%old") -> str:
    """t[i + far] = x[i] * x[i] behind what was there before, and a nest that reads t[i] as %p, and x[i] as %q."""
    part = f"memref<?xi32, strided<[1], offset: {far}>>"
    return f"""%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %far = arith.constant {far} : index
    %n = memref.dim %x, %c0 : memref<?xi32>
    %in = memref.subview %x[0] [%n] [1] : memref<?xi32> to memref<?xi32, strided<[1]>>
    %out = memref.subview %y[0] [%n] [1] : memref<?xi32> to memref<?xi32, strided<[1]>>
    %long = arith.addi %n, %far : index
    %t = memref.alloc(%long) : memref<?xi32>
    linalg.generic {{indexing_maps = [{AT}, {SHIFTED}], iterator_types = ["parallel"]}}
      ins(%first : memref<i32>) outs(%t : memref<?xi32>) {{
      ^bb0(%old: i32, %o: i32):
        %index = linalg.index 0 : index
        %number = arith.index_cast %index : index to i32
        %new = arith.addi %old, %number : i32
        linalg.yield {initial} : i32
    }}
    %later = memref.subview %t[{far}] [%n] [1] : memref<?xi32> to {part}
    linalg.generic {{indexing_maps = [{SHIFTED}, {SHIFTED}], iterator_types = ["parallel"]}}
      ins(%in : memref<?xi32, strided<[1]>>) outs(%later : {part}) {{
      ^bb0(%a: i32, %o: i32):
        %square = arith.muli %a, %a : i32
        linalg.yield %square : i32
    }}
    %now = memref.subview %t[0] [%n] [1] : memref<?xi32> to memref<?xi32, strided<[1]>>
    {reader}"""


def reader(into: str) -> str:
    kind = "memref<i32>" if into == "%s" else "memref<?xi32, strided<[1]>>"
    maps, iterator = (AT, "reduction") if into == "%s" else (SHIFTED, "parallel")
    return f"""linalg.generic {{indexing_maps = [{SHIFTED}, {SHIFTED}, {maps}], iterator_types = ["{iterator}"]}}
      ins(%in, %now : memref<?xi32, strided<[1]>>, memref<?xi32, strided<[1]>>) outs({into} : {kind}) {{
      ^bb0(%q: i32, %p: i32, %o: i32):
        %d = arith.subi %q, %p : i32
        %u = arith.{"addi %o, %d" if into == "%s" else "muli %d, %q"} : i32
        linalg.yield %u : i32
    }}
    """


DELAYED = {
    "an element": (delayed(1, reader("%out")), True),
    "a sum": (delayed(1, reader("%s")), True),
    "three elements": (delayed(3, reader("%out"), "%new"), True),
    "two readers": (delayed(2, reader("%out") + reader("%s")), True),
    "far away": (delayed(40, reader("%out")), False),
    "in place": (delayed(1, reader("%in")), False),
}


@pytest.mark.parametrize("name", DELAYED)
def test_what_an_iteration_left_is_computed_by_the_next_one(name: str) -> None:
    body, gone = DELAYED[name]
    arguments = "%x: memref<?xi32>, %y: memref<?xi32>, %s: memref<i32>, %first: memref<i32>"
    text = f"func.func @f({arguments}) {{\n{body}\nreturn\n}}"
    with ir.Context(), ir.Location.unknown():
        module, seen = ir.Module.parse(text), Reader()
        items = read_block(module.body.operations[0].regions[0].blocks[0], seen)[:-1]
        nests = [item.what for item in items if isinstance(item.what, Nest)]
        roots = {root for nest in nests for root in (each.array.root for each in nest.writes) if root}
        temporary = {root for root in roots if maker(seen.values[root], "memref.alloc") is not None}
        after = [item.what for item in first_apart(items, frozenset(temporary), seen) if isinstance(item.what, Nest)]
    assert any(read.array.root in temporary for nest in after for read in nest.reads) != gone
    sums = np.array(4, np.int32), np.array(7, np.int32)
    calls = [[np.arange(n, dtype=np.int32) % 11, np.zeros(n, np.int32), *sums] for n in (0, 1, 2, 3, 4, 5, 33, 200)]
    for one, other in zip(called_with(text, calls, plain=True), called_with(text, calls), strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)
