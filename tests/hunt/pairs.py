"""Pairs of functions for `raise-check`: what it says of them, held against runs of both.

A pair is a random function and a change of it. gcc's code of both is run on the same arguments wherever C gives both
a meaning; where they differ by more than rounding explains, nothing may accept the pair at these sizes.
"""

from __future__ import annotations

import ast
import operator
import random
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from raising.commands.check_worker import Answer, Question, answer
from raising.support.isolate import Failed, run_isolated
from tests.hunt import ways
from tests.hunt.calls import Libraries, checked_bounds, differ, given, passing, placed, same, vectors
from tests.hunt.drawn.draw import drawn
from tests.hunt.drawn.tastes import TASTES
from tests.hunt.drawn.tree import NUMPY, Array, For, Function, Num, Scalar, walk
from tests.hunt.judge import spelled
from tests.hunt.mutate import edited, rewritten
from tests.hunt.tally import Row

SECONDS = 3.0
EACH = 120.0  # seconds for the pairs of one function
MEMORY = 16 << 30
TRIES = 40
ACCEPTED = ("proved-all-sizes", "proved-this-size", "bounded", "tested-field", "tested-float")


@dataclass(frozen=True)
class Pair:
    """Two functions of the same parameters; `how` says where the second comes from."""

    one: Function
    other: Function
    how: str
    exact: bool = False


@dataclass(frozen=True)
class Difference:
    """Values of the sizes at which two functions differ, and where."""

    sizes: tuple[tuple[str, int], ...]
    text: str
    finite: bool = True


@dataclass(frozen=True)
class Judged:
    """What the check says of a pair, the differences that runs show, and what is wrong about that (or empty)."""

    said: str
    text: str
    differences: tuple[Difference, ...]
    kind: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def bad(self) -> bool:
        """Whether this is a defect."""
        return bool(self.kind)


EDITS, REWRITES = 10, 1


def drawn_pairs(generator: str, seed: int) -> list[Pair]:
    """A function of a generator beside several changes of it, most of which are meant to make a difference."""
    rng = random.Random(f"pair {generator} {seed}")
    one = drawn(generator, seed)
    exact = TASTES[generator].special
    found = [Pair(one, other, "edit", exact) for _ in range(EDITS) if (other := edited(one, rng)) not in (None, one)]
    for _ in range(REWRITES):
        other = rewritten(one, rng)
        other = other and (rewritten(other, rng) or other)
        found += [Pair(one, other, "rewrite", exact)] if other not in (None, one) else []
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
        arguments = given(pair.one, vector, values, -1 if pair.exact and k % 3 else k)
        told = _differ(names, pair, libraries, arguments)
        runs += told is not None
        if told:
            finite = all(np.isfinite(a).all() for a in arguments)
            found.append(Difference(tuple(vector.items()), told, finite))
    return found if runs > 1 else None


def _differ(names: tuple[str, str], pair: Pair, libraries: Libraries, arguments: list[Any]) -> str | None:
    """How both differ after a call on these arguments; None if C gives one of them no meaning."""
    results, bounds = [], []
    for name in names:
        bound = checked_bounds(name, pair.one, arguments, libraries, pair.exact)
        if bound is None:
            return None
        ready = placed(pair.one, arguments)
        getattr(libraries.plain, name)(*passing(pair.one, ready))
        results.append([view for _, view in ready if view is not None])
        bounds.append(bound)
    arrays = [p.name for p in pair.one.params if isinstance(p, Array)]
    for name, a, b, e, f in zip(arrays, *results, *bounds, strict=True):
        for k, (x, y, slack) in enumerate(zip(a.tolist(), b.tolist(), (e + f).tolist(), strict=True)):
            if not same(x, y) if pair.exact else np.isfinite(x) and differ(x, y, slack):
                return f"{name}[{k}]: {x!r} and {y!r}"
    return ""


# ---- the check -----------------------------------------------------------------------------------

Reader = Callable[[Function], ways.Read]


