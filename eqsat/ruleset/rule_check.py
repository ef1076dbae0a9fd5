"""Is a rule right? Each direction is run at every small shape that its left side allows.

It is run in the finite field (equality over the real numbers, exactly), in floats of 32 bits where it claims to be
exact, with a NaN where it claims to keep one, with the functions of the C library where the field knows nothing of
them; z3 proves it over the real numbers, or for integers of 4 and 8 bits (`z3_proof`).
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from raising.eqsat.egraph.sexpr import RuleError
from raising.eqsat.ruleset.algebra import INT, BadShape, Shape, operation, scalar_name
from raising.eqsat.ruleset.evaluate import Array, evaluate, field, float32, float64, random_array, shape_of
from raising.eqsat.ruleset.expression import number_names, operations_in, variables
from raising.eqsat.ruleset.table import CLASSES, Condition, Directed, Rule
from raising.eqsat.ruleset.z3_proof import proved
from raising.grammar.evaluate.point_number import Point, point
from raising.grammar.terms.scalar_ops import SCALARS
from raising.support.record import dataclass

EXTENTS = (1, 2, 3)
EMPTY = ((0, 1), (1, 0), (0, 2), (2, 0), (0, 0))  # shapes of arrays without elements
EMPTY_TRIES = 400  # combinations of shapes that are drawn beside all with elements
SHAPES = 24  # shapes at which a direction is run, of those that are possible
ROUNDS = 3  # random inputs at each shape
SPECIAL = (0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 1e-45, 3e38, -3e38, 0.1, 3.0)
NUMBERS = (2.0, 3.0, 4.0, -1.0, 0.5, 5.0)


@dataclass(frozen=True)
class Counterexample:
    """Inputs on which the two sides of a rule differ, or shapes at which one has no value."""

    rule: str
    what: str
    shapes: tuple[tuple[str, Shape], ...] = ()
    inputs: tuple[tuple[str, str], ...] = ()
    left: str = ""
    right: str = ""

    def __str__(self) -> str:
        given = [f"{n} = {v}" for n, v in self.inputs] or [f"{n}: {'x'.join(map(str, s))}" for n, s in self.shapes]
        sides = f": {self.left} but {self.right}" if self.left else ""
        return f"rule '{self.rule}' is wrong ({self.what}) at {', '.join(given)}{sides}"


@dataclass(frozen=True)
class Checked:
    """The evidence for a rule: a line per direction."""

    rule: Rule
    how: tuple[str, ...]


def check(rule: Rule, seed: int = 0) -> Checked:
    """Check every direction of a rule; `RuleError` with the rule's place and a counterexample if one is wrong."""
    how = []
    for directed in rule.directed():
        found = _Check(directed, seed).run()
        if isinstance(found, Counterexample):
            raise RuleError(*rule.place, str(found))
        how.append(f"{directed.name}: {found}")
    return Checked(rule, tuple(how))


