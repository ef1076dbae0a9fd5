"""Tiles are taken away where every element is written in the same order as before, and only there."""

from __future__ import annotations

import pytest

from raising.affine.ir.program import Loop, Program, walk
from raising.affine.transforms.untile import untiled
from tests.affine.reading import segment

ARGUMENTS = "%a: memref<32x32xf64>, %b: memref<32x32xf64>, %x: memref<32xf64>, %z: f64"


def nest(heads: str, body: str) -> Program:
    """One perfect nest: `i:8` is a loop over tiles of 8 of i, `i` one inside of a tile, `j=0-32` a plain one."""
    loops: list[str] = []
    sizes: dict[str, str] = {}
    for head in heads.split():
        if ":" in head:
            name, sizes[name] = head.split(":")
            loops.append(f"affine.for %{name}{name} = 0 to 32 step {sizes[name]} {{")
        elif "=" in head:
            name, end = head.split("=")
            loops.append(f"affine.for %{name} = 0 to {end} {{")
        else:
            over = f"(%{head}{head})"
            bounds = f"affine_map<(d0) -> (d0)>{over} to min affine_map<(d0) -> (d0 + {sizes[head]}, 32)>{over}"
            loops.append(f"affine.for %{head} = {bounds} {{")
    return segment("\n".join([*loops, body, "}" * len(loops)]), ARGUMENTS).program


def loops(program: Program) -> list[tuple[str, int]]:
    """The upper bounds and the step of each loop, from the outermost."""
    found = [n for n in walk(program.body) if isinstance(n, Loop)]
    return [(" ".join(str(f) for f in n.upper), n.step) for n in found]


ADD = """%v = affine.load %b[%i, %k] : memref<32x32xf64>
%o = affine.load %a[%i, %j] : memref<32x32xf64>
%s = arith.addf %o, %v : f64
affine.store %s, %a[%i, %j] : memref<32x32xf64>"""
FOLD = """%v = affine.load %b[%k, %l] : memref<32x32xf64>
%o = affine.load %x[%i] : memref<32xf64>
%s = arith.addf %o, %v : f64
affine.store %s, %x[%i] : memref<32xf64>"""
SCAN = """%v = affine.load %x[%i - 1] : memref<32xf64>
affine.store %v, %x[%i] : memref<32xf64>"""


def test_tiles_of_a_whole_nest() -> None:
    assert loops(untiled(nest("i:8 j:8 k:8 i j k", ADD))) == [("32", 1)] * 3


def test_a_last_tile_that_is_cut() -> None:
    assert loops(untiled(nest("i:6 i", "affine.store %z, %x[%i] : memref<32xf64>"))) == [("32", 1)]


@pytest.mark.parametrize(
    "heads, body",
    [
        ("k:8 l:8 i=32 k l", FOLD),  # sums in another order
        ("k:8 i=32 l=32 k", FOLD),
        ("i:8 j=32 i", SCAN),  # reads what another iteration stored
    ],
)
def test_an_order_that_would_change_is_kept(heads: str, body: str) -> None:
    program = nest(heads, body)
    assert untiled(program) == program


def test_a_sum_in_the_same_order() -> None:
    assert len(loops(untiled(nest("k:8 i:8 i k l=32", FOLD)))) == 3


def test_a_variable_of_tiles_that_is_used_elsewhere() -> None:
    program = nest("i:8 i", "affine.store %z, %x[%ii] : memref<32xf64>")
    assert untiled(program) == program
