"""Batches of functions in forked children: what crashes or hangs is a finding, and the rest goes on."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from subprocess import CalledProcessError

from raising.support.isolate import Failed, Tell, run_telling
from tests.hunt.calls import Libraries, calls
from tests.hunt.drawn.draw import drawn
from tests.hunt.drawn.shadow import shadow
from tests.hunt.drawn.tastes import TASTES, Taste
from tests.hunt.drawn.tree import Function
from tests.hunt.judge import Finding, judged, spelled
from tests.hunt.minimise import minimised
from tests.hunt.tally import Row

EACH = 40.0  # seconds of processor time that one function may take
MEMORY = 24 << 30
FEWEST = 2  # calls with a meaning, below which a function is not of use

DEFAULT = Taste()
Found = dict[int, Finding]
Until = Callable[[Finding], bool]


def batch(generator: str, seeds: range, minimise: float = 0) -> list[Row]:
    """The functions with these numbers, those left out that have no calls; failures made small for so many seconds."""
    language = TASTES[generator].language
    functions = {seed: drawn(generator, seed) for seed in seeds}
    rows = []
    for seed, finding in over(functions, taste=TASTES[generator]).items():
        function = functions[seed]
        if finding.bad and minimise:
            function, finding = smaller(function, seed, finding, TASTES[generator], minimise)
        source = spelled(function, _name(seed), language) if finding.bad else ""
        told = {k: getattr(finding, k) for k in ("state", "kind", "way", "detail", "verdict", "caught", "runs")}
        rows.append(Row(generator, seed, **told, source=source, language=language))
    return rows


def smaller(function: Function, seed: int, finding: Finding, taste: Taste, seconds: float) -> tuple[Function, Finding]:
    """The smallest function that was found to show the same, and what it shows."""

    def shows(candidates: Sequence[Function]) -> tuple[Function, Finding] | None:
        return first(candidates, seed, lambda found: found.family == finding.family, taste)

    return minimised(function, finding, shows, seconds)


def over(
    functions: Mapping[int, Function],
    seeds: Mapping[int, int] | None = None,
    until: Until | None = None,
    taste: Taste = DEFAULT,
) -> Found:
    """Findings for functions by their number; `seeds` says what is drawn for each, if not its number.

    Stops at the first finding that `until` is true of.
    """
    found: Found = {}
    left = dict(functions)
    with tempfile.TemporaryDirectory() as name:
        libraries = Libraries({_name(seed): shadow(f) for seed, f in left.items()}, Path(name), taste.language)
        while left:
            work = partial(_work, left, seeds or {}, libraries, Path(name), until, taste)
            (done,) = run_telling([work], timeout=EACH * (len(left) + 1), extra_bytes=MEMORY)
            if not isinstance(done, Failed):
                found |= done.value
                break
            part, begun, stage = done.told or ({}, None, "")
            found |= part
            if begun is None:
                break
            hangs = done.timed_out or "SIGVTALRM" in done.reason
            found[begun] = Finding("unknown", "hang" if hangs else "crash", stage, done.reason)
            if until and until(found[begun]):
                break
            left = {s: f for s, f in left.items() if s not in found}
    return {s: f for s, f in found.items() if f.state != "unusable"}


def _name(seed: int) -> str:
    return f"f{seed}"


def _work(
    functions: Mapping[int, Function],
    seeds: Mapping[int, int],
    libraries: Libraries,
    folder: Path,
    until: Until | None,
    taste: Taste,
    tell: Tell,
) -> Found:
    found: Found = {}
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    for number, function in functions.items():
        signal.setitimer(signal.ITIMER_VIRTUAL, EACH)
        tell((found, None, ""))
        seed = seeds.get(number, number)
        made = calls(_name(number), shadow(function), libraries, seed, taste.special, taste.sizes)
        if len(made) < FEWEST or not any(call.changes for call in made):
            found[number] = Finding("unusable")
            continue

        def at(stage: str, number: int = number) -> None:
            tell((found, number, stage))

        found[number] = judged(function, _name(number), made, seed, folder, taste, at)
        if until and until(found[number]):
            break
    return found


def first(functions: Sequence[Function], seed: int, wanted: Until, taste: Taste) -> tuple[Function, Finding] | None:
    """The first function with a finding that is wanted, each judged as the one with this number."""
    numbered = dict(enumerate(functions))
    try:
        found = over(numbered, dict.fromkeys(numbered, seed), wanted, taste)
    except CalledProcessError:  # one that gcc refuses
        if len(functions) == 1:
            return None
        return next(filter(None, (first([f], seed, wanted, taste) for f in functions)), None)
    return next(((numbered[k], one) for k, one in sorted(found.items()) if wanted(one)), None)
