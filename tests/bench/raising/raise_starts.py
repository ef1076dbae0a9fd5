"""Whole processes of `raise` for small functions, beside importing what it needs.

`python -m tests.bench.raising.raise_starts` writes `results/raise-starts.json`. The functions are the first two in C of
each class of `tests/inputs/loops`; each is raised cold (`--no-cache`: with its proof and native run) and from the
cache, in turn with `python -c "import mlir.ir, numpy, islpy"`. The ratios are of medians, by that import's. `parts` is
where the time of a cold run goes: milliseconds of processor time of its parts one after the other, medians over the
functions. In a run, the file is read beside the imports, and the proof beside the native run.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import tempfile
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.bench.loops.corpus import HEADERS, functions
from tests.bench.raising.against import seconds
from tests.bench.record import write

COMMAND = "python -m tests.bench.raising.raise_starts"
RUNS = 3
IMPORT = [sys.executable, "-c", "import mlir.ir, numpy, islpy"]
PARTS = """
import json, resource, sys
taken, before = {}, 0.0
def lap(name):
    global before
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    now = sum(each.ru_utime + each.ru_stime for each in used)
    taken[name], before = 1000 * (now - before), now

from raising.commands.raise_command import parser
given = parser().parse_args(sys.argv[1:])
lap("Python, the command")
from raising.commands.languages import converted
read = converted(open(given.file, "rb").read(), given.file, given)
lap("reading C")
import mlir.ir, numpy, islpy
lap("MLIR, NumPy, islpy")
from raising.commands.raise_worker import prepare
prepare()
lap("own modules")
from raising import raise_module
for name, check in (("search", "field"), ("again", "field"), ("proof", "proof"), ("native run", "native")):
    raise_module(read.text, file=given.file, check=check, cache=False)
    lap(name)
print(json.dumps(taken))
"""


def parts(path: Path) -> dict[str, float]:
    """Where the time of a cold run goes, in milliseconds of processor time."""
    done = subprocess.run([sys.executable, "-c", PARTS, str(path)], capture_output=True, check=True, text=True)
    taken: dict[str, float] = json.loads(done.stdout)
    taken["native run"] -= taken["proof"]  # each of these searches, too
    taken["proof"] -= taken.pop("again")
    return taken


def row(path: Path, cache: str) -> dict[str, Any]:
    """One function: the medians of its two ways and of the import, in turn."""
    command = [sys.executable, "-m", "raising.commands.raise_command", str(path)]
    seconds(command, cache)  # fills the cache
    ways = {"import": IMPORT, "cold": [*command, "--no-cache"], "kept": command}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(RUNS):
        for name, way in ways.items():
            taken[name].append(seconds(way, cache)[1])
    medians = {name: statistics.median(each) for name, each in taken.items()}
    ratios = {f"{name} ratio": round(medians[name] / medians["import"], 2) for name in ("cold", "kept")}
    found = [parts(path) for _ in range(RUNS)]
    spent = {name: round(statistics.median(each[name] for each in found)) for name in found[0]}
    times = {f"{name} seconds": round(v, 3) for name, v in medians.items()}
    return {"function": path.stem} | times | ratios | {"parts": spent}


def main() -> int:
    """Measure, and write the record."""
    chosen = [f for f in functions([]) if f.path.suffix == ".c"]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for _, each in groupby(chosen, key=lambda f: f.kind):
            for function in list(each)[:2]:
                path = Path(folder) / f"{function.name}.c"
                path.write_text(HEADERS + function.text)
                rows.append(row(path, folder))
                print(rows[-1], flush=True)
    summary: dict[str, Any] = {"functions": len(rows), "runs": RUNS}
    for way in ("cold", "kept"):
        found = [r[f"{way} ratio"] for r in rows]
        mean = math.exp(statistics.fmean(map(math.log, found)))
        summary[f"{way} by import"] = {"geometric mean": round(mean, 2), "largest": max(found)}
    summary["parts"] = {name: statistics.median(r["parts"][name] for r in rows) for name in rows[0]["parts"]}
    write("raise-starts", COMMAND, rows, summary)
    print(summary)
    return 0


if __name__ == "__main__":
    sys.exit(main())
