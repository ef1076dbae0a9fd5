"""Blocks of linalg on memrefs are read as nests: what they compute, on which elements."""

from typing import Any

import numpy as np
import pytest
from mlir import ir

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.nest.nest import Effects, Nest
from raising.native.nest.read_nests import Item, read_block
from raising.native.nest.read_views import Reader
from tests.native.nest.interpret import run

STRIDED = "strided<[1], offset: ?>"


def read(body: str, arguments: str) -> tuple[list[Item], Reader, list[str]]:
    """The items of a function's block, and the names of its arguments."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(f"func.func @f({arguments}) {{\n{body}\nreturn\n}}")
        block = module.body.operations[0].regions[0].blocks[0]
        reader = Reader()
        names = [reader.name(argument) for argument in block.arguments]
        return read_block(block, reader), reader, names


def nests(items: list[Item]) -> list[Nest]:
    return [item.what for item in items if isinstance(item.what, Nest)]


def generic(inputs: str, output: str, maps: str, iterators: str, body: str) -> str:
    return f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}
      ins({inputs}) outs({output}) {{ {body} }}"""


MATVEC = generic(
    "%A, %x : memref<3x4xf64>, memref<4xf64>",
    "%y : memref<3xf64>",
    "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>",
    '"parallel", "reduction"',
    """^bb0(%a: f64, %b: f64, %o: f64):
      %p = arith.mulf %a, %b : f64
      %s = arith.addf %o, %p : f64
      linalg.yield %s : f64""",
)


def test_a_reduction_is_read_with_its_iterators_and_its_own_output() -> None:
    items, _, names = read(MATVEC, "%A: memref<3x4xf64>, %x: memref<4xf64>, %y: memref<3xf64>")
    (nest,) = nests(items)
    assert nest.extents == (Affine(3), Affine(4))
    assert nest.parallel == (True, False)
    assert [access.array.name for access in nest.reads] == names
    assert nest.writes == (nest.reads[2],)
    assert nest.reads[0].stride(0) == 4 and nest.reads[0].stride(1) == 1 and nest.reads[2].stride(1) == 0
    rng = np.random.default_rng(0)
    a, x, y = rng.random((3, 4)), rng.random(4), rng.random(3)
    expected = y + a @ x
    run(nest, dict(zip(names, (a, x, y), strict=True)))
    np.testing.assert_allclose(y, expected)


def test_a_view_of_a_view_is_subscripts_of_its_buffer() -> None:
    body = f"""
    %c1 = arith.constant 1 : index
    %k1 = arith.addi %k, %c1 : index
    %s = memref.subview %A[%k1, 2] [3, 8] [2, 1] : memref<10x10xf64> to memref<3x8xf64, strided<[20, 1], offset: ?>>
    %t = memref.subview %s[1, 1] [1, 4] [1, 1] : memref<3x8xf64, strided<[20, 1], offset: ?>>
      to memref<4xf64, {STRIDED}>
    memref.copy %t, %x : memref<4xf64, {STRIDED}> to memref<4xf64>"""
    items, _, names = read(body, "%A: memref<10x10xf64>, %x: memref<4xf64>, %k: index")
    (nest,) = nests(items)
    k = dim(names[2])
    assert nest.reads[0].array.name == names[0]
    assert nest.reads[0].map == (k + 3, dim(0) + 3)
    assert nest.symbols == {names[2]}


@pytest.mark.parametrize(
    ("sizes", "result", "expected"),
    [("1, 5", "5xf64", (Affine(0), dim(0))), ("5, 1", "5xf64", (dim(0), Affine(0))),
     ("1, 1", "1xf64", (Affine(0), dim(0))), ("1, 5", "1x5xf64", (dim(0), dim(1)))],
)  # fmt: skip
def test_unit_dimensions_may_be_left_out_of_a_view(sizes: str, result: str, expected: Any) -> None:
    rank = len(result.split("x")) - 1
    strides = {1: "10" if sizes == "5, 1" else "1", 2: "10, 1"}[rank]
    layout = f"memref<{result}, strided<[{strides}]>>"
    body = f"""
    %s = memref.subview %A[0, 0] [{sizes}] [1, 1] : memref<10x10xf64> to {layout}
    %c = arith.constant 0.0 : f64
    linalg.fill ins(%c : f64) outs(%s : {layout})"""
    (nest,) = nests(read(body, "%A: memref<10x10xf64>")[0])
    elements = {tuple(i.constant + sum(f * point[d] for d, f in i.terms) for i in nest.writes[0].map)  # type: ignore[misc,index]
                for point in np.ndindex(*(e.constant for e in nest.extents))}  # fmt: skip
    assert elements == {(i, j) for i in range(int(sizes[0])) for j in range(int(sizes[3]))}
    assert nest.writes[0].map == expected or sizes == "1, 1"


