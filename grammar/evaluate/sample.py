"""Samples: runs of a loop program in the field on random inputs, with the outputs and masks of the elements written.

Search and check both use samples. Random numbers would hardly ever equal the constants that a program compares its data
with, so inputs are also drawn from these constants and numbers next to them (`special_points`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from raising.affine.ir.integer_types import limits
from raising.affine.ir.interpreter import Arithmetic, Machine, Memory, shape_at
from raising.affine.ir.program import Compute, IndexValue, Program, walk
from raising.grammar.evaluate import point_number
from raising.grammar.evaluate.number import Num
from raising.grammar.evaluate.point_number import Point
from raising.grammar.field import field
from raising.grammar.terms.literal import exact
from raising.grammar.terms.scalar_ops import SCALARS, SELECT
from raising.grammar.terms.term import Input, Term, nodes
from raising.support.record import dataclass

_LARGEST = Fraction(sys.float_info.max)


def special_points(program: Program, element: str) -> list[Point]:
    """Each constant of the program, 0 and 1, with the numbers next to it, its negative, its double and its half."""
    return list(_around(_literals(program), element))


def size_points(program: Program, element: str, sizes: Mapping[str, int]) -> list[Point]:
    """The values of forms in sizes that the program uses as data, as in `a[i] < n`."""
    forms = {n.form for n in walk(program.body) if isinstance(n, IndexValue) and n.form.names() <= sizes.keys()}
    return [point_number.point(v) for v in sorted({f.evaluate(sizes) for f in forms}) if _holds(element, Fraction(v))]


def constant_points(program: Program, element: str) -> list[Point]:
    """The program's constants that an element type holds, and zero."""
    return list(_held(_literals(program), element))


@lru_cache(maxsize=64)
def _held(literals: frozenset[str], element: str) -> tuple[Point, ...]:
    found = sorted({Fraction(exact(text)) for text in literals} | {Fraction(0)})
    return tuple(point_number.point(v) for v in found if _holds(element, v))


def _literals(program: Program) -> frozenset[str]:
    """The program's constants, as text, but for infinity and NaN."""
    return frozenset(s.literal for s in program.scalars.values() if s.literal is not None and _finite(s.literal))


@lru_cache(maxsize=64)
def _around(literals: frozenset[str], element: str) -> tuple[Point, ...]:
    found: dict[Fraction, None] = {}
    whole = element.startswith("i")
    for c in sorted({Fraction(exact(text)) for text in literals} | {Fraction(0), Fraction(1)}):
        step = Fraction(1) if whole else max(abs(c), Fraction(1, 1 << 10)) / (1 << 10)
        for value in (c, c + step, c - step, -c, 2 * c, c / 2):
            if _holds(element, value):
                found[value if whole else Fraction(float(value))] = None  # the same number in the field and as a float
    return tuple(point_number.point(v) for v in found)


def _holds(element: str, value: Fraction) -> bool:
    """True if an element type holds a number. Of integers only those count that f64 holds: floats compare them."""
    if not element.startswith("i"):
        return abs(value) <= _LARGEST
    in_type = limits(element)[0] <= value <= limits(element, with_sign=False)[1]
    return value.denominator == 1 and in_type and float(value) == value


def _finite(text: str) -> bool:
    return math.isfinite(float(text))


POINTS: Arithmetic[Point] = Arithmetic(
    lambda node, args: point_number.apply(node.op, args, node.attrs),
    lambda value, _: point_number.point(value),
    lambda node: point_number.function_of(node.op, node.attrs),
)


@dataclass(frozen=True)
class Sample:
    """One run: sizes, input values by name, and each output with the mask of elements written."""

    sizes: dict[str, int]
    inputs: dict[str, Num]
    outputs: dict[str, Num]
    masks: dict[str, npt.NDArray[np.bool_]]
    outcomes: frozenset[tuple[str, bool]] = frozenset()
    """The results of comparisons that occurred, with the names of their values."""


ORDERED = frozenset(("compare", "greater", "less", "unsigned_greater", "unsigned_less", "magnitude", "logic"))
_BITWISE = ("arith.andi", "arith.ori")
_NO_BITS = ("i1", "f16", "bf16", "f32", "f64", "index")
_UNIFORM = 0.93  # the share of equal elements in a line in which most are equal
_EXCEPTIONS = 2  # the number of elements that differ in an array in which all others are equal
DRAWS, MOST_DRAWS = 8, 128  # runs per size vector of a program whose result depends on the order of numbers