def judged(names: tuple[str, str], pair: Pair, libraries: Libraries, seed: int, reader: Reader) -> Judged | None:
    """A pair held against the check; None if either is refused, or it is an edit of which no run tells anything."""
    found = differences(names, pair, libraries, seed)
    if not found and (found is None or pair.how == "edit"):
        return None
    try:
        first, second = reader(pair.one), reader(pair.other)
    except ways.Broken as error:
        return Judged("error", str(error), tuple(found), "error")
    if first.refused or second.refused or first.written or second.written:
        return None
    found = [one for one in found if all(holds(text, dict(one.sizes)) for text in (*first.assumed, *second.assumed))]
    told = said(first.mlir, second.mlir)
    wrong = told.kind or _wrong(told, names, pair, libraries, found, first.mlir)
    return replace(told, differences=tuple(found), kind=wrong)


_CONDITION = re.compile(r"in '\w+': ([\w +*()-]+) (<=|>=|<|>|==|!=) ([\w +*()-]+): ")
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def holds(text: str, sizes: Mapping[str, int]) -> bool:
    """Whether what the reader assumes holds at sizes, as far as they tell: `in 'f': n <= s: rows of …`."""
    found = _CONDITION.match(text)
    if found is None:
        return True
    with suppress(KeyError, SyntaxError):
        a, b = (_value(ast.parse(side.strip(), mode="eval").body, sizes) for side in found.group(1, 3))
        return _COMPARED[found[2]](a, b)
    return True


def _value(node: ast.AST, sizes: Mapping[str, int]) -> int:
    match node:
        case ast.Constant():
            return int(str(node.value))
        case ast.Name():
            return sizes[node.id]
        case ast.UnaryOp():
            return -_value(node.operand, sizes)
        case ast.BinOp():
            a, b = _value(node.left, sizes), _value(node.right, sizes)
            return a * b if isinstance(node.op, ast.Mult) else a - b if isinstance(node.op, ast.Sub) else a + b
    raise KeyError(ast.dump(node))


def said(one: str, other: str) -> Judged:
    """What the check says of two modules."""
    question = Question(
        (one.encode(), other.encode()), ("a.mlir", "b.mlir"), ("f", "f"), "tested-field", (), (), SECONDS
    )
    done = run_isolated(partial(answer, question), timeout=SECONDS + 4, extra_bytes=MEMORY)
    if isinstance(done, Failed):
        return Judged("unknown", done.reason, (), "" if done.timed_out else "crash")
    told: Answer = done.value
    if told.error or "internal" in told.text:
        return Judged("error", told.error or told.text, (), "error")
    return Judged(told.level, told.text, (), details=told.details)


def _wrong(
    told: Judged, names: tuple[str, str], pair: Pair, libraries: Libraries, found: list[Difference], mlir: str
) -> str:
    """What is wrong about an answer on a pair, the first of which was read so: nothing, or its kind."""
    if told.said in ACCEPTED:
        kinds = {one["kind"] for one in told.details.get("assumptions") or ()}
        return "accepted" if any(not _explained(kinds, pair, one) for one in found) else ""
    if told.said == "refuted" and not found:
        arguments = example(pair.one, told.details.get("counterexample"), mlir)
        shown = arguments is None or _differ(names, pair, libraries, arguments) != ""
        return "" if shown else "refuted-equal"
    return ""


def _explained(kinds: set[str], pair: Pair, found: Difference) -> bool:
    """Whether something that is assumed may be the reason of a difference; in runs here the other kinds always hold."""
    counters = {n.type for n in walk(pair.one.body) if isinstance(n, For)}
    counters |= {p.type for p in pair.one.params if isinstance(p, Scalar) and p.size}
    reasons = {"sizes", "numbers", "extent", "argument"}
    reasons |= {"real"} if not found.finite else set()
    reasons |= {"sign"} if any(value < 0 for _, value in found.sizes) else set()
    reasons |= {"overflow"} if counters - {"i32", "i64"} else set()
    return bool(reasons & kinds)


