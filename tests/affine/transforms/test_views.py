"""Arrays seen with more dimensions: the view is the same program, and there is one only where every access fits."""

import numpy as np
import pytest

from raising.affine.ir.program import Program
from raising.affine.transforms.array_reshape import Viewed, needs_views, viewed
from tests.affine.reading import interpreted, segment

ARRAYS = "%x: memref<{0}xf64>, %y: memref<{1}xf64>"
NEST = """
  affine.for %i = 0 to {0} {{
    affine.for %k = 0 to {1} {{
      %a = affine.load %x[{2}] : memref<{4}xf64>
      affine.store %a, %y[{3}] : memref<{5}xf64>
    }}
  }}"""
LINE = """
  affine.for %i = 0 to {0} {{
    %a = affine.load %x[{1}] : memref<{3}xf64>
    affine.store %a, %y[{2}] : memref<{4}xf64>
  }}"""


def _nest(rows: int, columns: int, read: str, write: str, sizes: tuple[int, int]) -> Program:
    text = NEST.format(rows, columns, read, write, *sizes)
    return segment(text, ARRAYS.format(*sizes)).program


def _line(trips: int, read: str, write: str, sizes: tuple[int, int]) -> Program:
    return segment(LINE.format(trips, read, write, *sizes), ARRAYS.format(*sizes)).program


FITTING = {
    "rows": (_nest(5, 4, "%i", "4 * %i + %k", (5, 20)), [((5, 4),)]),
    "columns": (_nest(5, 4, "%i", "5 * %k + %i", (5, 20)), [((4, 5),)]),
    "a row backwards": (_nest(5, 4, "%i", "4 * %i - %k + 3", (5, 20)), [((5, 4),)]),
    "a later row": (_nest(5, 4, "%i", "4 * %i + %k + 8", (5, 28)), [((7, 4),)]),
    "both": (_nest(6, 5, "5 * %i + %k", "6 * %k + %i", (30, 30)), [((6, 5),), ((5, 6),)]),
    "a quotient": (_line(20, "%i floordiv 4", "%i", (5, 20)), [((5, 4),)]),
    "a remainder": (_line(20, "%i mod 4", "%i", (4, 20)), [((5, 4),)]),
    "two radices": (_line(60, "(%i floordiv 5) mod 4", "%i", (4, 60)), [((3, 4, 5),)]),
}


@pytest.mark.parametrize("name", FITTING)
def test_a_view_is_the_same_program(name: str) -> None:
    program, groups = FITTING[name]
    found = viewed(program)
    assert found is not None and needs_views(program)
    assert list(found.groups.values()) == groups
    assert not needs_views(found.program)
    _check_same(program, found)


def _check_same(program: Program, found: Viewed) -> None:
    random = np.random.default_rng(0)
    given = {n: random.normal(size=a.shape[0].const) for n, a in program.arrays.items()}
    shapes = {n: tuple(e.const for e in a.shape) for n, a in found.program.arrays.items()}
    wanted = interpreted(program, {}, given)
    got = interpreted(found.program, {}, {n: v.reshape(shapes[n]) for n, v in given.items()})
    assert all(np.array_equal(wanted[n], got[n].reshape(-1)) for n in given)


MISSING = {
    "blocks overlap": _nest(5, 6, "%i", "4 * %i + %k", (5, 22)),
    "the last block is cut off": _nest(5, 3, "%i", "4 * %i + %k", (5, 19)),
    "a digit leaves its row": _nest(5, 4, "%i", "4 * %i + %k + 2", (5, 24)),
    "strides that do not divide": _nest(2, 3, "%i", "6 * %i + 4 * %k", (2, 24)),
    "a number is no multiple": _line(21, "%i floordiv 4", "%i", (6, 21)),
    "nothing to take apart": _line(20, "%i", "%i", (20, 20)),
}


@pytest.mark.parametrize("name", MISSING)
def test_where_an_access_does_not_fit_there_is_no_view(name: str) -> None:
    assert viewed(MISSING[name]) is None


TURNING = {
    "a shift": _line(12, "(%i + 1) mod 12", "%i", (12, 12)),
    "a shift back": _line(12, "%i", "(%i + 11) mod 12", (12, 12)),
    "backwards": _line(12, "(17 - %i) mod 12", "%i", (12, 12)),
    "no multiple": _line(31, "%i mod 10", "%i", (10, 31)),
    "in rows": _nest(4, 6, "(%k + 5) mod 6", "6 * %i + (%k + 1) mod 6", (6, 24)),
}


@pytest.mark.parametrize("name", TURNING)
def test_a_loop_is_taken_apart_where_quotients_change(name: str) -> None:
    program = TURNING[name]
    found = viewed(program)
    assert found is not None and not needs_views(found.program)
    labels = [s.label for s in found.program.stores()]
    assert len(labels) == len(set(labels)) > 1
    _check_same(program, found)


def test_a_loop_in_which_quotients_change_often_stays_whole() -> None:
    assert viewed(_line(80, "%i mod 11", "%i", (11, 80))) is None
