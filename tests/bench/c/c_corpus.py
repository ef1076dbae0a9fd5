"""The C functions of `tests/inputs/c`: read, compared with gcc, raised. `python -m tests.bench.c.c_corpus [FILE ...]`.

Writes `results/c-corpus.json`, and `results/c-corpus.md`, a table for people: per function whether it is
read or refused, whether it computes the same bits as `gcc -O1 -ffp-contract=off` on three random
inputs, in both precisions where it is generic, and what raising to linalg makes of it. Loops that
run only at sizes at which the tensor form does not stand are counted apart from those that are left.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from raising.pipeline import RaiseOptions, raise_module
from raising.polybench.suite.values import Value
from raising.support.isolate import Failed, run_isolated
from tests.bench.c.c_table import markdown
from tests.bench.record import ROOT, write
from tests.c.beside import Beside
from tests.c.corpus import FILES, Case, Refusal, cases, refusals
from tests.c.gcc import Library
from tests.c.reading import read
from tests.raising.algebra import kinds, loops, loops_of_fallbacks

COMMAND = "python -m tests.bench.c.c_corpus"
SEEDS = (1, 2, 3)
TIMEOUT = 60.0


def compared(case: Case) -> dict[str, Any]:
    """Whether it is read, and per precision `equal` or the first difference."""
    found = {}
    for real in case.reals:
        module = read(case.path, case.defines(real), case.function)
        if module.refused:
            return {"read": False, "refused": str(module.refused[0])}
        both = Beside(Library(case.path, case.defines(real)), module.mlir, case.function)
        differences = (both.difference(case.arguments(real, seed), case.result(real)) for seed in SEEDS)
        found[real] = next(filter(None, differences), "equal")
    return {"read": True, "equals_gcc": found, "assumptions": [a.reason for a in module.assumptions]}


def raised(case: Case) -> dict[str, Any]:
    """What raising makes of it, in double precision where that is open, and how far the result is from gcc's."""
    module = read(case.path, case.defines("f64"), case.function)
    if module.refused:
        return {}
    started = time.perf_counter()
    result = raise_module(module.mlir, file=case.path.name, options=RaiseOptions(check="field", timeout=TIMEOUT))
    seconds = time.perf_counter() - started
    elsewhere = len(loops_of_fallbacks(result.text))
    return {
        "loops": len(loops(module.mlir)),
        "loops_left": len(loops(result.text)) - elsewhere,
        "loops_at_other_sizes": elsewhere,
        "algebra": dict(sorted(kinds(result.text).items())),
        "kept": [str(remark) for remark in result.remarks if remark.kind == "kept"],
        "seconds": round(seconds, 2),
        "relative_error": _error(case, result.text),
    }


def _error(case: Case, text: str) -> float:
    """The largest difference between gcc's results and those of the raised function, relative to the largest value."""
    arguments, returns = case.arguments("f64", SEEDS[0]), case.result("f64")
    library = Library(case.path, case.defines("f64"))
    want = library.call(case.function, arguments, returns)
    got = Beside(library, text, case.function).run(arguments, returns)
    return max(_distance(a, b) for a, b in zip(want, got, strict=True))


def _distance(a: Value, b: Value) -> float:
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return float(f"{np.max(np.abs(x - y)) / max(np.max(np.abs(x)), 1e-300):.1e}")


def measured(case: Case) -> dict[str, Any]:
    """One function; each step in a process of its own, so that a crash is a row and not the end."""
    row: dict[str, Any] = {"file": case.path.name, "function": case.function, "line": case.line + 1}
    row |= _apart("compare", lambda: compared(case))
    if row.get("read"):
        row |= _apart("raise", lambda: raised(case))
    return row


def refused(refusal: Refusal) -> dict[str, Any]:
    """One function that must be refused."""
    row: dict[str, Any] = {"file": refusal.path.name, "function": refusal.function, "line": refusal.line}

    def work() -> dict[str, Any]:
        told = [r for r in read(refusal.path, {}).refused if r.place.line == refusal.line]
        return {"read": not told, "must_be_refused": True, "refused": str(told[0]) if told else ""}

    return row | _apart("read", work)


def _apart(step: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    outcome = run_isolated(work, timeout=2 * TIMEOUT, extra_bytes=8 << 30)
    return {f"failed_to_{step}": outcome.reason} if isinstance(outcome, Failed) else outcome.value


def _rows(wanted: list[str]) -> Iterator[dict[str, Any]]:
    for path in FILES:
        if not wanted or path.name in wanted:
            yield from map(measured, cases(path))
            yield from map(refused, refusals(path))


def _line(row: dict[str, Any]) -> str:
    told = {key: value for key, value in row.items() if key not in ("file", "function", "line", "assumptions")}
    return f"{row['file']}:{row['line']} {row['function']}: {told}"


def main(wanted: list[str]) -> None:
    """Measure and write the record; with names of files, only print those."""
    rows = []
    for row in _rows(wanted):
        rows.append(row)
        print(_line(row), flush=True)
    if wanted:
        return
    run = [row for row in rows if not row.get("must_be_refused")]
    equal = [row for row in run if set(row.get("equals_gcc", {"": ""}).values()) == {"equal"}]
    summary = {
        "functions": len(run),
        "read": sum(bool(row.get("read")) for row in run),
        "equal_to_gcc": len(equal),
        "raised_whole": sum(row.get("loops_left") == 0 for row in run),
        "of_these_with_loops_at_other_sizes": sum(
            row.get("loops_left") == 0 and row["loops_at_other_sizes"] > 0 for row in run
        ),
        "raised_in_part": sum(0 < row.get("loops_left", 0) < row.get("loops", 0) for row in run),
        "largest_relative_error": max(row.get("relative_error", 0.0) for row in run),
        "must_be_refused": len(rows) - len(run),
        "refused_at_the_place": sum(bool(row.get("must_be_refused") and row.get("refused")) for row in rows),
    }
    print(write("c-corpus", COMMAND, rows, summary))
    (ROOT / "results" / "c-corpus.md").write_text(markdown(rows, summary, COMMAND))


if __name__ == "__main__":
    main(sys.argv[1:])
