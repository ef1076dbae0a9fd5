"""The same bytes on a busy machine: `python -m tests.bench.loaded [CASE …]`.

Raises chosen kernels, from MLIR and from C, to both targets: once as the machine is, and once beside four processes
that do nothing but count. The module and everything that is said about it have to be the same, to the byte, but for
the times in it. Writes `results/loaded.json`: the digest of each output and how long both took.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from raising.support.record import dataclass
from tests.bench.record import ROOT, write

COMMAND = "python -m tests.bench.loaded"
BUSY = 4
"""Processes beside the one that is looked at."""

_SECONDS = re.compile(rb"\d+\.\d+ s\b")
_SPIN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"


@dataclass(frozen=True)
class Case:
    """A kernel, the language it is read from (`mlir` or `c`), and the target."""

    kernel: str
    language: str
    target: str

    @property
    def name(self) -> str:
        """What the case is called."""
        return f"{self.kernel}.{self.language}:{self.target}"

    @property
    def file(self) -> str:
        """The file, from the repository's root."""
        folder = "tests/kernels" if self.language == "mlir" else "polybench/kernels"
        return f"{folder}/{self.kernel}.{self.language}"


CASES = (
    Case("adi", "mlir", "stablehlo"),
    Case("deriche", "c", "linalg"),
    Case("nussinov", "mlir", "linalg"),
    Case("ludcmp", "c", "stablehlo"),
    Case("correlation", "c", "linalg"),
    Case("gramschmidt", "mlir", "stablehlo"),
    Case("floyd-warshall", "mlir", "linalg"),
    Case("fdtd-2d", "c", "stablehlo"),
    Case("durbin", "mlir", "stablehlo"),
    Case("symm", "c", "linalg"),
)


@contextmanager
def one_processor() -> Iterator[None]:
    """What is started meanwhile shares one processor, where the system lets a process choose."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def busy(count: int = BUSY) -> Iterator[None]:
    """So many processes that use all the time they get, meanwhile."""
    spinners = [subprocess.Popen([sys.executable, "-c", _SPIN]) for _ in range(count)]
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


def raised(case: Case, *options: str) -> tuple[bytes, bytes]:
    """What the command prints, and what it says, without the seconds that native runs took."""
    command = [
        sys.executable,
        "-m",
        "raising.commands.raise_command",
        case.file,
        "--target",
        case.target,
        "--no-cache",
        *options,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return done.stdout, _SECONDS.sub(b"_ s", done.stderr)


def _timed(case: Case) -> tuple[tuple[bytes, bytes], float]:
    started = time.perf_counter()
    found = raised(case)
    return found, round(time.perf_counter() - started, 2)


def measured(case: Case) -> dict[str, Any]:
    """One case as a row."""
    (text, said), idle = _timed(case)
    with busy():
        (text_busy, said_busy), loaded = _timed(case)
    return {
        "case": case.name,
        "bytes": len(text),
        "sha256": hashlib.sha256(text).hexdigest(),
        "same_module": text == text_busy,
        "same_remarks": said == said_busy,
        "verdict": said.decode(errors="replace").splitlines()[-1].partition("remark: ")[2][:200],
        "seconds": idle,
        "seconds_busy": loaded,
    }


def _recorded() -> dict[str, dict[str, Any]]:
    record = ROOT / "results" / "loaded.json"
    rows = json.loads(record.read_text())["rows"] if record.exists() else []
    return {row["case"]: row for row in rows}


def main(wanted: Sequence[str]) -> int:
    """Compare and write the record, with the rows that it has of other cases; status 1 if any output differs."""
    found = _recorded() if wanted else {}
    for case in (c for c in CASES if not wanted or c.name in wanted):
        row = found[case.name] = measured(case)
        print({k: v for k, v in row.items() if k != "sha256"}, flush=True)
    rows = [found[c.name] for c in CASES if c.name in found]
    same = sum(r["same_module"] and r["same_remarks"] for r in rows)
    summary = {
        "busy_processes": BUSY,
        "outputs": len(rows),
        "same": same,
        "seconds": round(sum(r["seconds"] for r in rows), 1),
        "seconds_busy": round(sum(r["seconds_busy"] for r in rows), 1),
    }
    print(summary)
    print(write("loaded", COMMAND, rows, summary))
    return int(same < len(rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.loaded", description=__doc__)
    parser.add_argument("case", nargs="*", help=f"only these, the rest as recorded: {', '.join(c.name for c in CASES)}")
    given = parser.parse_args().case
    unknown = set(given) - {c.name for c in CASES}
    sys.exit(f"unknown: {', '.join(sorted(unknown))}" if unknown else main(given))
