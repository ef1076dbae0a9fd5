"""Loops over single elements that are joined: what they share, and orders that forbid it."""

from functools import partial

import numpy as np
import pytest
from mlir import ir

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from raising.native.input.read_module import new_context
from raising.native.transforms.join_loops import _blocks
from tests.native.running import isolated

ONE = "arith.addi %i, %c1 : index"
BEFORE = "arith.subi %i, %c1 : index"
SAME = "arith.addi %i, %c0 : index"
BACK = "arith.subi %end, %i : index"
LENGTH = 131


def text(first: str, second: str, high: str = "%n") -> str:
    """Two loops from 1: a recurrence over e and a, and one over o and whatever the second lines do."""
    return f"""func.func @f(%a: memref<?xf64>, %e: memref<?xf64>, %o: memref<?xf64>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.addi %n, %c1 : index
  %h = arith.constant 0.5 : f64
  scf.for %i = %c1 to %n step %c1 {{
    %k = {BEFORE}
    %x = memref.load %e[%k] : memref<?xf64>
    %y = memref.load %a[%i] : memref<?xf64>
    %t = arith.mulf %x, %y : f64
    %s = arith.divf %h, %t : f64
    {first}
  }}
  scf.for %i = %c1 to {high} step %c1 {{
    %b = {BEFORE}
    %p = memref.load %o[%b] : memref<?xf64>
    {second}
    %s = arith.mulf %p, %q : f64
    %r = arith.subf %h, %s : f64
    memref.store %r, %o[%i] : memref<?xf64>
  }}
  return
}}"""


STORE = "memref.store %s, %e[%i] : memref<?xf64>"


def reads(array: str, index: str) -> str:
    """The second loop's lines that read an element."""
    return f"%k = {index}\n    %q = memref.load %{array}[%k] : memref<?xf64>"


def expected(array: str, place: str, a: np.ndarray, e: np.ndarray, o: np.ndarray, n: int, high: int) -> None:
    """Both loops in turn."""
    for i in range(1, n):
        e[i] = 0.5 / (e[i - 1] * a[i])
    for i in range(1, high):
        k = {ONE: i + 1, BEFORE: i - 1, SAME: i, BACK: n + 1 - i}[place]
        o[i] = 0.5 - o[i - 1] * {"a": a, "e": e}[array][k]


@pytest.mark.parametrize("array", ["a", "e"])
@pytest.mark.parametrize("place", [ONE, BEFORE, SAME, BACK])
@pytest.mark.parametrize("fp", ["strict", "reassoc"])
def test_joined_or_not(array: str, place: str, fp: str) -> None:
    """A loop that reads what the one before writes later stays behind it; each element has the value that it had."""
    source, options = text(STORE, reads(array, place)), CompileOptions(fp=fp)
    joined = build(source.encode(), "f.mlir", options).mlir.count("scf.for") == 1
    shares = array == "e" or place == SAME
    assert joined == (shares and (place in (BEFORE, SAME)))
    isolated(partial(_same, source, fp, array, place))


def _same(source: str, fp: str, array: str, place: str) -> None:
    call = compile_module(source, fp=fp)
    rng = np.random.default_rng(3)
    for n in (-4, 0, 1, 2, 3, 17, 64):
        ours = [rng.uniform(1, 2, LENGTH) for _ in range(3)]
        for special in (np.nan, -0.0, np.inf):
            ours[1][rng.integers(1, 70)] = special
        other = [each.copy() for each in ours]
        call(*ours, n)
        expected(array, place, *other, n, n)
        for one, two in zip(ours, other, strict=True):
            assert one.tobytes() == two.tobytes() or np.allclose(one, two, rtol=1e-14, equal_nan=True)


@pytest.mark.parametrize(
    ("first", "second", "high"),
    [
        (STORE, reads("e", SAME), "%end"),  # other bounds
        (STORE + "\n    memref.store %s, %o[%end] : memref<?xf64>", reads("e", SAME), "%n"),  # written by both
        (f"memref.store %s, %o[%k] : memref<?xf64>\n    {STORE}", reads("e", SAME), "%n"),
        ("%w = arith.remsi %i, %n : index\n    memref.store %s, %e[%w] : memref<?xf64>", reads("e", SAME), "%n"),
    ],
)  # fmt: skip
def test_kept_apart(first: str, second: str, high: str) -> None:
    """Loops of other lengths, and elements that both write, in an order that one loop would not keep."""
    assert build(text(first, second, high).encode(), "f.mlir", CompileOptions()).mlir.count("scf.for") == 2


VIEW = "memref<?xf64, strided<[1], offset: ?>>"


def test_views_of_one_array() -> None:
    """What one view of an array reads later may be what another one writes."""
    views = text(STORE, reads("a", SAME)).replace(
        "%h = ", f"%v = memref.subview %e[%c1] [%n] [1] : memref<?xf64> to {VIEW}\n  %h = "
    )
    views = views.replace("%r, %o[%i] : memref<?xf64>", f"%r, %v[%i] : {VIEW}")
    assert build(views.encode(), "f.mlir", CompileOptions()).mlir.count("scf.for") == 2


def test_blocks_are_done_before_the_loops_around_them() -> None:
    """A loop that is joined is erased with the blocks inside of it: to look at those afterwards crashed."""
    with new_context():
        module = ir.Module.parse(text(STORE, reads("e", SAME)))
        blocks = _blocks(module.body.operations[0].operation)
        owners = [str(block.owner.operation.name) for block in blocks]
        assert owners == ["scf.for", "scf.for", "func.func"]


CARRIED = """
func.func @f(%a: memref<?xi32>, %s: i32, %o: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %s) -> (i32) {
    %x = memref.load %a[%i] : memref<?xi32>
    %u = arith.muli %t, %x : i32
    scf.yield %u : i32
  }
  %rest = scf.for %i = %c0 to %n step %c1 iter_args(%t = BEGIN) -> (i32) {
    %x = memref.load %a[%i] : memref<?xi32>
    %y = arith.addi %x, INSIDE : i32
    %u = arith.shli %t, %y : i32
    scf.yield %u : i32
  }
  memref.store %sum, %o[%c0] : memref<2xi32>
  memref.store %rest, %o[%c1] : memref<2xi32>
  return
}"""


@pytest.mark.parametrize(("begin", "inside", "loops"), [("%s", "%s", 1), ("%sum", "%s", 2), ("%s", "%sum", 2)])
def test_what_a_loop_needs_of_the_one_before_it_is_there(begin: str, inside: str, loops: int) -> None:
    source = CARRIED.replace("BEGIN", begin).replace("INSIDE", inside)
    assert build(source.encode(), "f.mlir", CompileOptions()).mlir.count("scf.for") == loops
