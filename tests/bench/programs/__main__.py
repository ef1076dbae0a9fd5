"""Times the programs under `raising.jit` beside NumPy: `python -m tests.bench.programs`. With `--numba` and `--jax`
also under `numba.njit` and `jax.jit`.

Each runs in a process of its own, on one core, and NumPy's BLAS has one thread. Every call is timed
with fresh arguments, the least of several counts; what is not equal to NumPy at both sizes has no time. The time of a
first call counts no imports: with an empty cache, and again in a process that finds the code on disk. JAX has 64 bits,
and its arguments on the device before a call; `jax_form` says how a program is written for it. Writes
`results/programs.json` and `results/programs.md`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from math import exp, log
from tempfile import TemporaryDirectory
from typing import Any

import raising
from raising.decorator.build_code import prepare
from raising.support.cache import VARIABLE
from raising.support.cli_options import MEMORY
from raising.support.isolate import Finished, run_isolated
from tests.bench.programs.compare import PROGRAMS, difference
from tests.bench.programs.register import Program
from tests.bench.record import ROOT, write

SECONDS = 0.2  # for the calls of one function
FIRSTS = {
    "ours_first": "first call, s",
    "ours_again": "first call with the code on disk, s",
    "numba_first": "first call of Numba, s",
    "jax_first": "first call of JAX, s",
}
BLAS_THREADS = {"OPENBLAS_NUM_THREADS": "1"}  # two of them on one core wait for each other
Row = dict[str, Any]


def main() -> None:
    """Time the programs that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.programs", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs (default: all)")
    parser.add_argument("--numba", action="store_true", help="also time Numba (njit, fastmath, one thread)")
    parser.add_argument("--jax", action="store_true", help="also time JAX (jit, one thread)")
    parser.add_argument("--check", default="proof", help="how much is checked of what is raised (default: proof)")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one program (default: 120)")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in PROGRAMS]
    if unknown:
        parser.error(f"there is no program '{unknown[0]}'")
    if not BLAS_THREADS.items() <= os.environ.items():  # NumPy reads it when it is imported
        os.execve(sys.executable, [sys.executable, "-m", __spec__.parent, *sys.argv[1:]], os.environ | BLAS_THREADS)
    prepare()  # what is imported counts for no program
    with TemporaryDirectory() as folder:
        os.environ[VARIABLE] = folder
        rows = [_row(PROGRAMS[n], given) for n in given.names or PROGRAMS]
    write("programs", " ".join(["python -m tests.bench.programs", *sys.argv[1:]]), rows, _summary(rows))
    (ROOT / "results" / "programs.md").write_text(_table(rows))


def _row(program: Program, given: argparse.Namespace) -> Row:
    timed = partial(_timed, program, given.check, given.numba, given.jax)
    found = run_isolated(timed, timeout=given.limit, extra_bytes=MEMORY)
    row: Row = {"name": program.name, "field": program.field, "sizes": "{}, {}".format(*program.sizes)}
    row |= found.value if isinstance(found, Finished) else {"why": found.reason}
    if "ours" in row:
        again = run_isolated(partial(_again, program, given.check), timeout=given.limit, extra_bytes=MEMORY)
        row |= {"ours_again": again.value} if isinstance(again, Finished) else {}
    print(row, flush=True)
    return row


def _timed(program: Program, check: str, numba: bool, jax: bool) -> Row:
    warnings.simplefilter("ignore")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    row: Row = {"numpy": _least(program, program.function)}
    compiled = raising.jit(check=check)(program.function)
    row |= _beside(program, compiled, "ours")
    if numba:
        from numba import njit

        row |= _of_another(_beside(program, njit(fastmath=True)(program.function), "numba"), "numba")
    if jax:
        row |= _of_another(_in_jax(program), "jax")
    return row


def _again(program: Program, check: str) -> float:
    """Seconds of the first call of a process that finds the code on disk."""
    arguments = program.arguments(program.sizes[0])
    start = time.perf_counter()
    raising.jit(check=check)(program.function)(*arguments)
    return time.perf_counter() - start


