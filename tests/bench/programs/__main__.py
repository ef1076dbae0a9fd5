"""Times the programs under `raising.jit` beside NumPy and, with `--numba`, Numba: `python -m tests.bench.programs`.

Each runs in a process of its own; `OPENBLAS_NUM_THREADS=1` keeps NumPy to one thread. Every call is timed with fresh
arguments, the least of several counts; what is not equal to NumPy at both sizes has no time. The time of a first call
counts no imports; code that lies on disk is found there. Writes `results/programs.json` and `results/programs.md`.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from math import exp, log
from typing import Any

import raising
from raising.decorator.build_code import prepare
from raising.support.cli_options import MEMORY
from raising.support.isolate import Finished, run_isolated
from tests.bench.programs.compare import PROGRAMS, difference
from tests.bench.programs.register import Program
from tests.bench.record import ROOT, write

SECONDS = 0.2  # for the calls of one function
Row = dict[str, Any]


def main() -> None:
    """Time the programs that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.programs", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs (default: all)")
    parser.add_argument("--numba", action="store_true", help="also time Numba (njit, fastmath, one thread)")
    parser.add_argument("--check", default="proof", help="how much is checked of what is raised (default: proof)")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one program (default: 120)")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in PROGRAMS]
    if unknown:
        parser.error(f"there is no program '{unknown[0]}'")
    prepare()  # what is imported counts for no program
    rows = [_row(PROGRAMS[n], given.check, given.numba, given.limit) for n in given.names or PROGRAMS]
    write("programs", " ".join(["python -m tests.bench.programs", *sys.argv[1:]]), rows, _summary(rows))
    (ROOT / "results" / "programs.md").write_text(_table(rows))


def _row(program: Program, check: str, numba: bool, limit: float) -> Row:
    found = run_isolated(partial(_timed, program, check, numba), timeout=limit, extra_bytes=MEMORY)
    row: Row = {"name": program.name, "field": program.field, "size": program.sizes[1]}
    row |= found.value if isinstance(found, Finished) else {"why": found.reason}
    print(row, flush=True)
    return row


def _timed(program: Program, check: str, numba: bool) -> Row:
    warnings.simplefilter("ignore")
    row: Row = {"numpy": _least(program, program.function)}
    compiled = raising.jit(check=check)(program.function)
    row |= _beside(program, compiled, "ours")
    if numba:
        from numba import njit

        other = _beside(program, njit(fastmath=True)(program.function), "numba")
        row |= {k: v for k, v in other.items() if k != "why"}
    return row


def _beside(program: Program, function: Callable[..., Any], name: str) -> Row:
    """The least time of a call and that of the first one, if all is equal to NumPy."""
    start = time.perf_counter()
    try:
        wrong = difference(program, function, program.sizes[0])
        first = time.perf_counter() - start
        wrong = wrong or difference(program, function, program.sizes[1])
    except Exception as error:
        return {"why": " ".join(str(error).split())[:160]}
    return {"why": wrong} if wrong else {name: _least(program, function), f"{name}_first": first}


def _least(program: Program, function: Callable[..., Any]) -> float:
    """Seconds of the fastest call."""
    least, end = float("inf"), time.perf_counter() + SECONDS
    while least == float("inf") or time.perf_counter() < end:
        arguments = program.arguments(program.sizes[1])
        start = time.perf_counter()
        function(*arguments)
        least = min(least, time.perf_counter() - start)
    return least


def _summary(rows: list[Row]) -> dict[str, Any]:
    """How many run, and the geometric means of how much faster."""
    found: dict[str, Any] = {"programs": len(rows), "equal to NumPy": sum("ours" in r for r in rows)}
    for other in ("numpy", "numba"):
        ratios = [r[other] / r["ours"] for r in rows if other in r and "ours" in r]
        if ratios:
            found[f"times as fast as {other}"] = round(exp(sum(map(log, ratios)) / len(ratios)), 2)
            found[f"slower than {other} by more than 5 %"] = sum(r < 1 / 1.05 for r in ratios)
    return found


def _table(rows: list[Row]) -> str:
    heads = ["program", "field", "size", "NumPy, ms", "ours, ms", "times as fast", "first call, s", "Numba, ms"]
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    for row in rows:
        ours = row.get("ours")
        ratio = f"{row['numpy'] / ours:.2f}" if ours else row.get("why", "").replace("|", "/")
        first = f"{row['ours_first']:.2f}" if ours else ""
        times = [f"{1e3 * row[k]:.3f}" if row.get(k) else "" for k in ("numpy", "ours", "numba")]
        cells = [row["name"], row["field"], str(row["size"]), times[0], times[1], ratio, first, times[2]]
        lines.append(f"| {' | '.join(cells)} |")
    told = "; ".join(f"{name}: {value}" for name, value in _summary(rows).items())
    return "\n".join([f"Made by `python -m tests.bench.programs`. {told}.", "", *lines, ""])


if __name__ == "__main__":
    main()
