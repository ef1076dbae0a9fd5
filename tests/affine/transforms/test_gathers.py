"""Scattered sums are gathered: loops over what is written compute the same."""

import numpy as np
import pytest

from raising.affine.ir.program import Guard, Program, walk
from raising.affine.transforms.scatter_to_gather import gathered
from tests.affine.reading import interpreted, segment

INPUTS = "%x: memref<9xf64>, %w: memref<4xf64>, %y: memref<40xf64>, %z: memref<9x40xf64>"

NEST = """
  affine.for %i = {low} to 9 {{
    {before}
    affine.for %k = 0 to {taps} {{
      {inside}
      %p = arith.mulf %a, %b : f64
      %o = affine.load %y[{place}] : memref<40xf64>
      %s = arith.addf {sum} : f64
      affine.store %s, %y[{place}] : memref<40xf64>
    }}
  }}"""

READ = "%a = affine.load %x[%i] : memref<9xf64>"
TAP = "%b = affine.load %w[%k] : memref<4xf64>"


def _program(place: str, **given: str) -> Program:
    plain = {"low": "0", "taps": "4", "before": "", "inside": f"{READ}\n{TAP}", "sum": "%o, %p", "place": place}
    return segment(NEST.format(**{**plain, **given}), INPUTS).program


def _equal(one: Program, other: Program) -> bool:
    random = np.random.default_rng(0)
    shapes = {n: tuple(f.const for f in a.shape) for n, a in one.arrays.items()}
    arrays = {n: random.normal(size=shape) for n, shape in shapes.items()}
    first, second = (interpreted(p, {}, {n: a.copy() for n, a in arrays.items()}) for p in (one, other))
    return all(np.allclose(first[n], second[n]) for n in arrays)


@pytest.mark.parametrize(
    ("place", "given"),
    [
        ("%i + %k", {}),
        ("%i + %k + 3", {"low": "2"}),
        ("2 * %i + %k", {}),
        ("%i + 3 * %k", {}),
        ("%k + %i", {"sum": "%p, %o"}),
        ("%i + %k", {"before": READ, "inside": TAP}),
    ],
)
def test_a_scattered_sum_is_gathered(place: str, given: dict[str, str]) -> None:
    program = _program(place, **given)
    other = gathered(program)
    assert any(isinstance(n, Guard) for n in walk(other.body))
    assert all(len(form.names()) == 1 for store in other.stores() for form in store.subscripts)
    assert _equal(program, other)


@pytest.mark.parametrize(
    ("place", "given"),
    [
        ("%i", {}),
        ("4 * %i + %k", {}),
        ("2 * %i + 2 * %k", {}),
        ("%i - %k + 4", {}),
        ("%i + %k", {"sum": "%p, %p"}),
        (
            "%i + %k",
            {"taps": "affine_map<(d0) -> (d0)>(%i)", "inside": f"{READ}\n%b = affine.load %x[%k] : memref<9xf64>"},
        ),
        ("%i + %k", {"inside": f"%a = affine.load %y[%i] : memref<40xf64>\n{TAP}"}),
    ],
    ids=["one index", "no two meet", "no factor of one", "downwards", "no sum", "a triangle", "reads what it writes"],
)
def test_others_stay(place: str, given: dict[str, str]) -> None:
    program = _program(place, **given)
    assert gathered(program) is program
