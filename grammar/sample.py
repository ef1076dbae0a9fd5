"""Runs of a loop program in the field: small size vectors, random inputs, outputs and what was written.

Search and check both sample programs with this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from affine.execute import Arithmetic, Machine, Memory, instances_at, shape_at
from affine.expr import Lin
from affine.program import Compute, Guard, Loop, Node, Program, walk
from grammar import number
from grammar.extents import in_bounds, reached
from grammar.number import Num, Point
from grammar.scalar import SCALARS
from grammar.special import special_points

POINTS: Arithmetic[Point] = Arithmetic(
    lambda node, args: number.apply_point(node.op, args, node.attrs), lambda value, _: number.point(value)
)
FEW_INSTANCES, MAX_INSTANCES = 12_000, 60_000  # nodes run at one size vector: as a rule, and at most
_STARTS = (3, 4, 5, 6, 8, 11)
_FEW = (2, 3, 4)


class Unsizable(Exception):
    """No small size vector keeps the program inside of its arrays."""


@dataclass(frozen=True)
class Sample:
    """One run: sizes, input values by name, and each output with the mask of elements written."""

    sizes: dict[str, int]
    inputs: dict[str, Num]
    outputs: dict[str, Num]
    masks: dict[str, npt.NDArray[np.bool_]]


ORDERED = frozenset(("compare", "greater", "less", "unsigned_greater", "unsigned_less", "magnitude", "logic"))
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


def size_vectors(program: Program, values: Mapping[str, Lin], count: int, skip: int = 0) -> list[dict[str, int]]:
    """Small size vectors, distinct per symbol, in the order of the sizes they stand for, at which it runs.

    At sizes where some loop never runs twice a sum cannot be told from a
    product; such sizes are taken only if there are no others.
    """
    telling: list[dict[str, int]] = []
    others: list[dict[str, int]] = []
    for bound in (FEW_INSTANCES, MAX_INSTANCES):
        for candidate in _candidates(program, values):
            sizes = _reached(program, candidate, bound)
            if sizes not in telling and sizes not in others and _fits(program, sizes, bound):
                (telling if _repeats(program, sizes) else others).append(sizes)
            if len(telling) == count + skip:
                return telling[skip:]
    found = telling or others
    if not found:
        raise Unsizable("no small sizes keep every access inside of its array")
    return found[skip : skip + count] or found[-1:]


def _reached(program: Program, sizes: dict[str, int], bound: int) -> dict[str, int]:
    few = instances_at(program.body, sizes, bound) <= bound
    return reached(program, sizes) if few else sizes


def places(program: Program, values: Mapping[str, Lin], count: int) -> list[dict[str, int]]:
    """Small size vectors at `count` sizes, each with the loops around in their last, a middle and their first pass."""
    found: list[dict[str, int]] = []
    for plain in _plain_candidates(program, values):
        placed = [_reached(program, sizes, FEW_INSTANCES) for sizes in _placed(program, plain, 0)]
        here = [sizes for sizes in placed if sizes not in found and _fits(program, sizes, FEW_INSTANCES)]
        found += here
        count -= bool(here)
        if not count:
            break
    return found


def _repeats(program: Program, sizes: Mapping[str, int]) -> bool:
    """True if every loop runs at least twice somewhere."""
    names = dict(sizes)
    longest: dict[str, int] = {}

    def visit(nodes: tuple[Node, ...]) -> None:
        for node in nodes:
            if isinstance(node, Loop):
                low = max(f.evaluate(names) for f in node.lower)
                trips = range(low, min(f.evaluate(names) for f in node.upper), node.step)
                longest[node.iv] = max(longest.get(node.iv, 0), len(trips))
                for value in (trips[0], trips[-1]) if trips else ():
                    names[node.iv] = value
                    visit(node.body)
            elif isinstance(node, Guard):
                visit(node.body)

    visit(program.body)
    return all(n >= 2 for n in longest.values())


def _candidates(program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
    for sizes in _plain_candidates(program, values):
        yield from _placed(program, sizes, 0)


def _placed(program: Program, sizes: dict[str, int], depth: int) -> Iterator[dict[str, int]]:
    """A size vector with each outer loop at its last iteration, one in its middle, and its first."""
    if depth == len(program.outer):
        yield sizes
        return
    loop = program.outer[depth]
    low = max(f.evaluate(sizes) for f in loop.lower)
    high = min(f.evaluate(sizes) for f in loop.upper)
    for value in dict.fromkeys(low + (k - low) // loop.step * loop.step for k in (high - 1, (low + high) // 2, low)):
        if low <= value < high:
            yield from _placed(program, {**sizes, loop.iv: value}, depth + 1)


def _plain_candidates(program: Program, values: Mapping[str, Lin]) -> Iterator[dict[str, int]]:
    def order(name: str) -> tuple[int, str]:
        form = values.get(name, Lin())
        return (form.const if form.is_const else 1 << 40), name

    inside = {loop.iv for loop in program.outer}
    names = sorted((n for n in program.sizes if n not in inside), key=order)
    places = [
        list(range(len(names))),
        [_tie_reversed(names, values, k) for k in range(len(names))],
        [2 * k for k in range(len(names))],
    ]
    for round_ in range(len(_STARTS)):
        for k, steps in enumerate(places):  # from one to the next every size changes: `N - 2` is 1 at one of them only
            start = _STARTS[(round_ + k) % len(_STARTS)]
            yield {n: start + step for n, step in zip(names, steps, strict=True)}
    for shift in range(2 * len(_FEW)):  # many loops: the same few sizes again and again
        yield {n: _FEW[(k * (1 + shift // len(_FEW)) + shift) % len(_FEW)] for k, n in enumerate(names)}
    known = {n: values[n].const for n in names if n in values and values[n].is_const}
    largest = max(known.values(), default=1)
    for scale in (8, 12, 16, 24):
        yield {n: max(1, round(known.get(n, largest) * scale / largest)) for n in names}
    yield {n: 6 for n in names}
    if all(v <= 16 for v in known.values()) and len(known) == len(names):
        yield known


def _tie_reversed(names: list[str], values: Mapping[str, Lin], k: int) -> int:
    """Position k with the order reversed among names of equal size (they are independent)."""
    ties = [j for j, n in enumerate(names) if values.get(n) == values.get(names[k])]
    return ties[len(ties) - 1 - ties.index(k)]


def _fits(program: Program, sizes: dict[str, int], bound: int) -> bool:
    if not all(c.holds(sizes) for c in program.context):
        return False
    if any(e < 0 for a in program.arrays for e in shape_at(program, a, sizes)):
        return False
    if instances_at(program.body, sizes, bound) > bound:
        return False
    return in_bounds(program, sizes)


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
    and every second of them has hardly any others.
    """

    def __init__(self, program: Program, rng: np.random.Generator, draw: int | None) -> None:
        self.program, self.rng, self.draw = program, rng, draw
        self.scale = _largest_literal(program)
        self._special: dict[str, list[Point]] = {}

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
        if self.draw == 1 and element != "i1":
            return [number.point(-p.flt) if p.flt > 0 else p for p in points]
        return points

    def scalars(self) -> dict[str, Point]:
        """The program's scalars: constants as they are, the others drawn."""
        given = [s for s in self.program.scalars.values() if s.literal is None]
        points = [self.point(s.element) for s in given]
        if self.draw in (0, 1):
            points.sort(key=lambda p: p.flt, reverse=self.draw == 1)
        found = {s.name: p for s, p in zip(given, points, strict=True)}
        fixed = {s.name: number.point(float(s.literal)) for s in self.program.scalars.values() if s.literal}
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
