"""How long `raise-opt` takes as a whole process: `python -m tests.bench.eqsat.opt_times` writes results/opt-times.json.

Three tables in one: what it takes to start (a module in which nothing is to be done, beside what it imports at least),
the five case studies of DialEgg under their rules, and chains of matrices without options. The times are the medians
of processes that run in turn, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.eqsat.chains import CASES, dims
from tests.bench.record import write
from tests.eqsat.chains.test_chains import products
from tests.eqsat.optimising import CHAIN, RULES, function
from tests.eqsat.test_optimise import chain, least

COMMAND = "python -m tests.bench.eqsat.opt_times"
RUNS = 9
LEAST = "python -c 'import mlir.ir, numpy'"
TRIVIAL = "a module in which nothing is to be done"
RATIO, STUDY, ANY_CHAIN = 1.5, 0.6, 1.0  # the promises: times what is imported at least; seconds
LENGTHS = (10, 20, 40, 80, 160)
_OPTIMUM = 1.001  # of the fewest multiplications: the default cost counts bytes, too


def main() -> int:
    """Measure every case and write the medians; 1 if one is over its promise."""
    with tempfile.TemporaryDirectory() as folder:
        cases = _cases(Path(folder))
        seconds: dict[str, list[float]] = {name: [] for name in cases}
        for _ in range(RUNS + 1):
            for name, command in cases.items():
                seconds[name].append(_once(command)[0])
        medians = {name: statistics.median(times[1:]) for name, times in seconds.items()}  # the first one fills caches
        written = {name: _once(command)[1] for name, command in cases.items()}
    rows = [_row(name, medians, written[name]) for name in cases]
    summary = {"start": round(medians[TRIVIAL] / medians[LEAST], 2), "promise": RATIO}
    print(write("opt-times", COMMAND, rows, summary))
    print(summary, *rows, sep="\n")
    wrong = [row for row in rows if row["seconds"] > row.get("promise", row["seconds"]) or not row.get("optimal", True)]
    return int(bool(wrong) or summary["start"] > RATIO)


def _cases(folder: Path) -> dict[str, list[str]]:
    """The commands by name; the modules are written to a folder."""

    def opt(name: str, text: str, *rules: str) -> list[str]:
        file = folder / f"{len(list(folder.iterdir()))}.mlir"
        file.write_text(text)
        return [sys.executable, "-m", "raising.commands.opt_command", str(file), *rules]

    cases = {LEAST: [sys.executable, "-c", "import mlir.ir, numpy"]}
    cases[TRIVIAL] = opt(TRIVIAL, function("(%a: f64) -> f64", "return %a : f64"))
    cases |= {name: opt(name, text, "--rules", str(RULES / file)) for name, (text, file) in CASES.items()}
    cases |= {f"{n}MM": opt(f"{n}MM", chain(dims(n)), "--rules", CHAIN) for n in (2, 3)}
    return cases | {_named(n): opt(_named(n), rounded(chain(dims(n)))) for n in LENGTHS}


def _named(count: int) -> str:
    return f"chain of {count}, no options"


def rounded(text: str) -> str:
    """A function that may reassociate, as `raise` marks those that it wrote."""
    return text.replace("f64> {\n", 'f64> attributes {raise.fp = "reassoc"} {\n', 1)


def _row(name: str, medians: dict[str, float], text: str) -> dict[str, Any]:
    row: dict[str, Any] = {"case": name, "seconds": round(medians[name], 3)}
    for count in LENGTHS:
        if name == _named(count):
            row |= {"promise": ANY_CHAIN, "optimal": products(text) <= _OPTIMUM * least(dims(count))}
    if name in CASES or name.endswith("MM"):
        row["promise"] = STUDY
    return row


def _once(command: list[str]) -> tuple[float, str]:
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return time.perf_counter() - began, done.stdout


if __name__ == "__main__":
    sys.exit(main())
