"""Summaries of a record: ratios, geometric means, best and worst, and where a peer is faster."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import geometric_mean
from typing import Any

from raising.polybench.records.records import Row
from raising.support.record import dataclass

BASELINES = ("clang-O3", "gcc-O3", "loops")
"""What speed-ups are over: the first of these that a row has."""
OURS = "raise-"
"""How the names of our own programs begin."""
CLOSE = 1.03
"""Programs closer together than this are as fast as each other."""


@dataclass(frozen=True)
class Speedup:
    """How much faster than the baseline a program is, by medians, geometric mean over `kernels`."""

    program: str
    ours: bool
    kernels: int
    geomean: float
    best: tuple[str, float]
    worst: tuple[str, float]


@dataclass(frozen=True)
class SameKernels:
    """A program beside our leader: geometric means of their speed-ups over the baseline, on the kernels both have."""

    program: str
    kernels: int
    theirs: float
    ours: float

    @property
    def ratio(self) -> float:
        """How many times as fast as the program ours is."""
        return self.ours / self.theirs


@dataclass(frozen=True)
class Slower:
    """A kernel where a peer beats the best of ours: how many times as fast the peer is."""

    name: str
    ours: str
    peer: str
    ratio: float


def measured(rows: Iterable[Row]) -> list[Row]:
    """The rows that have times."""
    return [row for row in rows if timed(row)]


def timed(row: Row) -> dict[str, Any]:
    """The programs of a row that were timed, which are those whose results are right."""
    return {name: p for name, p in row.get("programs", {}).items() if p.get("median")}


def baseline(row: Row) -> str | None:
    """The program that speed-ups of this row are over."""
    return next((name for name in BASELINES if name in timed(row)), None)


def speedups_of(row: Row) -> dict[str, float]:
    """Speed-up over the baseline of every program of a row, by medians."""
    base = baseline(row)
    programs = timed(row)
    return {name: programs[base]["median"] / p["median"] for name, p in programs.items()} if base else {}


def speedups(rows: Sequence[Row]) -> list[Speedup]:
    """One entry per program, fastest first."""
    found: dict[str, dict[str, float]] = {}
    ours: dict[str, bool] = {}
    for row in rows:
        for program, ratio in speedups_of(row).items():
            found.setdefault(program, {})[str(row["key"]["name"])] = ratio
            ours[program] = row["programs"][program]["ours"]
    entries = [_entry(program, ours[program], ratios) for program, ratios in found.items()]
    return sorted(entries, key=lambda e: -e.geomean)


def _entry(program: str, ours: bool, ratios: Mapping[str, float]) -> Speedup:
    ordered = sorted(ratios.items(), key=lambda kv: kv[1])
    return Speedup(program, ours, len(ratios), geometric_mean(ratios.values()), ordered[-1], ordered[0])


def leader(rows: Sequence[Row]) -> str | None:
    """The program of ours that others are compared with: the one with most kernels, of these the fastest."""
    ours = [s for s in speedups(rows) if s.ours]
    return max(ours, key=lambda s: (s.kernels, s.geomean)).program if ours else None


def side_by_side(rows: Sequence[Row]) -> list[SameKernels]:
    """Every other program beside the leader, on the kernels that both have; the fastest first."""
    first, of_rows = leader(rows), [speedups_of(row) for row in rows]
    found = []
    for program in dict.fromkeys(name for ratios in of_rows for name in ratios):
        both = [(ratios[program], ratios[first]) for ratios in of_rows if first in ratios and program in ratios]
        if program != first and both:
            theirs, ours = (geometric_mean(side) for side in zip(*both, strict=True))
            found.append(SameKernels(program, len(both), theirs, ours))
    return sorted(found, key=lambda each: each.ratio)


def slower(rows: Iterable[Row]) -> list[Slower]:
    """Every row where a peer is faster than all of ours, by more than `CLOSE`; the worst first."""
    found = []
    for row in rows:
        programs = timed(row)
        ours = min((n for n, p in programs.items() if p["ours"]), key=lambda n: programs[n]["median"], default=None)
        peer = min((n for n, p in programs.items() if not p["ours"]), key=lambda n: programs[n]["median"], default=None)
        if ours and peer and programs[ours]["median"] > CLOSE * programs[peer]["median"]:
            ratio = programs[ours]["median"] / programs[peer]["median"]
            found.append(Slower(str(row["key"]["name"]), ours, peer, ratio))
    return sorted(found, key=lambda s: -s.ratio)


def groups(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows that can be compared with each other, by what they have in common: `LARGE, f32, 1 thread`."""
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=_common):
        dataset, dtype, threads = _common(row)
        found.setdefault(f"{dataset}, {dtype}, {threads} thread{'s' * (threads > 1)}", []).append(row)
    return found


def _common(row: Row) -> tuple[str, str, int]:
    return row["key"]["dataset"], row["key"]["dtype"], row["key"]["threads"]


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """The lines that are printed at the end of a batch, with all failures, wrong results and faster peers."""
    for common, members in groups(rows).items():
        yield f"{common}: {len(members)} kernels"
        yield from (f"  FAILED {row['key']['name']}: {row['reason']}" for row in members if row["status"] == "failed")
        yield from _problems(members)
        yield from _levels(members)
        beside = {each.program: each for each in side_by_side(members)}
        for s in speedups(members):
            mark = "*" if s.ours else " "
            yield (
                f" {mark} {s.program:14} {s.geomean:8.2f}x over {s.kernels} kernels;{_against(beside.get(s.program))}"
                f" best {s.best[0]} {s.best[1]:.2f}x, worst {s.worst[0]} {s.worst[1]:.2f}x"
            )
        for x in slower(members):
            yield f"  faster peer: {x.name}: {x.peer} is {x.ratio:.2f}x as fast as {x.ours}"


def _against(beside: SameKernels | None) -> str:
    return "" if beside is None else f" ours is {beside.ratio:.2f}x as fast on them;"


def _problems(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        for target, found in row.get("targets", {}).items():
            if found.get("not_optimised"):
                yield f"  NOT OPTIMISED {row['key']['name']} to {target}: {found['not_optimised']}"
            if found.get("failed"):
                yield f"  {row['key']['name']} to {target}: {found['failed']}"
        skipped = row.get("skipped", {})
        yield from (f"  NOT TIMED {row['key']['name']}: {n}: {skipped[n]}" for n in skipped if n.startswith(OURS))
        for name, program in row.get("programs", {}).items():
            agreement = program.get("agreement")
            if agreement and not agreement["equal"]:
                yield f"  WRONG {row['key']['name']}: {name} is off by {agreement['error']:.2g}"


def _levels(rows: Iterable[Row]) -> Iterator[str]:
    for target, counts in levels(rows).items():
        yield f"  {target}: " + ", ".join(f"{n} {level}" for level, n in counts.items())


def levels(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Per target, how many functions have which verdict; rows of other numbers of threads are not counted again."""
    found: dict[tuple[str, tuple[object, ...]], str] = {}
    for row in rows:
        which = tuple(value for name, value in row["key"].items() if name != "threads")
        for target, raised in row.get("targets", {}).items():
            found.setdefault((target, which), raised.get("level", "failed"))
    counts: dict[str, dict[str, int]] = {}
    for (target, _), level in found.items():
        of_target = counts.setdefault(target, {})
        of_target[level] = of_target.get(level, 0) + 1
    return counts


def rounded(value: float) -> str:
    """A figure with three digits that count."""
    if value == 0 or not math.isfinite(value):
        return str(value)
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}"
