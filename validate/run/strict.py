"""Whether two programs round alike: the same floating-point operations in the same order.

They are run at sizes at which every loop runs several times and every step and tile is passed, so that another order
shows.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from raising.affine.ir.interpreter import OutOfBounds
from raising.affine.ir.program import Store
from raising.affine.polyhedral.chambers import point_of
from raising.affine.polyhedral.scop import accesses, context_set, holds
from raising.grammar.evaluate.extents import Accesses
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.evaluate.regions import telling_sizes
from raising.grammar.evaluate.size_vectors import Unsizable, reaches_all, repeats
from raising.validate.arithmetic import concrete
from raising.validate.arithmetic.integers import Undefined
from raising.validate.base.verdict import Counterexample, Refuted, Unknown
from raising.validate.normal_form.cases import Case, cases
from raising.validate.normal_form.is_zero import smallest_sizes
from raising.validate.reading.pair import Assumptions, Pair, steps
from raising.validate.run.run import Given, TooLarge, output_elements, run_both
from raising.validate.run.running_error import ROUNDED, draw
from raising.validate.run.sizes_to_run import small_sizes
from raising.validate.run.strict_operations import same_operations

_LARGEST = 64
_TRIES = 5


def all_in_order(found: Sequence[Case], assumed: Assumptions) -> bool | None:
    """Do both do the same operations in the same order in these cases? None where that cannot be seen."""
    try:
        return all(same_operations(p, assumed, v) for p, v in _runs(found))
    except (Unsizable, Unsupported, Undefined, OutOfBounds, TooLarge):
        return None


def check_strict(pair: Pair, assumed: Assumptions) -> Refuted | Unknown | None:
    """None if both programs round alike; else an input on which their bits differ, or the reason why none is known."""
    found_cases = cases(pair, context_set(pair.source))
    if all_in_order(found_cases, assumed):
        return None
    with suppress(Unsizable, Unsupported, OutOfBounds, TooLarge):
        for case, vector in _runs(found_cases):
            for seed in range(_TRIES):
                with suppress(Undefined):
                    found = _different(case, assumed, vector, seed)
                    if found is not None:
                        return Refuted(found.text(), found)
    return Unknown("the operations on floats are not the same in the same order, so that results may be rounded apart")


def _runs(found: Sequence[Case]) -> Iterator[tuple[Pair, Mapping[str, int]]]:
    """Sizes at which the order of operations shows, in each case in which it may not be the same."""
    for case in found:
        if not case.pair.source.sizes:
            yield case.pair, {}
        elif len(found) == 1 or (not case.same and _stores(case)):
            vectors = _vectors(case, alone=len(found) == 1)
            if not vectors:
                raise Unsizable("no small sizes")
            yield from ((case.pair, v) for v in vectors)


def _stores(case: Case) -> bool:
    """Whether one of the programs of a case stores anything."""
    found = [*accesses(case.pair.source), *accesses(case.pair.target)]
    return any(
        isinstance(a.node, Store) and not a.domain.params().intersect_params(case.sizes).is_empty() for a in found
    )


def _vectors(case: Case, alone: bool) -> list[Mapping[str, int]]:
    """Small sizes of a case, at which its loops run several times, inside of arrays of open length."""
    least = min(2 * max(steps(case.pair), default=1) + 1, _LARGEST // 2)
    smallest = smallest_sizes(case.sizes, max(4, least), range(4, _LARGEST))
    roomy = smallest and Accesses(case.pair.source).reached(smallest)
    found = [roomy if roomy and holds(case.sizes, roomy) else smallest]
    with suppress(Unsizable):
        found += [v for v in small_sizes(case.pair, 1) if holds(case.sizes, v)]
    vectors: list[Mapping[str, int]] = [v for v in found if v is not None]
    if vectors or alone:
        return vectors
    source = case.pair.source
    point = point_of(case.sizes, telling_sizes(replace(source, context=()), case.pair.values))
    return [point] if point is not None and reaches_all(source, [point]) and repeats(source, point) else []


def _different(pair: Pair, assumed: Assumptions, sizes: Mapping[str, int], seed: int) -> Counterexample | None:
    """An element that two runs on the same floats round differently."""
    given = Given(partial(draw, dice=random.Random(f"strict {seed}")))
    memories = run_both(pair, sizes, partial(concrete.arithmetic, reals=ROUNDED), given.__getitem__, assumed)
    for e in output_elements(pair, memories):
        a, b = e.source, e.target
        if a != b and (not isinstance(a, tuple) or a[0] != b[0]):
            inputs = tuple((n.name, n.index, _text(v)) for n, v in sorted(given.items(), key=str) if not n.side)
            return Counterexample(tuple(sorted(sizes.items())), inputs, e.output, e.index, _text(a), _text(b))
    return None


def _text(value: Any) -> str:
    return repr(value[0]) if isinstance(value, tuple) else str(value)
