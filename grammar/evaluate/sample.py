"""Samples: a loop program run in the field, from random inputs to outputs and which elements were written.

Search and check both sample programs with this. Random numbers would hardly ever meet the constants that a program
compares its data with, so inputs are also drawn from the points around those constants (`special_points`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from raising.affine.ir.interpreter import Arithmetic, Machine, Memory, shape_at
from raising.affine.ir.program import Compute, Program, walk
from raising.grammar.evaluate import number
from raising.grammar.evaluate.number import Num, Point
from raising.grammar.terms.literal import exact
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.term import Input, Term, nodes
from raising.support.record import dataclass

_LARGEST = Fraction(sys.float_info.max)


def special_points(program: Program, element: str) -> list[Point]:
    """Numbers at which comparisons with the program's constants turn: at, beside and beyond each."""
    texts = frozenset(s.literal for s in program.scalars.values() if s.literal is not None and _finite(s.literal))
    return list(_around(texts, element))


def constant_points(program: Program, element: str) -> list[Point]:
    """The program's constants that an element type holds, and zero."""
    texts = {s.literal for s in program.scalars.values() if s.literal is not None and _finite(s.literal)}
    found = sorted({Fraction(text) for text in texts} | {Fraction(0)})
    fitting = [v for v in found if abs(v) <= _LARGEST and (not element.startswith("i") or v.denominator == 1)]
    return [number.point(v) for v in fitting]


@lru_cache(maxsize=64)
def _around(literals: frozenset[str], element: str) -> tuple[Point, ...]:
    found: dict[Fraction, None] = {}
    for c in sorted({Fraction(text) for text in literals} | {Fraction(0), Fraction(1)}):
        step = Fraction(1) if element.startswith("i") else max(abs(c), Fraction(1, 1 << 10)) / (1 << 10)
        for value in (c, c + step, c - step, -c, 2 * c, c / 2):
            if abs(value) <= _LARGEST and (not element.startswith("i") or value.denominator == 1):
                found[value] = None
    return tuple(number.point(v) for v in found)


def _finite(text: str) -> bool:
    return math.isfinite(float(text))


POINTS: Arithmetic[Point] = Arithmetic(
    lambda node, args: number.apply_point(node.op, args, node.attrs), lambda value, _: number.point(value)
)


@dataclass(frozen=True)
class Sample:
    """One run: sizes, input values by name, and each output with the mask of elements written."""

    sizes: dict[str, int]
    inputs: dict[str, Num]
    outputs: dict[str, Num]
    masks: dict[str, npt.NDArray[np.bool_]]


ORDERED = frozenset(("compare", "greater", "less", "unsigned_greater", "unsigned_less", "magnitude", "logic"))
_BITWISE = ("arith.andi", "arith.ori")
_NO_BITS = ("i1", "f16", "bf16", "f32", "f64", "index")
_UNIFORM = 0.93  # of a line in which most elements are the same
DRAWS, MOST_DRAWS = 8, 128  # runs per size vector of a program whose result depends on the order of numbers


def order_dependent(program: Program) -> bool:
    """True if some operation compares numbers, so that one run sees one of several branches."""
    ops = {n.op for n in walk(program.body) if isinstance(n, Compute)}
    return any(op in SCALARS and SCALARS[op].residue in ORDERED for op in ops)


def runs(
    program: Program, vectors: list[dict[str, int]], rng: np.random.Generator, elements: int = 0
) -> Iterator[Sample]:
    """Runs at each size vector: one, or several where branches have to be seen.

    Scalars come in ascending order in the first of these, in descending order
    in the second, so that every comparison of two scalars goes both ways. A
    program with branches that writes few elements is run more often, until
    `elements` of them have been seen or `MOST_DRAWS` were made: a condition such
    as `a[i] + b[j] == 3` holds rarely.
    """
    ordered = order_dependent(program)
    for sizes in vectors:
        seen = 0
        for draw in range(MOST_DRAWS if ordered else 1):
            if draw >= DRAWS and seen * len(vectors) >= elements:
                break
            yield (sample := run(program, sizes, rng, draw if ordered else None))
            seen += sum(int(mask.sum()) for mask in sample.masks.values())


# ---- running -------------------------------------------------------------------------------------


def random_point(element: str, rng: np.random.Generator, scale: float = 1.0) -> Point:
    """A random rational with a small denominator (so that field and float hold the same number)."""
    if element == "i1":
        return number.point(int(rng.integers(0, 2)))
    if element.startswith("i"):
        return number.point(int(rng.integers(-(1 << 20), 1 << 20)) or 1)
    numerator = int(rng.integers(-(1 << 24), 1 << 24)) or 1
    stretch = 1 << int(rng.integers(0, max(1, int(scale).bit_length())))
    return number.point(numerator * stretch / (1 << 22))


def to_num(points: list[Point], shape: tuple[int, ...]) -> Num:
    """Points as an array."""
    res = np.array([p.res for p in points], dtype=np.uint64).reshape(shape)
    return Num(res, np.array([p.flt for p in points], dtype=np.float64).reshape(shape))


