"""Tiles are taken away where every element is written in the same order as before, and only there."""

from __future__ import annotations

import pytest

from raising.affine.ir.program import Loop, Node, Program, Store, walk
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


def text(nodes: tuple[Node, ...]) -> str:
    """A program in short: its loops with their bounds, and what is stored in them."""
    found = []
    for node in nodes:
        if isinstance(node, Loop):
            ends = "<".join(str(f) for f in node.upper)
            found.append(f"{node.lower[0]}:{ends}({text(node.body)})")
        elif isinstance(node, Store):
            found.append(node.array[0])
    return " ".join(found)


def open_nest(body: str) -> str:
    """A nest over open sizes without its tiles."""
    arguments = "%a: memref<?x?xf64>, %b: memref<?xf64>, %n: index, %m: index, %z: f64"
    program = segment(body, arguments).program
    short = text(untiled(program).body)
    for loop in (n for n in walk(program.body) if isinstance(n, Loop)):
        short = short.replace(loop.iv, "i")
    return short


TILED = "affine.for %{0} = affine_map<(d0) -> (d0)>(%{1}) to min affine_map<(d0)[s] -> (d0 + 4, s)>(%{1})[%{2}] {{"
STRIPS = "affine.for %ii = 0 to %n step 4 {\naffine.for %jj = 0 to %m step 4 {\n"
ROWS, COLUMNS = TILED.format("i", "ii", "n"), TILED.format("j", "jj", "m")
SET = "affine.store %z, %a[%i, %j] : memref<?x?xf64>"


def test_tiles_of_open_sizes_in_two_dimensions() -> None:
    sizes = open_nest(STRIPS + ROWS + COLUMNS + SET + "}}}}")
    assert sizes.count("(") == 2 and "<" not in sizes


def test_a_tile_loop_with_several_loops_over_a_tile_is_distributed() -> None:
    again = "affine.store %z, %b[%i] : memref<?xf64>"
    body = "affine.for %ii = 0 to %n step 4 {\n" + ROWS + again + "}\n" + ROWS.replace("%i ", "%i2 ")
    body += again.replace("%i]", "%i2]") + "}}"
    assert open_nest(body).count("(") == 2 and " " in open_nest(body)


def test_a_temporary_that_every_iteration_sets_first_binds_no_order() -> None:
    body = "%t = memref.alloca() : memref<f64>\n" + STRIPS + ROWS + COLUMNS
    body += """affine.store %z, %t[] : memref<f64>
    %v = affine.load %t[] : memref<f64>
    affine.store %v, %a[%i, %j] : memref<?x?xf64>
    }}}}"""
    assert open_nest(body).count("(") == 2


def test_what_another_tile_overwrites_keeps_its_tiles() -> None:
    body = STRIPS + ROWS + COLUMNS
    body += """%v = affine.load %b[%j] : memref<?xf64>
    affine.store %v, %b[%i] : memref<?xf64>
    }}}}"""
    assert open_nest(body).count("(") == 4


def test_tiles_that_go_beyond_what_is_asked_for() -> None:
    whole = "affine.for %i = affine_map<(d0) -> (d0)>(%ii) to affine_map<(d0) -> (d0 + 4)>(%ii) {"
    body = "affine.for %ii = 0 to %n step 4 {\n" + whole + "affine.store %z, %b[%i] : memref<?xf64>\n}}"
    assert "4*floor((" in open_nest(body)


def test_a_store_outside_of_every_tile() -> None:
    body = "affine.for %ii = 0 to %n step 4 {\n" + ROWS + "affine.store %z, %b[%i] : memref<?xf64>\n}"
    assert "floor" not in open_nest(body + "affine.store %z, %b[0] : memref<?xf64>\n}")


@pytest.mark.parametrize("end", ["32", "30"])
def test_tiles_that_count_from_zero_in_two_dimensions(end: str) -> None:
    """As linalg's tiling writes them: each loop is of the tiles whose variable is added to its own."""
    ends = "min affine_map<(d0) -> (8, {} - d0)>(%{})".format
    text = f"""affine.for %ii = 0 to {end} step 8 {{ affine.for %jj = 0 to {end} step 8 {{
affine.for %i = 0 to {ends(end, "ii")} {{ affine.for %j = 0 to {ends(end, "jj")} {{
%v = affine.load %b[%i + %ii, %j + %jj] : memref<32x32xf64>
affine.store %v, %a[%j + %jj, %i + %ii] : memref<32x32xf64>
}}}}}}}}"""
    found = loops(untiled(segment(text, ARGUMENTS).program))
    assert [step for _, step in found] == [1, 1] and all(end in ends.split() for ends, _ in found)


LOWERED = """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c8 = arith.constant 8 : index
%c30 = arith.constant 30 : index
scf.for %ii = %c0 to %c30 step %c8 {{
  %next = arith.addi %ii, %c8 : index
  %first = arith.maxsi %ii, %c0 : index
  {end}
  scf.for %i = %first to %end step %c1 {{
    memref.store %z, %x[%i] : memref<32xf64>
  }}
}}"""


def test_a_tile_that_ends_at_a_minimum_of_numbers() -> None:
    """What `affine.min` is once affine operations are lowered."""
    text = LOWERED.format(end="%end = arith.minsi %next, %c30 : index")
    assert loops(untiled(segment(text, ARGUMENTS).program)) == [("30", 1)]
    twice = "%least = arith.minsi %next, %c30 : index\n%end = arith.minsi %least, %next : index"
    assert loops(untiled(segment(LOWERED.format(end=twice), ARGUMENTS).program)) == [("30", 1)]
