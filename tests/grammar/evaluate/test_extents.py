"""Accesses looked at without running the operations around them, beside the executable reference."""

import pytest

from raising.affine.ir.interpreter import Arithmetic, Machine, Memory, OutOfBounds, shape_at
from raising.affine.ir.program import Program
from raising.grammar.evaluate.extents import Accesses
from tests.affine.reading import segment

NESTS = {
    "a box": "affine.for %i = 0 to 6 { affine.for %j = 0 to 5 { {access} } }",
    "backwards": "affine.for %i = 2 to 7 { affine.for %j = 0 to 5 { {access} } }",
    "a triangle": "affine.for %i = 0 to 6 { affine.for %j = 0 to affine_map<(d) -> (d + 1)>(%i) { {access} } }",
    "a condition in the middle": """affine.for %i = 0 to 6 { affine.for %j = 0 to 6 {
        affine.if affine_set<(d, e) : (d - 2 >= 0, 3 - d >= 0, e - 1 >= 0)>(%i, %j) { {access} } } }""",
    "a step": "affine.for %i = 0 to 7 step 4 { affine.for %j = 1 to 6 step 2 { {access} } }",
    "no iteration": "affine.for %i = 3 to 3 { affine.for %j = 0 to 5 { {access} } }",
}
SUBSCRIPTS = (
    *("%i, %j", "%i + %j, 0", "%i - %j, %j", "5 - %i, %j", "%j, %i", "2 * %i, %j", "0, 2 * %j - %i + 1"),
    *("(%i * 5) mod 6, %j", "%i floordiv 2, %j", "(%i + %j) mod 4, 0"),
)


def _runs(given: Program) -> bool:
    memory = {a: Memory[float](shape := shape_at(given, a, {}), [0.0] * (shape[0] * shape[1])) for a in given.arrays}
    arithmetic = Arithmetic[float](lambda _node, _args: 0.0, lambda _value, _element: 0.0)
    try:
        Machine(arithmetic, {}, memory, dict.fromkeys(given.scalars, 0.0)).run(given.body)
    except OutOfBounds:
        return False
    return True


@pytest.mark.parametrize("nest", NESTS)
def test_it_agrees_with_a_run(nest: str) -> None:
    answers = set()
    for subscripts in SUBSCRIPTS:
        for shape in ((6, 5), (6, 6), (3, 6), (4, 4), (11, 6), (12, 12)):
            kind = f"memref<{shape[0]}x{shape[1]}xf64>"
            access = f"%v = affine.load %x[{subscripts}] : {kind}\naffine.store %v, %x[0, 0] : {kind}"
            given = segment(NESTS[nest].replace("{access}", access), f"%x: {kind}").program
            assert Accesses(given).in_bounds({}) == _runs(given), (subscripts, shape)
            answers.add(Accesses(given).in_bounds({}))
    assert answers == ({True} if nest == "no iteration" else {True, False})