class _Check:
    def __init__(self, directed: Directed, seed: int) -> None:
        self.rule = directed
        self.rng = random.Random(f"{directed.name}{seed}")
        self.vars = variables(directed.left)
        self.names = number_names(directed.left)
        self.opaque = _opaque(directed)

    def run(self) -> str | Counterexample:
        shapes = list(self._shapes())
        if not shapes:
            return Counterexample(self.rule.name, "no shapes satisfy its left side and its conditions")
        wrong = next((w for s in shapes if (w := self._typed(s))), None)
        picked = self.rng.sample(shapes, min(SHAPES, len(shapes)))
        wrong = wrong or next((w for s in picked for _ in range(ROUNDS) if (w := self._at(s))), None)
        if wrong:
            return wrong
        small = [s for s in shapes if all(max(d, default=1) <= 2 for d in s.values())] or shapes
        said = proved(self.rule, self.rng.sample(small, min(4, len(small))))
        if isinstance(said, tuple):
            return Counterexample(self.rule.name, said[0], inputs=said[1])
        where = f"{'floats' if self.opaque else 'field'} at {len(picked)} of {len(shapes)} shapes"
        bits = ", float32 bitwise" if self._bitwise else ""
        return f"{where}{bits}; z3: {said}"

    @property
    def _bitwise(self) -> bool:
        return self.rule.kind != INT and self.rule.klass == CLASSES[0]

    # ---- shapes ----------------------------------------------------------------------------------

    def _shapes(self) -> Iterator[dict[str, Shape]]:
        """Every shape of the variables at which the left side has a value and the conditions hold; some in batches."""
        small = list(itertools.product(EXTENTS, repeat=2))
        if len(self.vars) > 3:
            small = [s for s in small if max(s) < 3] + [(3, 2), (2, 3)]
        drawn = (tuple(self.rng.choice([*small, *EMPTY]) for _ in self.vars) for _ in range(EMPTY_TRIES))
        for dims in itertools.chain(itertools.product(small, repeat=len(self.vars)), drawn):
            shapes: dict[str, Shape] = dict(zip(self.vars, dims, strict=True))
            if self._fits(shapes):
                yield shapes
                batched = {n: (2, *s) if self.rng.random() < 0.5 else s for n, s in shapes.items()}
                if self.rng.random() < 0.1 and self._fits(batched):
                    yield batched

    def _fits(self, shapes: dict[str, Shape]) -> bool:
        try:
            shape_of(self.rule.left, shapes)
        except BadShape:
            return False
        return all(holds(c, shapes) for c in self.rule.rule.when)

    def _typed(self, shapes: dict[str, Shape]) -> Counterexample | None:
        left = shape_of(self.rule.left, shapes)
        try:
            right = shape_of(self.rule.right, shapes)
        except BadShape as error:
            return Counterexample(self.rule.name, f"the result has no shape: {error}", tuple(shapes.items()))
        if left == right:
            return None
        return Counterexample(
            self.rule.name, "the shape changes", tuple(shapes.items()), left=str(left), right=str(right)
        )

    # ---- values ----------------------------------------------------------------------------------

    def _at(self, shapes: dict[str, Shape]) -> Counterexample | None:
        numbers = {n: self.rng.choice([v for v in NUMBERS if self._whole(v)]) for n in self.names}
        wrong = self._in_floats(shapes, numbers) if self.opaque else self._in_field(shapes, numbers)
        if wrong is None and self._bitwise:
            wrong = self._bit_for_bit(shapes, numbers)
        elements = all(math.prod(s) for s in shapes.values())  # a sum of nothing is 0, whatever it is multiplied with
        if wrong is None and self.rule.klass == CLASSES[1] and elements:
            wrong = self._with_nan(shapes, numbers)
        return wrong

    def _whole(self, value: float) -> bool:
        return self.rule.kind != INT or value == int(value)

    def _both(self, arrays: dict[str, Array], numbers: dict[str, float], how: Any) -> tuple[Array, Array]:
        return tuple(evaluate(e, arrays, numbers, how) for e in (self.rule.left, self.rule.right))  # type: ignore[return-value]

    def _in_field(self, shapes: dict[str, Shape], numbers: dict[str, float]) -> Counterexample | None:
        if self.rule.kind == INT and _divides(self.rule):
            return None  # division of integers is no division in a field: z3 decides
        arrays = {n: random_array(s, self._point) for n, s in shapes.items()}
        left, right = self._both(arrays, numbers, field(self.rule.kind))
        return self._compared("finite field", arrays, numbers, left, right, lambda a, b: a.res == b.res)

    def _point(self) -> Point:
        return point(self.rng.choice((-1, 1)) * self.rng.randrange(1, 1 << 20))

    def _in_floats(self, shapes: dict[str, Shape], numbers: dict[str, float]) -> Counterexample | None:
        arrays = {n: random_array(s, lambda: np.float64(self.rng.uniform(0.1, 2.0))) for n, s in shapes.items()}
        left, right = self._both(arrays, numbers, float64(self.rule.kind))
        return self._compared("floats", arrays, numbers, left, right, _close)

    def _bit_for_bit(self, shapes: dict[str, Shape], numbers: dict[str, float]) -> Counterexample | None:
        for draw in (self._any_float, self._special_float):
            arrays = {n: random_array(s, draw) for n, s in shapes.items()}
            left, right = self._both(arrays, numbers, float32())
            wrong = self._compared("float32", arrays, numbers, left, right, _same_bits)
            if wrong:
                return wrong
        return None

    def _any_float(self) -> Any:
        return np.float32(self.rng.gauss(0.0, 1.0) * 10.0 ** self.rng.randrange(-3, 4))

    def _special_float(self) -> Any:
        return np.float32(self.rng.choice(SPECIAL))

    def _with_nan(self, shapes: dict[str, Shape], numbers: dict[str, float]) -> Counterexample | None:
        arrays = {n: random_array(s, lambda: np.float32(self.rng.uniform(0.5, 2.0))) for n, s in shapes.items()}
        for name in self.vars:
            poisoned = {n: a.copy() for n, a in arrays.items()}
            poisoned[name].flat[self.rng.randrange(poisoned[name].size)] = np.float32("nan")
            left, right = self._both(poisoned, numbers, float32())
            wrong = self._compared("a NaN is lost", poisoned, numbers, left, right, _same_nan)
            if wrong:
                return wrong
        return None

    def _compared(
        self, what: str, arrays: dict[str, Array], numbers: dict[str, float], left: Array, right: Array, same: Any
    ) -> Counterexample | None:
        for index in np.ndindex(*left.shape):
            if not same(left[index], right[index]):
                inputs = [(n, _shown(a)) for n, a in arrays.items()] + [(n, f"{v:g}") for n, v in numbers.items()]
                sides = (_shown_one(left[index]), _shown_one(right[index]))
                return Counterexample(self.rule.name, what, (), tuple(inputs), *sides)
        return None


