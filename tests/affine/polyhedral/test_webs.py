"""Live ranges of local memory: each gets a memory of its own, unless values pass between them."""

from raising.affine.polyhedral.expansion import expand, split_live_ranges
from raising.affine.polyhedral.scop import Scop, build
from raising.affine.sizes.symbolic_sizes import generalise
from tests.affine.reading import segment

CELL = "  %t = memref.alloca() : memref<f64>\n"


def _scop(body: str) -> Scop:
    return build(generalise(segment(CELL + body, "%x: memref<10xf64>, %y: memref<10xf64>").program).program)


def _nest(source: str, target: str, start: str = "") -> str:
    """Through the cell: target[i] = -source[i]; `start` comes first in each iteration."""
    return f"""  affine.for %i = 0 to 10 {{
    {start}
    %a = affine.load %{source}[%i] : memref<10xf64>
    affine.store %a, %t[] : memref<f64>
    %b = affine.load %t[] : memref<f64>
    %c = arith.negf %b : f64
    affine.store %c, %{target}[%i] : memref<10xf64>
  }}
"""


def _locals(scop: Scop) -> set[str]:
    return {name for name, array in scop.program.arrays.items() if array.kind == "local"}


def test_a_cell_of_two_nests_is_two_cells() -> None:
    before = _scop(_nest("x", "y") + _nest("y", "x"))
    after = split_live_ranges(before)
    assert len(_locals(before)) == 1 and len(_locals(after)) == 2
    assert {len(writers) for writers in after.writers.values()} == {1}


def test_each_is_then_expanded_by_its_own_loop() -> None:
    after = expand(_scop(_nest("x", "y") + _nest("y", "x")))
    shapes = [array.shape for array in after.program.arrays.values() if array.kind == "local"]
    assert [len(shape) for shape in shapes] == [1, 1]


def test_a_cell_of_one_nest_is_left_alone() -> None:
    scop = _scop(_nest("x", "y"))
    assert split_live_ranges(scop) is scop


def test_a_value_that_passes_from_nest_to_nest_joins_them() -> None:
    read_first = "%p = affine.load %t[] : memref<f64>\n    affine.store %p, %y[%i] : memref<10xf64>"
    scop = _scop(_nest("x", "y") + _nest("x", "y", read_first))
    assert split_live_ranges(scop) is scop


def test_what_is_read_before_it_is_written_joins_everything() -> None:
    unset = "  affine.for %k = 0 to 10 {\n    %p = affine.load %t[] : memref<f64>\n"
    unset += "    affine.store %p, %y[%k] : memref<10xf64>\n  }\n"
    scop = _scop(unset + _nest("x", "y") + _nest("y", "x"))
    assert split_live_ranges(scop) is scop