def _of_another(row: Row, name: str) -> Row:
    return {f"{name}_{k}" if k == "why" else k: v for k, v in row.items()}


def _in_jax(program: Program) -> Row:
    """In a process that has no JAX yet: whether it has 64 bits, and on how many threads it runs, is asked once."""
    os.environ |= {"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
    from jax import block_until_ready

    from tests.bench.programs.jax_form import jax_form

    form = jax_form(program, program.arguments(program.sizes[0]))
    return _beside(program, form, "jax", form.given, lambda *given: block_until_ready(form.function(*given)))


def _beside(
    program: Program,
    function: Callable[..., Any],
    name: str,
    prepared: Callable[[tuple[Any, ...]], tuple[Any, ...]] = tuple,
    called: Callable[..., Any] | None = None,
) -> Row:
    """The least time of a call and that of the first one, if all is equal to NumPy."""
    start = time.perf_counter()
    try:
        wrong = difference(program, function, program.sizes[0])
        first = time.perf_counter() - start
        wrong = wrong or difference(program, function, program.sizes[1])
    except Exception as error:
        return {"why": " ".join(str(error).split())[:160]}
    return {"why": wrong} if wrong else {name: _least(program, called or function, prepared), f"{name}_first": first}


def _least(
    program: Program,
    function: Callable[..., Any],
    prepared: Callable[[tuple[Any, ...]], tuple[Any, ...]] = tuple,
) -> float:
    """Seconds of the fastest call."""
    least, end = float("inf"), time.perf_counter() + SECONDS
    while least == float("inf") or time.perf_counter() < end:
        arguments = prepared(program.arguments(program.sizes[1]))
        start = time.perf_counter()
        function(*arguments)
        least = min(least, time.perf_counter() - start)
    return least


def _summary(rows: list[Row]) -> dict[str, Any]:
    """How many run, the geometric means of how much faster, and the program that is slowest relative to each."""
    found: dict[str, Any] = {"programs": len(rows), "equal to NumPy at both sizes": sum("ours" in r for r in rows)}
    for other in ("numpy", "numba", "jax"):
        ratios = {r["name"]: r[other] / r["ours"] for r in rows if other in r and "ours" in r}
        if ratios:
            found[f"times as fast as {other}"] = _mean(list(ratios.values()))
            found[f"programs with {other}"] = len(ratios)
            found[f"slower than {other} by more than 5 %"] = sum(r < 1 / 1.05 for r in ratios.values())
            worst = min(ratios, key=ratios.__getitem__)
            found[f"slowest relative to {other}"] = f"{worst}, {ratios[worst]:.2f} times as fast"
    for key, title in FIRSTS.items():
        firsts = [r[key] for r in rows if key in r]
        if firsts:
            found[title] = f"{_mean(firsts)} in the mean, {max(firsts):.2f} at most"
    return found


def _mean(values: list[float]) -> float:
    """The geometric mean."""
    return round(exp(sum(map(log, values)) / len(values)), 2)


def _table(rows: list[Row]) -> str:
    names = {"numpy": "NumPy", "ours": "ours", "numba": "Numba", "jax": "JAX"}
    others = [n for n in names if any(n in r for r in rows)]
    heads = ["program", "field", "sizes", *(f"{names[n]}, ms" for n in others), "times as fast as NumPy"]
    firsts = [key for key in FIRSTS if any(key in r for r in rows)]
    heads += [FIRSTS[key] for key in firsts]
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    for row in rows:
        ours = row.get("ours")
        ratio = f"{row['numpy'] / ours:.2f}" if ours else row.get("why", "").replace("|", "/")
        times = [f"{1e3 * row[n]:.3f}" if n in row else "" for n in others]
        waits = [f"{row[key]:.2f}" if key in row else "" for key in firsts]
        lines.append(f"| {' | '.join([row['name'], row['field'], row['sizes'], *times, ratio, *waits])} |")
    told = [f"- {name}: {value}" for name, value in _summary(rows).items()]
    return "\n".join(["Made by `python -m tests.bench.programs`.", "", *told, "", *lines, ""])


if __name__ == "__main__":
    main()