def test_extents_may_be_open_and_loads_in_a_body_are_reads() -> None:
    body = generic(
        "%x : memref<?xf64>",
        "%y : memref<?xf64>",
        "affine_map<(i) -> (i)>, affine_map<(i) -> (i)>",
        '"parallel"',
        """^bb0(%a: f64, %o: f64):
          %i = linalg.index 0 : index
          %r = arith.subi %n, %i : index
          %b = memref.load %x[%r] : memref<?xf64>
          %d = arith.subf %a, %b : f64
          %t = arith.mulf %d, %f : f64
          linalg.yield %t : f64""",
    )
    items, _, names = read(body, "%x: memref<?xf64>, %y: memref<?xf64>, %n: index, %f: f64")
    (nest,) = nests(items)
    assert nest.reads[1].map == (dim(names[2]) - dim(0),)
    assert (names[3], "f64") in nest.captured
    x, y = np.arange(5.0), np.zeros(5)
    run(nest, {names[0]: x, names[1]: y, names[2]: 4, names[3]: 10.0, f"{names[0]}.0": 5, f"{names[1]}.0": 5})
    np.testing.assert_array_equal(y, (x - x[::-1]) * 10)


def test_masks_are_part_of_the_body() -> None:
    body = generic(
        "%A : memref<4x4xf64>",
        "%A : memref<4x4xf64>",
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>",
        '"parallel", "parallel"',
        """^bb0(%a: f64, %o: f64):
          %i = linalg.index 0 : index
          %j = linalg.index 1 : index
          %c = arith.cmpi sle, %j, %i : index
          %z = arith.constant 0.0 : f64
          %s = arith.select %c, %a, %z : f64
          linalg.yield %s : f64""",
    )
    items, _, names = read(body, "%A: memref<4x4xf64>")
    a = np.random.default_rng(0).random((4, 4))
    expected = np.tril(a)
    run(nests(items)[0], {names[0]: a})
    np.testing.assert_array_equal(a, expected)


def test_what_may_overlap_is_known_from_the_buffers() -> None:
    body = """
    %new = memref.alloc() : memref<4xf64>
    memref.copy %x, %new : memref<4xf64> to memref<4xf64>
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %e = memref.load %x[%c0] : memref<4xf64>
    memref.store %e, %y[%c0] : memref<4xf64>
    scf.for %i = %c0 to %c4 step %c4 { memref.store %e, %y[%i] : memref<4xf64> }
    memref.dealloc %new : memref<4xf64>"""
    items, _, (x, y) = read(body, "%x: memref<4xf64>, %y: memref<4xf64>")
    what = {item.operation.name: item.what for item in items}
    (copy,) = nests(items)
    assert not copy.reads[0].array.may_overlap(copy.writes[0].array)
    assert copy.reads[0].array.may_overlap(copy.reads[0].array)
    assert what["memref.load"] == Effects(frozenset({x}), frozenset())
    assert what["memref.store"] == Effects(frozenset(), frozenset({y}))
    assert what["scf.for"] == Effects(frozenset(), frozenset({y}))
    assert isinstance(what["arith.constant"], Effects) and what["arith.constant"].pure


def test_what_cannot_be_said_is_an_effect() -> None:
    body = generic(
        "%A : memref<8xf64>",
        "%y : memref<4xf64>",
        "affine_map<(i) -> (i floordiv 2 + i)>, affine_map<(i) -> (i)>",
        '"parallel"',
        "^bb0(%a: f64, %o: f64):\n linalg.yield %a : f64",
    )
    items, _, _ = read(body, "%A: memref<8xf64>, %y: memref<4xf64>")
    assert nests(items) == []
    assert items[0].what == Effects(None, None)