def order_dependent(program: Program) -> bool:
    """True if an operation compares numbers or selects one, so that one run takes one of several branches."""
    ops = {n.op for n in walk(program.body) if isinstance(n, Compute)}
    return any(op == SELECT or op in SCALARS and SCALARS[op].residue in ORDERED for op in ops)


def runs(
    program: Program, vectors: list[dict[str, int]], rng: np.random.Generator, elements: int = 0, special: bool = False
) -> Iterator[Sample]:
    """Runs at each size vector: one, or `DRAWS` if the program is order-dependent.

    The first two of these draws give scalars in ascending and in descending order, so that every comparison of two
    scalars has both results. A program that writes few elements is run more often, until `elements` of them were
    computed or `MOST_DRAWS` were made, since a condition such as `a[i] + b[j] == 3` holds rarely. Where it writes none,
    one run is enough: which elements are written depends on sizes, and on no data. Of other programs, points are
    `special` if that is wanted, in two runs or more, and the kinds of draws take turns.
    """
    ordered = order_dependent(program)
    each = max(2, -(-2 * DRAWS // max(1, len(vectors)))) if special else 1
    for place, sizes in enumerate(vectors):
        seen, runner = 0, Runner(program, sizes, rng)
        for draw in range(MOST_DRAWS if ordered else each):
            if draw >= DRAWS and seen * len(vectors) >= elements:
                break
            kind = draw if ordered else place * each + draw
            turn = place + draw // DRAWS * len(vectors)
            yield (sample := runner.run(kind if ordered or special else None, turn))
            seen += sum(int(mask.sum()) for mask in sample.masks.values())
            if not seen:
                break


# ---- running -------------------------------------------------------------------------------------


def random_numbers(element: str, count: int, rng: np.random.Generator, scale: float = 1.0) -> Num:
    """Random rationals with small denominators (so that field and float hold the same numbers), in one dimension."""
    if element == "i1":
        return _integers(rng.integers(0, 2, count))
    if element.startswith("i"):
        drawn = rng.integers(-(1 << 20), 1 << 20, count)
        return _integers(np.where(drawn == 0, 1, drawn))
    drawn = rng.integers(-(1 << 24), 1 << 24, count)
    stretch = np.left_shift(1, rng.integers(0, max(1, int(scale).bit_length()), count))
    whole = _integers(np.where(drawn == 0, 1, drawn) * stretch)  # of at most 45 bits
    return Num(field.mul(whole.res, np.full(count, _FRACTION, dtype=np.uint64)), whole.flt / _DENOMINATOR)


_DENOMINATOR = 1 << 22
_FRACTION = field.residue_of(Fraction(1, _DENOMINATOR))


def _integers(values: npt.NDArray[np.int64]) -> Num:
    """Integers of at most 53 bits in the field."""
    return Num((values % field.P).astype(np.uint64), values.astype(np.float64))


def to_num(points: Sequence[Point], shape: tuple[int, ...]) -> Num:
    """Points as an array."""
    res = np.array([p.res for p in points], dtype=np.uint64).reshape(shape)
    return Num(res, np.array([p.flt for p in points], dtype=np.float64).reshape(shape))


def to_points(value: Num) -> list[Point]:
    """The elements of an array, row-major."""
    return list(map(_as_point, zip(value.res.ravel().tolist(), value.flt.ravel().tolist(), strict=True)))


_as_point: Callable[[tuple[int, float]], Point] = partial(tuple.__new__, Point)  # `Point(*pair)` in a third of the time


def _where(mask: npt.NDArray[np.bool_], a: Num, b: Num) -> Num:
    return Num(np.where(mask, a.res, b.res), np.where(mask, a.flt, b.flt))


def _taken(value: Num, positions: npt.NDArray[np.int64]) -> Num:
    return Num(value.res[positions], value.flt[positions])


class Dice:
    """Draws random inputs of a program.

    `draw` is the number of the run of an order-dependent program (None for others). It selects the distribution:

    - 0: scalars are in ascending order.
    - 1: scalars are in descending order, and no element of an array is positive, so that a maximum may be less than 0.
    - 2 and more: among the numbers are `special_points`, a half of them in even draws and nine of ten in odd ones.
    - 3 modulo 8: in each line of an array, most elements are one constant of the program; or all but two elements of
      the array are. This is for conditions that hold for all elements but a few, in one line or on a diagonal.
    - 7 modulo 8: all elements are one constant of the program, for conditions that hold for all elements or for none.
    - 4 and 6 modulo 8: arrays are in ascending or descending order, for an extremum over too many or too few elements.
      If the program has bitwise operations, integers have one bit set, or all but one, since the `or` of many random
      numbers is the same as that of a few.

    The constant is another one for each `turn`, so that all of a few constants occur in a few turns.
    """

    def __init__(
        self,
        program: Program,
        rng: np.random.Generator,
        draw: int | None,
        turn: int = 0,
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        self.program, self.rng = program, rng
        self.sizes = {} if sizes is None else sizes
        self.scale = _largest_literal(program)
        self._special: dict[str, Num] = {}
        self._given = [s for s in program.scalars.values() if s.literal is None]
        literals = (s for s in program.scalars.values() if s.literal)
        self._fixed = {s.name: point_number.point(exact(str(s.literal))) for s in literals}
        self.begin(draw, turn)

    def begin(self, draw: int | None, turn: int) -> None:
        """Draw for another run."""
        self.draw, self.turn = draw, turn
        self._order = {4: 1, 6: -1}.get(draw % 8, 0) if draw is not None else 0
        self._bits = self._order and any(isinstance(n, Compute) and n.op in _BITWISE for n in walk(self.program.body))

    def point(self, element: str) -> Point:
        """One number of an element type."""
        return to_points(self._numbers(element, 1))[0]

    def _numbers(self, element: str, count: int) -> Num:
        drawn = random_numbers(element, count, self.rng, self.scale)
        if element == "i1" or not (share := self._share()):
            return drawn
        if element not in self._special:
            points = special_points(self.program, element) + size_points(self.program, element, self.sizes)
            self._special[element] = to_num(points, (len(points),))
        special = self._special[element]
        return _where(
            self.rng.random(count) < share, _taken(special, self.rng.integers(0, len(special.res), count)), drawn
        )

    def _share(self) -> float:
        if self.draw is None or self.draw < 2:
            return 0.0
        return 0.9 if self.draw % 2 else 0.5

    def arrays(self, kinds: Mapping[str, tuple[str, tuple[int, ...]]]) -> dict[str, Num]:
        """Arrays of elements and shapes, by name; what has the same element is drawn at once."""
        ends: dict[str, int] = {}
        spans: dict[str, slice] = {}
        for name, (element, shape) in kinds.items():
            start = ends.get(element, 0)
            ends[element] = start + math.prod(shape)
            spans[name] = slice(start, ends[element])
        drawn = {element: self._numbers(element, count) for element, count in ends.items()}
        return {
            name: self._array(*kinds[name], Num(drawn[kinds[name][0]].res[span], drawn[kinds[name][0]].flt[span]))
            for name, span in spans.items()
        }

    def _array(self, element: str, shape: tuple[int, ...], drawn: Num) -> Num:
        found = self._line(element, shape, drawn)
        return Num(found.res.reshape(shape), found.flt.reshape(shape))

    def _line(self, element: str, shape: tuple[int, ...], drawn: Num) -> Num:
        if self.draw is not None and self.draw % 8 in ((3, 7) if shape else (7,)):
            return self._uniform(element, shape, drawn)
        if self.draw == 1 and element != "i1":
            return _where(drawn.flt > 0, Num(field.neg(drawn.res), -drawn.flt), drawn)
        if self._order and self._bits and element not in _NO_BITS:
            return self._single_bits(element, len(drawn.res))
        if self._order:
            return _taken(drawn, np.argsort(self._order * drawn.flt, kind="stable"))
        return drawn

    def _single_bits(self, element: str, count: int) -> Num:
        """Numbers with one bit set, which differs between neighbours; or their complements."""
        start, width = int(self.rng.integers(0, 20)), min(int(element[1:]) - 1, 20)
        bits = np.left_shift(1, (start + np.arange(count)) % width)
        return _integers(bits if self._order > 0 else ~bits)

    def _uniform(self, element: str, shape: tuple[int, ...], drawn: Num) -> Num:
        """Elements that are constants of the program: most of each line, all but a few of the array, or all."""
        points, count = constant_points(self.program, element), len(drawn.res)
        self.turn, start = divmod(self.turn, len(points))  # a digit of the turn for each array: all combinations occur
        lines, kept = np.zeros(count, dtype=int), np.ones(count, dtype=bool)
        if self.draw is not None and self.draw % 8 == 3:
            along = int(self.rng.integers(0, len(shape) + (len(shape) > 1)))
            if along < len(shape):
                lines, kept = np.indices(shape)[along].reshape(-1), self.rng.random(count) < _UNIFORM
                lines = lines if len(shape) > 1 else np.zeros_like(lines)
            elif count:
                kept[self.rng.integers(0, count, _EXCEPTIONS)] = False
        return _where(kept, _taken(to_num(points, (len(points),)), (start + lines) % len(points)), drawn)

    def scalars(self) -> dict[str, Point]:
        """The values of the program's scalars: constants have their own, the others are drawn."""
        points = [self.point(s.element) for s in self._given]
        if self.draw in (0, 1):
            points.sort(key=lambda p: p.flt, reverse=self.draw == 1)
        return {s.name: p for s, p in zip(self._given, points, strict=True)} | self._fixed


def run(
    program: Program, sizes: dict[str, int], rng: np.random.Generator, draw: int | None = None, turn: int = 0
) -> Sample:
    """Run a program on random inputs."""
    return Runner(program, sizes, rng).run(draw, turn)


class Runner:
    """Runs a program at one size vector; what is the same for all runs is made once."""

    def __init__(self, program: Program, sizes: dict[str, int], rng: np.random.Generator) -> None:
        self.sizes, self.dice = sizes, Dice(program, rng, None, 0, sizes)
        self.kinds = {name: (a.element, shape_at(program, name, sizes)) for name, a in sorted(program.arrays.items())}
        self.memory: dict[str, Memory[Point]] = {name: Memory(shape, []) for name, (_, shape) in self.kinds.items()}
        self.written = {store.array: self.memory[store.array] for store in program.stores()}
        self.outcomes: set[tuple[str, bool]] = set()
        arithmetic = _recording(self.outcomes) if comparisons(program) else POINTS
        self.machine = Machine(arithmetic, sizes, self.memory, {})
        self.steps = self.machine.prepared(program.body)

    def run(self, draw: int | None, turn: int) -> Sample:
        """One run on random inputs."""
        self.dice.begin(draw, turn)
        inputs = self.dice.arrays(self.kinds)
        for name, value in inputs.items():
            self.memory[name].data[:] = to_points(value)
            self.memory[name].written.clear()
        scalars = self.dice.scalars()
        self.machine.values.clear()
        self.machine.values.update(scalars)
        self.outcomes.clear()
        with np.errstate(all="ignore"):
            for step in self.steps:
                step()
        return Sample(
            dict(self.sizes),
            inputs | {name: to_num([value], ()) for name, value in scalars.items()},
            {name: to_num(m.data, m.shape) for name, m in self.written.items()},
            {name: _mask(m) for name, m in self.written.items()},
            frozenset(self.outcomes),
        )


def comparisons(program: Program) -> list[Compute]:
    """The comparisons of a program, without those of a number with itself, which test for NaN."""
    found = (n for n in walk(program.body) if isinstance(n, Compute) and n.op in SCALARS)
    return [n for n in found if SCALARS[n.op].residue == "compare" and n.args[0] != n.args[1]]


def _recording(outcomes: set[tuple[str, bool]]) -> Arithmetic[Point]:
    """The arithmetic of points that adds the results of comparisons to `outcomes`."""

    def function_of(node: Compute) -> Callable[[Sequence[Point]], Point]:
        function = point_number.function_of(node.op, node.attrs)
        if SCALARS[node.op].residue != "compare":
            return function

        def compared(args: Sequence[Point]) -> Point:
            value = function(args)
            outcomes.add((node.dst, bool(value.res)))
            return value

        return compared

    return Arithmetic(POINTS.compute, POINTS.literal, function_of)


def _mask(memory: Memory[Point]) -> npt.NDArray[np.bool_]:
    flat = np.zeros(math.prod(memory.shape), dtype=bool)
    flat[sorted(memory.written)] = True
    return flat.reshape(memory.shape)


def _largest_literal(program: Program) -> float:
    values = [abs(float(s.literal)) for s in program.scalars.values() if s.literal is not None]
    return max([v for v in values if v < 1e6] + [1.0])


def random_inputs(roots: tuple[Term, ...], sizes: Mapping[str, int], dice: Dice) -> dict[str, Num]:
    """Random values for all inputs of some terms."""
    scalars = dice.scalars()
    kinds = {
        node.name: (node.type.element, tuple(max(0, d.evaluate(sizes)) for d in node.type.dims))
        for node in nodes(roots)
        if isinstance(node, Input)
    }
    given = {name: to_num([scalars[name]], shape) for name, (_, shape) in kinds.items() if name in scalars}
    return given | dice.arrays({name: kind for name, kind in kinds.items() if name not in given})


class Replayed:
    """Samples that can be iterated over several times; each is drawn when it is first needed, and once."""

    def __init__(self, source: Iterator[Sample]) -> None:
        self._source = source
        self._made: list[Sample] = []

    def __iter__(self) -> Iterator[Sample]:
        yield from self._made
        for value in self._source:
            self._made.append(value)
            yield value