def holds(condition: Condition, shapes: dict[str, Shape]) -> bool:
    """Whether a side condition holds at some shapes."""

    def part(name: str, var: str) -> Any:
        return shapes[var][:-2] if name == "batch" else shapes[var][-2 if name == "rows" else -1]

    number: Any = () if condition.part == "batch" else condition.number
    wanted = part(condition.other_part, condition.other) if condition.other else number
    return bool(part(condition.part, condition.var) == wanted)


def _operations(rule: Directed) -> set[str]:
    nodes = operations_in(rule.left, rule.right)
    return {scalar_name(operation(e.op, rule.kind).name) for e in nodes} - {""}


def _opaque(rule: Directed) -> bool:
    """True if a rule is about functions that the field knows nothing of."""
    return rule.kind != INT and any(
        SCALARS[op].residue in ("opaque", "root", "inverse_root") for op in _operations(rule)
    )


def _divides(rule: Directed) -> bool:
    return any(SCALARS[op].residue in ("opaque", "div", "logic") for op in _operations(rule))


def _close(a: Any, b: Any) -> bool:
    return bool(abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))) or bool(np.isnan(a) and np.isnan(b))


def _same_bits(a: Any, b: Any) -> bool:
    return bool(np.isnan(a) and np.isnan(b)) or a.tobytes() == b.tobytes()


def _same_nan(a: Any, b: Any) -> bool:
    return bool(np.isnan(a) == np.isnan(b))


def _shown(array: Array) -> str:
    return _shown_one(array.flat[0]) if array.size == 1 else str([_shown_one(x) for x in array.flat]).replace("'", "")


def _shown_one(value: Any) -> str:
    return f"{value.flt:g}" if isinstance(value, Point) else f"{value:g}"
