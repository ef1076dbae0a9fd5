"""Times of the grammars: `python -m tests.bench.raising.grammar_times` loads each five times and builds each once.

Each load and each build is a process of its own; a build is compared with what is committed.
"""

from __future__ import annotations

import subprocess
import sys
import time

from raising.grammar.dialects.committed import known
from tests.bench.record import ROOT, write

LOAD = """
import time
from raising.grammar.dialects.load import load
t = time.perf_counter()
load({!r})
print(time.perf_counter() - t)
"""
BUILD = """
from pathlib import Path
from raising.grammar.regenerate import regenerate
files = regenerate({!r})
print(all(Path("grammar/data", name).read_text() == text for name, text in files.items()))
"""


def said(program: str) -> str:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def measured(target: str) -> dict[str, object]:
    loads = sorted(float(said(LOAD.format(target))) for _ in range(5))
    started = time.perf_counter()
    same = said(BUILD.format(target)) == "True"
    return {
        "target": target,
        "load_milliseconds": round(loads[2] * 1e3, 1),
        "build_seconds": round(time.perf_counter() - started, 1),
        "as_committed": same,
    }


def main() -> None:
    rows = [measured(target) for target in known()]
    limits = {"load_milliseconds": 50, "build_seconds": 60}
    slowest = {key: max(row[key] for row in rows) for key in limits}  # type: ignore[type-var]
    print(*rows, sep="\n")
    write("grammar-times", "python -m tests.bench.raising.grammar_times", rows, {"limits": limits, "slowest": slowest})


if __name__ == "__main__":
    main()
