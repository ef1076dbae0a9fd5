"""What raise-compile and raise-opt make of drawn functions, beside the interpreter of points."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np

import raising
from raising.support.isolate import Failed, run_isolated
from tests.hunt import ways
from tests.hunt.exported.judge import different
from tests.hunt.generic.body import DTYPES
from tests.hunt.generic.draw import Generics, drawn
from tests.hunt.tally import Row

GENERATOR = "generic"
EACH = 60.0  # seconds that one function may take
MEMORY = 24 << 30
SIZES = ((0, 3), (1, 1), (2, 5), (3, 9), (6, 6), (7, 14), (9, 2), (13, 13), (14, 20), (20, 6), (18, 17), (5, 33))
_TRIED = 5
_POINTS = 4000  # of one operation
_OPTIMISED = ("", "reassoc")

Told = tuple[str, str, str, int]  # kind, way, detail, runs


def batch(seeds: range) -> list[Row]:
    """The functions with these numbers."""
    return [row(seed) for seed in seeds]


def row(seed: int) -> Row:
    """What the function of one number shows."""
    function = drawn(seed)
    found = run_isolated(lambda: judged(function, seed), timeout=EACH, extra_bytes=MEMORY)
    if isinstance(found, Failed):
        kind = "hang" if found.timed_out else "crash"
        return Row(GENERATOR, seed, "unknown", kind, "", found.reason, source=function.text(), language="mlir")
    kind, way, detail, runs = found.value
    source = function.text() if kind else ""
    return Row(GENERATOR, seed, "kept", kind, way, detail, runs=runs, source=source, language="mlir")


def judged(function: Generics, seed: int) -> Told:
    """A function compiled for a machine, as it is and as raise-opt makes it, at some sizes.

    Numbers are small and whole, so that sums are the same in any order, or nearly.
    """
    rng = Random(seed)
    how = {"threads": rng.choice([1, 1, 2]), "cpu": rng.choice(["native", "native", "x86-64-v3"])}
    sizes = [dict(zip("nm", each, strict=True)) for each in rng.sample(SIZES, _TRIED)]
    runs = 0
    for way, text in _ways(function.text()):
        if isinstance(text, ways.Broken):
            return "error", way, text.why, runs
        try:
            compiled = raising.compile(text, cache=False, fp=rng.choice(["strict", "reassoc", "fast"]), **how)["f"]
        except Exception as error:
            return "error", f"compile {way}", f"{type(error).__name__}: {error}", runs
        for each in sizes:
            if _points(function, each) > _POINTS:
                continue
            given = _given(function, each, rng.randrange(1 << 30))
            wanted = function.run(given, each)
            compiled(*given.values())
            runs += 1
            for array, got in given.items():
                wrong = different(got, wanted[array], exact=function.element[0] == "i")
                if wrong:
                    return "wrong", way, f"{how}, at {each}: {array}: {wrong}", runs
    return "", "", "", runs


def _ways(text: str) -> Iterator[tuple[str, str | ways.Broken]]:
    """The texts to compile, each once; or why there is none."""
    seen = {text}
    yield "compiled", text
    for fp in _OPTIMISED:
        try:
            made = ways.optimised(text, fp)
        except ways.Broken as error:
            yield "optimised", error
            return
        if made not in seen:
            seen.add(made)
            yield f"optimised {fp}".strip(), made


def _points(function: Generics, sizes: dict[str, int]) -> int:
    return max(int(np.prod([sizes[s] for s in each.extents])) for each in function.operations)


def _given(function: Generics, sizes: dict[str, int], seed: int) -> dict[str, np.ndarray]:
    values, dtype = np.random.default_rng(seed), DTYPES[function.element]
    return {a: values.integers(-3, 4, function.shape(a, sizes)).astype(dtype) for a in function.arguments}