class Dice:
    """Draws input numbers for a program. `draw` numbers the runs of an order-dependent one.

    Draws 0 and 1 are for scalars in ascending and descending order, draw 1
    also for arrays without positive numbers; the later ones mix in numbers at which the program's comparisons turn,
    and every second of them has hardly any others. In every fourth, most of a line of an array, or of all of it, is one
    of the program's constants: a condition that is to hold for all elements, or for none, holds for few others. In
    draws 4 and 6 of 8, arrays ascend and descend, so that an extremum of too many or too few elements is seen; and
    integers of which a program takes the bits apart have one bit set, or all but one: the `or` of many random numbers
    is the same as that of a few.
    """

    def __init__(self, program: Program, rng: np.random.Generator, draw: int | None) -> None:
        self.program, self.rng, self.draw = program, rng, draw
        self.scale = _largest_literal(program)
        self._special: dict[str, list[Point]] = {}
        self._order = {4: 1, 6: -1}.get(draw % 8, 0) if draw is not None else 0
        self._bits = self._order and any(isinstance(n, Compute) and n.op in _BITWISE for n in walk(program.body))

    def point(self, element: str) -> Point:
        """One number of an element type."""
        if element != "i1" and self.rng.random() < self._share():
            points = self._special.setdefault(element, special_points(self.program, element))
            return points[int(self.rng.integers(0, len(points)))]
        return random_point(element, self.rng, self.scale)

    def _share(self) -> float:
        if self.draw is None or self.draw < 2:
            return 0.0
        return 0.9 if self.draw % 2 else 0.5

    def array(self, element: str, shape: tuple[int, ...]) -> list[Point]:
        """The elements of an array; none is positive in draw 1, or a maximum would never be less than a fill of 0."""
        points = [self.point(element) for _ in range(int(np.prod(shape, dtype=int)))]
        if self.draw is not None and self.draw % 4 == 3 and shape:
            return self._uniform(element, shape, points)
        if self.draw == 1 and element != "i1":
            return [number.point(-p.flt) if p.flt > 0 else p for p in points]
        if self._order and self._bits and element not in _NO_BITS:
            return self._single_bits(element, len(points))
        if self._order:
            points.sort(key=lambda p: self._order * p.flt)
        return points

    def _single_bits(self, element: str, count: int) -> list[Point]:
        """Numbers with one bit set, neighbours with different ones; or those with all bits but one."""
        start, width = int(self.rng.integers(0, 20)), min(int(element[1:]) - 1, 20)
        bits = [1 << (start + k) % width for k in range(count)]
        return [number.point(bit if self._order > 0 else ~bit) for bit in bits]

    def _uniform(self, element: str, shape: tuple[int, ...], points: list[Point]) -> list[Point]:
        """The elements with most of them the same constant along all dimensions but one, the first or the last."""
        constants = constant_points(self.program, element)
        start = int(self.rng.integers(0, len(constants)))
        lines = np.indices(shape)[0 if self.draw is not None and self.draw % 8 == 3 else -1].reshape(-1)
        if len(shape) == 1:
            lines = np.zeros_like(lines)
        kept = self.rng.random(len(points)) < _UNIFORM
        return [
            constants[(start + int(line)) % len(constants)] if same else p
            for p, line, same in zip(points, lines, kept, strict=True)
        ]

    def scalars(self) -> dict[str, Point]:
        """The program's scalars: constants as they are, the others drawn."""
        given = [s for s in self.program.scalars.values() if s.literal is None]
        points = [self.point(s.element) for s in given]
        if self.draw in (0, 1):
            points.sort(key=lambda p: p.flt, reverse=self.draw == 1)
        found = {s.name: p for s, p in zip(given, points, strict=True)}
        fixed = {s.name: number.point(exact(s.literal)) for s in self.program.scalars.values() if s.literal}
        return found | fixed


def run(program: Program, sizes: dict[str, int], rng: np.random.Generator, draw: int | None = None) -> Sample:
    """Run a program on random inputs; its outputs and what it wrote."""
    dice = Dice(program, rng, draw)
    memory: dict[str, Memory[Point]] = {}
    inputs: dict[str, Num] = {}
    for name in sorted(program.arrays):
        shape = shape_at(program, name, sizes)
        element = program.arrays[name].element
        data = dice.array(element, shape)
        inputs[name] = to_num(data, shape)
        memory[name] = Memory(shape, data)
    scalars = dice.scalars()
    inputs |= {name: to_num([value], ()) for name, value in scalars.items()}
    Machine(POINTS, sizes, memory, scalars).run(program.body)
    written = {store.array: memory[store.array] for store in program.stores()}
    return Sample(
        dict(sizes),
        inputs,
        {name: to_num(m.data, m.shape) for name, m in written.items()},
        {name: _mask(m) for name, m in written.items()},
    )


def _mask(memory: Memory[Point]) -> npt.NDArray[np.bool_]:
    flat = np.zeros(int(np.prod(memory.shape, dtype=int)), dtype=bool)
    flat[sorted(memory.written)] = True
    return flat.reshape(memory.shape)


def _largest_literal(program: Program) -> float:
    values = [abs(float(s.literal)) for s in program.scalars.values() if s.literal is not None]
    return max([v for v in values if v < 1e6] + [1.0])


def random_inputs(roots: tuple[Term, ...], sizes: Mapping[str, int], dice: Dice) -> dict[str, Num]:
    """Random values for every input of some terms."""
    scalars = dice.scalars()
    found: dict[str, Num] = {}
    for node in nodes(roots):
        if isinstance(node, Input) and node.name not in found:
            shape = tuple(max(0, d.evaluate(sizes)) for d in node.type.dims)
            points = [scalars[node.name]] if node.name in scalars else dice.array(node.type.element, shape)
            found[node.name] = to_num(points, shape)
    return found
