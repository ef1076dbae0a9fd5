"""Unrolled loops are rolled up only where every copy says the same, and joined with what remains of the range."""

from __future__ import annotations

import pytest

from raising.affine.ir.program import Loop, Program, walk
from raising.affine.transforms.reroll import rerolled
from tests.affine.reading import segment

ARGUMENTS = "%x: memref<?xf64>, %y: memref<?xf64>, %s: memref<f64>, %n: index, %z: f64"
MAIN = "affine.for %i = 0 to affine_map<()[s] -> (s - 1)>()[%n] step 2 {{\n{}\n}}\n"
REST = "affine.for %i = affine_map<()[s] -> ({} (s floordiv 2) * 2)>()[%n] to %n {{\n{}\n}}\n"


def copy(k: int, place: int | None = None) -> str:
    """One copy of a body, which stores at another place if that is said."""
    at = f"%i + {k if place is None else place}"
    return f"""%v{k} = affine.load %x[%i + {k}] : memref<?xf64>
    affine.store %v{k}, %y[{at}] : memref<?xf64>\n"""


def program(text: str) -> Program:
    return segment(text, ARGUMENTS).program


def shape(text: str) -> list[tuple[int, int]]:
    """Of each loop, its step and how much is in its body."""
    found = rerolled(program(text)).body
    return [(n.step, len(n.body)) for n in walk(found) if isinstance(n, Loop)]


def test_copies_and_a_remainder_are_one_loop() -> None:
    assert shape(MAIN.format(copy(0) + copy(1)) + REST.format("", copy(0))) == [(1, 2)]


def test_a_sum_whose_loads_were_forwarded() -> None:
    first = """%o = affine.load %s[] : memref<f64>
    %a = affine.load %x[%i] : memref<?xf64>
    %b = arith.addf %o, %a : f64
    affine.store %b, %s[] : memref<f64>\n"""
    second = """%c = affine.load %x[%i + 1] : memref<?xf64>
    %d = arith.addf %b, %c : f64
    affine.store %d, %s[] : memref<f64>\n"""
    assert shape(MAIN.format(first + second) + REST.format("", first)) == [(1, 4)]
    assert shape(MAIN.format(first + second.replace("%b, %c", "%a, %c")) + REST.format("", first))[0] == (2, 7)


@pytest.mark.parametrize(
    "body", [copy(0) + copy(1, place=0), copy(1) + copy(0), copy(0) + copy(1).replace("%v1,", "%z,")]
)
def test_other_copies_stay(body: str) -> None:
    assert shape(MAIN.format(body))[0][0] == 2


def test_a_gap_or_another_body_stays_apart() -> None:
    whole = MAIN.format(copy(0) + copy(1))
    assert len(shape(whole + REST.format("1 +", copy(0)))) == 2
    assert len(shape(whole + REST.format("", copy(0, place=1)))) == 2


def test_without_a_remainder_the_end_is_rounded_up() -> None:
    loop = next(n for n in walk(rerolled(program(MAIN.format(copy(0) + copy(1)))).body) if isinstance(n, Loop))
    assert [loop.upper[0].evaluate({name: n for name in loop.upper[0].names()}) for n in (0, 1, 2, 5)] == [0, 0, 2, 4]
