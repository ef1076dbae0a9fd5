"""Pairs of functions for `raise-check`: what it says of them, held against runs of both.

A pair is a random function and a change of it. gcc's code of both is run on the same arguments wherever C gives both
a meaning; where they differ by more than rounding explains, nothing may accept the pair at these sizes.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from raising.commands.check_worker import Answer, Question, answer
from raising.support.isolate import Failed, run_isolated
from tests.hunt import ways
from tests.hunt.calls import Libraries, checked_bounds, given, passing, placed, vectors
from tests.hunt.draw import TASTES, drawn
from tests.hunt.judge import spelled
from tests.hunt.mutate import edited, rewritten
from tests.hunt.tally import Row
from tests.hunt.tree import Array, Function

SECONDS = 3.0
MEMORY = 16 << 30
TRIES = 40
ACCEPTED = ("proved-all-sizes", "proved-this-size", "bounded", "tested-field", "tested-float")


@dataclass(frozen=True)
class Pair:
    """Two functions of the same parameters; `how` says where the second comes from."""

    one: Function
    other: Function
    how: str


@dataclass(frozen=True)
class Difference:
    """Values of the sizes at which two functions differ, and where."""

    sizes: tuple[tuple[str, int], ...]
    text: str


@dataclass(frozen=True)
class Judged:
    """What the check says of a pair, the differences that runs show, and what is wrong about that (or empty)."""

    said: str
    text: str
    differences: tuple[Difference, ...]
    kind: str = ""

    @property
    def bad(self) -> bool:
        """Whether this is a defect."""
        return bool(self.kind)


EDITS, REWRITES = 6, 1


def drawn_pairs(generator: str, seed: int) -> list[Pair]:
    """A function of a generator beside several changes of it, most of which are meant to make a difference."""
    rng = random.Random(f"pair {generator} {seed}")
    one = drawn(generator, seed)
    found = [Pair(one, other, "edit") for _ in range(EDITS) if (other := edited(one, rng)) not in (None, one)]
    for _ in range(REWRITES):
        other = rewritten(one, rng)
        other = other and (rewritten(other, rng) or other)
        found += [Pair(one, other, "rewrite")] if other not in (None, one) else []
    language = TASTES[generator].language
    return [p for p in {pair.other: pair for pair in found}.values() if _is_spelled(p.other, language)]


def _is_spelled(function: Function, language: str) -> bool:
    """Whether a language has all that a function needs: loops of scf do not run downwards."""
    try:
        return bool(spelled(function, "f", language))
    except ValueError:
        return False


# ---- runs ----------------------------------------------------------------------------------------


def differences(names: tuple[str, str], pair: Pair, libraries: Libraries, seed: int) -> list[Difference] | None:
    """Where runs of both differ; None if there are no runs to tell."""
    rng, values = random.Random(seed), np.random.default_rng(seed)
    found, runs = [], 0
    for k, vector in enumerate(vectors(pair.one, rng, TRIES)):
        arguments = given(pair.one, vector, values, k)
        told = _differ(names, pair, libraries, arguments)
        runs += told is not None
        if told:
            found.append(Difference(tuple(vector.items()), told))
    return found if runs > 1 else None


def _differ(names: tuple[str, str], pair: Pair, libraries: Libraries, arguments: list[Any]) -> str | None:
    """How both differ after a call on these arguments; None if C gives one of them no meaning."""
    results, bounds = [], []
    for name in names:
        bound = checked_bounds(name, pair.one, arguments, libraries)
        if bound is None:
            return None
        ready = placed(pair.one, arguments)
        getattr(libraries.plain, name)(*passing(pair.one, ready))
        results.append([view for _, view in ready if view is not None])
        bounds.append(bound)
    arrays = [p.name for p in pair.one.params if isinstance(p, Array)]
    for name, a, b, e, f in zip(arrays, *results, *bounds, strict=True):
        for k, (x, y, slack) in enumerate(zip(a.tolist(), b.tolist(), (e + f).tolist(), strict=True)):
            if x != y and not abs(x - y) <= slack and np.isfinite([x, y, slack]).all():
                return f"{name}[{k}]: {x!r} and {y!r}"
    return ""


# ---- the check -----------------------------------------------------------------------------------


def judged(names: tuple[str, str], pair: Pair, libraries: Libraries, seed: int, language: str) -> Judged | None:
    """A pair held against the check; None if either is refused, or it is an edit of which no run tells anything."""
    found = differences(names, pair, libraries, seed)
    if not found and (found is None or pair.how == "edit"):
        return None
    try:
        first, second = (ways.read(spelled(f, "f", language), language) for f in (pair.one, pair.other))
    except ways.Broken as error:
        return Judged("error", str(error), tuple(found), "error")
    return None if first.refused or second.refused else said(first.mlir, second.mlir, found)


def said(one: str, other: str, found: Sequence[Difference]) -> Judged:
    """What the check says of two modules that are known to differ there."""
    question = Question(
        (one.encode(), other.encode()), ("a.mlir", "b.mlir"), ("f", "f"), "tested-field", (), (), SECONDS
    )
    done = run_isolated(partial(answer, question), timeout=SECONDS + 4, extra_bytes=MEMORY)
    if isinstance(done, Failed):
        return Judged("unknown", done.reason, tuple(found), "" if done.timed_out else "crash")
    told: Answer = done.value
    if told.error:
        return Judged("error", told.error, tuple(found), "error")
    kind = ""
    if told.level in ACCEPTED and found:
        kind = "accepted" if _says_nothing(told.details.get("assumptions") or ()) else "accepted-if"
    elif told.level == "refuted" and not found and "outside of an array" not in told.text:
        kind = "refuted-equal"
    elif "internal" in told.text:
        kind = "error"
    return Judged(told.level, told.text, tuple(found), kind)


HARMLESS = ("bounds", "real", "alias")
"""Kinds of assumptions that hold in every run here, so that they explain no difference."""


def _says_nothing(assumed: Sequence[dict[str, str]]) -> bool:
    """Whether nothing that is assumed can be the reason of a difference between runs."""
    return all(one["kind"] in HARMLESS for one in assumed)


def batch(generator: str, seeds: range, minimise: float = 0) -> list[Row]:
    """The pairs with these numbers."""
    language = TASTES[generator].language
    pairs = {(seed, k): p for seed in seeds for k, p in enumerate(drawn_pairs(generator, seed))}
    functions = {f"a{seed}": p.one for (seed, _), p in pairs.items()}
    functions |= {f"b{seed}_{k}": p.other for (seed, k), p in pairs.items()}
    rows = []
    with TemporaryDirectory() as folder:
        libraries = Libraries(functions, Path(folder), language)
        for (seed, k), pair in pairs.items():
            found = judged((f"a{seed}", f"b{seed}_{k}"), pair, libraries, seed, language)
            if found is not None:
                rows.append(_row(generator, seed, pair, found, language))
    return rows


def _row(generator: str, seed: int, pair: Pair, found: Judged, language: str) -> Row:
    lines = [found.text, *(f"differs at {dict(d.sizes)}: {d.text}" for d in found.differences[:3])]
    source = "\n".join(spelled(f, "f", language) for f in (pair.one, pair.other)) if found.bad else ""
    state = f"{'wrong' if found.differences else 'equal'}, {found.said}"
    return Row(f"pairs-{generator}", seed, state, found.kind, "", "\n".join(lines), source=source, language=language)