def example(function: Function, told: Any, mlir: str = "") -> list[Any] | None:
    """The arguments of a counterexample: by numbers of arguments, as the check names them; None if it gives none.

    `mlir` is how the function was read, where the memory of a pointer may have got more dimensions than one.
    """
    if not isinstance(told, dict):
        return None
    sizes, read = {name: int(value) for name, value in told["sizes"]}, _extents(mlir)
    named = {p.name: sizes.get(f"n{k}", 0) for k, p in enumerate(function.params)}
    found: list[Any] = []
    for k, p in enumerate(function.params):
        if isinstance(p, Scalar):
            given_ = sizes.get(f"n{k}", next((v for a, _, v in told["inputs"] if a == f"a{k}"), 0))
            found.append(np.array(float(Fraction(given_))).astype(NUMPY[p.type])[()])
            continue
        shape = [sizes.get(f"a{k}_{d}", int(e.value) if isinstance(e, Num) else 0) for d, e in enumerate(p.dims)]
        if len(rows := read.get(p.name, ())) > len(shape):
            inner = [_value(ast.parse(text, mode="eval").body, named) for text in rows[1:]]
            shape = [sizes.get(f"a{k}_{d}", extent) for d, extent in enumerate([0, *inner])]
        values = np.zeros(shape, NUMPY[p.type])
        for array, index, value in told["inputs"]:
            if array == f"a{k}":
                values[tuple(index)] = np.array(float(Fraction(value))).astype(values.dtype)
        found.append(values.reshape(-1))
    return found


_DECLARED = re.compile(r'\["[^"]*", "(\w+)"((?:, "[^"]*")+)\]')


def _extents(mlir: str) -> dict[str, tuple[str, ...]]:
    """The extents that the arrays of a function have as it was read, in C."""
    return {name: tuple(re.findall(r'"([^"]*)"', texts)) for name, texts in _DECLARED.findall(mlir)}


def batch(generator: str, seeds: range, minimise: float = 0) -> list[Row]:
    """The pairs with these numbers, judged in a child: one that crashes is a finding, and the rest goes on."""
    done = run_isolated(partial(_judged, generator, seeds), timeout=EACH * len(seeds), extra_bytes=MEMORY)
    if not isinstance(done, Failed):
        return done.value
    if len(seeds) > 1:
        return [row for seed in seeds for row in batch(generator, range(seed, seed + 1))]
    lost = Row(f"pairs-{generator}", seeds.start, "unknown", "crash", detail=done.reason)
    return [replace(lost, language=TASTES[generator].language)]


def _judged(generator: str, seeds: range) -> list[Row]:
    language = TASTES[generator].language
    pairs = {(seed, k): p for seed in seeds for k, p in enumerate(drawn_pairs(generator, seed))}
    functions = {f"a{seed}": p.one for (seed, _), p in pairs.items()}
    functions |= {f"b{seed}_{k}": p.other for (seed, k), p in pairs.items()}
    rows = []

    @cache
    def reader(function: Function) -> ways.Read:
        return ways.read(spelled(function, "f", language), language)

    with TemporaryDirectory() as folder:
        libraries = Libraries(functions, Path(folder), language)
        for (seed, k), pair in pairs.items():
            found = judged((f"a{seed}", f"b{seed}_{k}"), pair, libraries, seed, reader)
            if found is not None:
                rows.append(_row(generator, seed, pair, found, language))
    return rows


def _row(generator: str, seed: int, pair: Pair, found: Judged, language: str) -> Row:
    lines = [found.text, *(f"differs at {dict(d.sizes)}: {d.text}" for d in found.differences[:3])]
    source = "\n".join(spelled(f, "f", language) for f in (pair.one, pair.other)) if found.bad else ""
    state = f"{'wrong' if found.differences else 'equal'}, {found.said}"
    if found.differences and found.said in ACCEPTED and not found.bad:
        state += " under an assumption that says so"
    return Row(f"pairs-{generator}", seed, state, found.kind, "", "\n".join(lines), source=source, language=language)
