"""Terms run beside the loops that they stand for, in every region of sizes in which the loops behave differently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import cycle, islice
from typing import Any

import islpy as isl
import numpy as np

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.affine.ir.integer_functions import DIVISIONS
from raising.affine.ir.program import Program
from raising.affine.polyhedral.chambers import Chamber, Chambers, point_of
from raising.affine.polyhedral.scop import at_sizes, sizes_where
from raising.grammar.evaluate.evaluator import DoesNotFit, Evaluator
from raising.grammar.evaluate.extents import Accesses
from raising.grammar.evaluate.number import constant, undefined
from raising.grammar.evaluate.regions import telling_sizes
from raising.grammar.evaluate.sample import DRAWS, Dice, Runner, Sample, order_dependent, random_inputs, runs
from raising.grammar.evaluate.size_vectors import fits
from raising.grammar.terms.term import Apply, Input, Term, nodes
from raising.support.record import dataclass
from raising.validate.field.term_check import differs

MOST_ALTERNATIVES = 4
_RUNS, _LEAST = 128, 2  # of a program that compares numbers: in all regions together, and at each of their points


@dataclass(frozen=True)
class Trial:
    """Runs in all regions: the regions that failed, the sizes of a run in each, and how many elements were compared."""

    failing: list[Any]
    sizes: tuple[dict[str, int], ...]
    points: int


class Trials:
    """Runs of a program and of its terms."""

    def __init__(self, program: Program, terms: Mapping[str, Term], seed: int) -> None:
        self.program, self.terms, self.seed = program, terms, seed
        self._accesses = Accesses(program)
        self._kinds = cycle(range(DRAWS))

    def in_regions(self, tried: Chambers, strict: bool) -> Trial:
        """Evaluate the terms in every region; a region in which no run is possible counts as failed."""
        rng = np.random.default_rng(self.seed)
        failing, sizes, points = [], [], 0
        places = [self._points(chamber) for chamber in tried.found]
        draws = min(DRAWS, max(_LEAST, _RUNS // max(1, sum(map(len, places)))))
        for chamber, vectors in zip(tried.found, places, strict=True):
            compared = self._compared(vectors, rng, strict, draws) if vectors else None
            if compared is None:
                failing.append(chamber.region)
            if vectors:
                sizes.append(vectors[0])
            points += compared or 0
        return Trial(failing, tuple(sizes), points)

    def divided_by_zero(self, tried: Chambers, sizes: Iterable[str]) -> list[Any]:
        """The sizes at which the terms divide an integer by 0 where the loops do not: in what a choice leaves out."""
        inside = list(nodes(tuple(self.terms.values())))
        bodies = [n.body for n in inside if isinstance(n, Apply)]
        if not any(instr.op in DIVISIONS for body in bodies for instr in body.instrs):
            return []
        rng, names = (
            np.random.default_rng(self.seed),
            [n.name for n in inside if isinstance(n, Input) and not n.type.rank],
        )
        planes = [sizes_where(self.program, [Cond(var(name), True)]) for name in sizes]
        zeros = [chamber.region.intersect(plane) for chamber in tried.found for plane in planes]
        bad = [zero for zero in zeros if (p := self._point(zero)) and self._compared([p], rng, True) is None]
        for chamber in tried.found:
            point = self._point(chamber.region)
            samples = runs(self.program, [point], rng) if point else ()
            bad += [chamber.region for s in samples if any(self._stops(s, name) for name in names)]
        return bad

    def _point(self, region: Any) -> dict[str, int] | None:
        """A point of a region at which loops can be run."""
        point = point_of(region, dict.fromkeys(self.program.sizes, 3))
        return point if point is not None and fits(self._accesses, point) else None

    def _stops(self, sample: Sample, name: str) -> bool:
        """Whether the terms have no value if a number is 0, but in a branch that is not taken."""
        evaluate = Evaluator({**sample.inputs, name: constant(0)}, sample.sizes)
        try:
            for term in self.terms.values():
                evaluate(term)
        except DoesNotFit:
            return False  # then the loops divide by it, too
        return any(node.digest not in evaluate.known for node in nodes(tuple(self.terms.values())))

    def _points(self, chamber: Chamber) -> list[dict[str, int]]:
        """Points of a region at which loops can be run; what does not decide the region is 0 at the second, or 1."""
        far = chamber.point is None
        least = point_of(chamber.region, dict.fromkeys(self.program.sizes, 0) if far else {}, far)
        possible = least is not None and fits(self._accesses, least)
        more = [least] if least is not None and possible and least not in chamber.points else []
        return [*chamber.points, *more]

    def _compared(
        self, vectors: list[dict[str, int]], rng: np.random.Generator, strict: bool, draws: int = DRAWS
    ) -> int | None:
        """How many elements were compared, all of them equal; None if some were not."""
        points = 0
        for sample in self._runs(vectors, rng, draws):
            difference, compared = differs(self.program, self.terms, sample, strict)
            if difference:
                return None
            points += compared
        return points

    def _runs(self, vectors: list[dict[str, int]], rng: np.random.Generator, draws: int) -> Iterator[Sample]:
        """Runs at some sizes; where numbers are compared, with so many of the kinds of draws, which take turns."""
        if not order_dependent(self.program):
            yield from runs(self.program, vectors, rng)
            return
        for place, sizes in enumerate(vectors):
            runner = Runner(self.program, sizes, rng)
            for draw in islice(self._kinds, draws):
                yield runner.run(draw, place)


class Idle:
    """Compares terms at sizes at which loops do not run."""

    def __init__(self, program: Program, values: Mapping[str, Lin], seed: int) -> None:
        self.program, self.values, self.rng = program, values, np.random.default_rng(seed)

    @cached_property
    def _near(self) -> dict[str, int]:
        return telling_sizes(self.program, self.values)

    def __call__(self, new: Term, old: Term, region: Any) -> bool:
        """Whether a term has the value of another on a region, as far as can be seen in a set of sizes."""
        pieces = islice(region.params().coalesce().get_basic_sets(), MOST_ALTERNATIVES)
        points = [point_of(isl.Set.from_basic_set(piece), self._near) for piece in pieces]
        draws = range(DRAWS) if order_dependent(self.program) else (None,)
        return all(p is not None and self._same(new, old, region, p, draw) for p in points for draw in draws)

    def _same(self, new: Term, old: Term, region: Any, point: dict[str, int], draw: int | None) -> bool:
        evaluate = Evaluator(random_inputs((new, old), point, Dice(self.program, self.rng, draw)), point)
        try:
            one, other = evaluate(new), evaluate(old)
        except DoesNotFit:
            return False
        if one.res.shape != other.res.shape:
            return False
        where = np.argwhere(np.atleast_1d((one.res != other.res) | undefined(one, other)))
        here = at_sizes(region, point)
        return not any(_holds(here, index) for index in where.tolist())


def _holds(region: Any, index: list[int]) -> bool:
    for k in range(region.dim(isl.dim_type.set)):
        region = region.fix_val(isl.dim_type.set, k, isl.Val(index[k]))
    return not region.is_empty()
