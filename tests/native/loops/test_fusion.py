"""Which nests share loops follows from what they read and write."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import raising
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from raising.native.loops.fusion_plan import Loops, Step, plan
from raising.native.loops.loop_plan import rows_of
from raising.native.loops.loop_tree import Loop, Node, insert, nests_of, tree
from tests.native.nest.test_nest import generic, nests, read

IJ, ROW, COLUMN = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (i)>", "affine_map<(i, j) -> (j)>"
JI = "affine_map<(i, j) -> (j, i)>"
MULTIPLY_ADD = """^bb0(%a: f64, %b: f64, %o: f64):
  %t = arith.mulf %a, %b : f64
  %u = arith.addf %o, %t : f64
  linalg.yield %u : f64"""
SHAPES = {"AB": "40x50", "ipq": "40", "jrs": "50"}
ARGUMENTS = ", ".join(f"%{name}: memref<{shape}xf64>" for names, shape in SHAPES.items() for name in names)
ROWS = generic(
    "%A, %j : memref<40x50xf64>, memref<50xf64>",
    "%p : memref<40xf64>",
    f"{IJ}, {COLUMN}, {ROW}",
    '"parallel", "reduction"',
    MULTIPLY_ADD,
)


def columns(factor: str, result: str) -> str:
    """result[j] += A[i, j] * factor[i], with the sum innermost as `linalg.vecmat` has it."""
    types = "%A, " + f"{factor} : memref<40x50xf64>, memref<40xf64>"
    maps = f"{JI}, {COLUMN}, {ROW}"
    return generic(types, f"{result} : memref<50xf64>", maps, '"parallel", "reduction"', MULTIPLY_ADD)


def fused(body: str, arguments: str = ARGUMENTS) -> tuple[Node, ...]:
    """The loops of a block without anything between its operations."""
    found: tuple[Node, ...] = ()
    for nest in nests(read(body, arguments)[0]):
        found = insert(found, tree(nest, strict=False), 0)
    return found


def loops(node: Node) -> list[int]:
    """How many nodes the body of a loop has, and those of the loops in it."""
    return [len(node.body), *(count for child in node.body for count in loops(child))] if isinstance(node, Loop) else []


def test_products_with_a_matrix_and_its_transpose_are_one_pass() -> None:
    (loop,) = fused(ROWS + columns("%i", "%r"))
    assert loops(loop) == [1, 2]
    assert isinstance(loop, Loop) and rows_of(loop, 0) > 1


def test_a_row_that_is_needed_whole_is_a_loop_of_its_own() -> None:
    (loop,) = fused(ROWS + columns("%p", "%r"))
    assert loops(loop) == [2, 1, 1]
    assert isinstance(loop, Loop) and rows_of(loop, 0) > 1


def test_what_needs_all_rows_comes_after_them() -> None:
    again = generic(
        "%A, %r : memref<40x50xf64>, memref<50xf64>",
        "%q : memref<40xf64>",
        f"{IJ}, {COLUMN}, {ROW}",
        '"parallel", "reduction"',
        MULTIPLY_ADD,
    )
    assert len(fused(columns("%i", "%r") + again)) == 2


def test_a_start_value_does_not_keep_passes_apart() -> None:
    zero = "%c = arith.constant 0.0 : f64\nlinalg.fill ins(%c : f64) outs(%p : memref<40xf64>)\n"
    (loop,) = fused(columns("%i", "%r") + zero + ROWS)
    assert loops(loop) == [2, 2]


BOTH_WAYS = """
func.func @both_ways(%A: memref<40x40xf64>, %v: memref<40xf64>, %w: memref<40xf64>,
                     %p: memref<40xf64>, %q: memref<40xf64>) {
  %zero = arith.constant 0.0 : f64
  %a = bufferization.to_tensor %A restrict : memref<40x40xf64> to tensor<40x40xf64>
  %s = bufferization.to_tensor %v restrict : memref<40xf64> to tensor<40xf64>
  %t = bufferization.to_tensor %w restrict : memref<40xf64> to tensor<40xf64>
  %x = bufferization.to_tensor %p restrict writable : memref<40xf64> to tensor<40xf64>
  %y = bufferization.to_tensor %q restrict writable : memref<40xf64> to tensor<40xf64>
  %e = tensor.empty() : tensor<40xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<40xf64>) -> tensor<40xf64>
  %1 = linalg.matvec ins(%a, %s : tensor<40x40xf64>, tensor<40xf64>) outs(%f : tensor<40xf64>) -> tensor<40xf64>
  %2 = linalg.add ins(%x, %1 : tensor<40xf64>, tensor<40xf64>) outs(%e : tensor<40xf64>) -> tensor<40xf64>
  %3 = linalg.vecmat ins(%t, %a : tensor<40xf64>, tensor<40x40xf64>) outs(%f : tensor<40xf64>) -> tensor<40xf64>
  %4 = linalg.add ins(%y, %3 : tensor<40xf64>, tensor<40xf64>) outs(%e : tensor<40xf64>) -> tensor<40xf64>
  bufferization.materialize_in_destination %2 in restrict writable %p : (tensor<40xf64>, memref<40xf64>) -> ()
  bufferization.materialize_in_destination %4 in restrict writable %q : (tensor<40xf64>, memref<40xf64>) -> ()
  return
}"""
"""p += A @ v and q += w @ A, both from the same zeros."""


def test_products_that_start_from_the_same_zeros_are_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[set[int]] = []

    def watched(*given: Any) -> list[Step]:
        steps = plan(*given)
        loops = [step.node for step in steps if isinstance(step, Loops)]
        reads = [{len(read.map) for nest in nests_of(node) for read in nest.reads} for node in loops]
        passes.extend(found for found in reads if 2 in found)
        return steps

    monkeypatch.setattr("raising.native.schedule.plan", watched)
    build(BOTH_WAYS.encode(), "both_ways", CompileOptions())
    assert len(passes) == 1
    function = raising.compile(BOTH_WAYS, cache=False)
    g = np.random.default_rng(0)
    a, v, w, p, q = g.random((40, 40)), *(g.random(40) for _ in range(4))
    wanted = p + a @ v, q + w @ a
    function(a, v, w, p, q)
    np.testing.assert_allclose(p, wanted[0])
    np.testing.assert_allclose(q, wanted[1])


def neighbours(source: str, target: str) -> str:
    """The interior of target from left and right neighbours in source."""
    kind = "memref<40x48xf64, strided<[50, 1], offset: {}>>"
    views = "".join(
        f"%{name} = memref.subview %{array}[0, {start}] [40, 48] [1, 1] : memref<40x50xf64> to {kind.format(start)}\n"
        for name, array, start in ((f"l{source}", source, 0), (f"r{source}", source, 2), (f"o{source}", target, 1))
    ).replace("offset: 0", "offset: 0")
    add = """^bb0(%a: f64, %b: f64, %o: f64):
      %u = arith.addf %a, %b : f64
      linalg.yield %u : f64"""
    types = f"{kind.format(0)}, {kind.format(2)}".replace(", offset: 0", "")
    operation = generic(f"%l{source}, %r{source} : {types}", f"%o{source} : {kind.format(1)}", f"{IJ}, {IJ}, {IJ}",
                        '"parallel", "parallel"', add)  # fmt: skip
    return views.replace(", offset: 0", "") + operation


def test_neighbours_along_a_vector_are_not_taken_from_a_loop_that_is_still_running() -> None:
    (loop,) = fused(neighbours("A", "B") + neighbours("B", "A"))
    assert loops(loop) == [2, 1, 1]


def stencil(rows: int, columns: int, scaled: bool = False) -> Node:
    """Each element of B from those above and below in A, `scaled` by those of another array."""
    part = f"memref<{rows}x{columns}xf64, strided<[{columns}, 1], offset: {{}}>>"
    whole = f"memref<{rows + 2}x{columns}xf64>"
    kinds = [part.format(row * columns) for row in (1, 2, 1)]
    views = [
        f"%{name} = memref.subview %{array}[{row}, 0] [{rows}, {columns}] [1, 1] : {whole} to {kind}"
        for name, array, row, kind in zip("xyz", "AAB", (1, 2, 1), kinds, strict=True)
    ]
    factor, flat = ("%c" if scaled else "%b"), f"memref<{rows}x{columns}xf64>"
    body = (
        f"^bb0(%a: f64, %b: f64, %c: f64, %o: f64):\n%s = arith.addf %a, %b : f64\n%t = arith.mulf %s, {factor} : f64"
    )
    outer = generic(f"%x, %y, %C : {kinds[0]}, {kinds[1]}, {flat}", f"%z : {kinds[2]}", ", ".join([IJ] * 4),
                    '"parallel", "parallel"', f"{body}\nlinalg.yield %t : f64")  # fmt: skip
    (nest,) = nests(read("\n".join([*views, outer]), f"%A: {whole}, %B: {whole}, %C: {flat}")[0])
    nest = nest if scaled else replace(nest, reads=nest.needed)
    return tree(nest, strict=False)


def test_rows_of_a_stencil_are_done_together_unless_they_are_pieces_of_one_stream() -> None:
    long, short, near = (stencil(rows, columns) for rows, columns in ((900, 300), (900, 100), (40, 100)))
    assert [rows_of(node, 0) for node in (long, short, near) if isinstance(node, Loop)] == [4, 1, 4]
    many = stencil(900, 300, scaled=True)
    assert isinstance(many, Loop) and rows_of(many, 0) == 2  # 13 rows of three arrays are too many at once


@pytest.mark.parametrize(("second", "steps"), [("%h", 1), ("%less", 2)])
def test_two_halves_are_written_in_one_loop_whatever_they_are_without_elements(second: str, steps: int) -> None:
    """An extent is the larger of 0 and %h: where there are elements it is %h, and the other half begins behind them."""
    maps = "affine_map<(i) -> (i)>, affine_map<(i) -> (i)>"
    half, part = "memref<?xf64, strided<[1]>>", "memref<?xf64, strided<[1], offset: ?>>"
    body = f"""%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %less = arith.subi %h, %c1 : index
    %n = arith.maxsi %h, %c0 : index
    %in = memref.subview %x[0] [%n] [1] : memref<?xf64> to {half}
    %low = memref.subview %y[0] [%n] [1] : memref<?xf64> to {half}
    %high = memref.subview %y[{second}] [%n] [1] : memref<?xf64> to {part}
    """
    for into, kind, operation in (("%low", half, "add"), ("%high", part, "mul")):
        twice = f"^bb0(%a: f64, %o: f64):\n%t = arith.{operation}f %a, %a : f64\nlinalg.yield %t : f64"
        body += generic(f"%in : {half}", f"{into} : {kind}", maps, '"parallel"', twice) + "\n"
    assert len(fused(body, "%x: memref<?xf64>, %y: memref<?xf64>, %h: index")) == steps
