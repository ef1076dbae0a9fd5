"""Functions of whole projects beside gcc's: `python -m tests.bench.c.hot_functions FOLDER ... [--out FILE]`.

Each FOLDER is a source package as Debian unpacks it. `hot_functions.toml` lists, by the package's name, functions that
`raise-cc` replaces: their file, the flags that it needs, and their arguments. The file is built as a shared library by
`gcc -O2` and by `raise-cc gcc -O2`; both are called on the same numbers and have to leave the same results. Written is
the median of each function's time with either, the least and the greatest of the samples, and the ratio of the least
ones, which other work on the machine changes least.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from tests.bench.c.real_sources import package
from tests.bench.record import ROOT, write_to

COMMAND = "python -m tests.bench.c.hot_functions"
LISTED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
LENGTHS = (1_000, 100_000)  # elements: what the first caches hold, and what they do not
SAMPLES, LEAST = 25, 0.004  # samples, and seconds of one


def _values(kind: str, length: int) -> Any:
    """An argument: an array of a NumPy type, or the length itself."""
    if kind == "length":
        return length
    dice = np.random.default_rng(7)
    if kind.startswith("f"):
        return dice.uniform(-1.2, 1.2, length).astype(kind)
    bounds = np.iinfo(kind)
    return dice.integers(bounds.min, bounds.max, length, dtype=kind, endpoint=True)


def _library(command: Sequence[str], folder: Path, listed: dict[str, Any], out: Path) -> Any:
    flags = [f"-I{folder / f[2:]}" if f.startswith("-I") else f for f in listed.get("flags", ())]
    words = [*command, "-O2", *flags, "-fPIC", "-c", str(folder / listed["file"]), "-o", f"{out}.o"]
    subprocess.run(words, check=True, capture_output=True)
    subprocess.run(["gcc", "-shared", "-o", str(out), f"{out}.o", "-lm"], check=True, capture_output=True)
    return ctypes.CDLL(str(out), mode=os.RTLD_LAZY)


def _call(function: Any, values: Sequence[Any]) -> Any:
    """A call of a function, with its arguments made once."""
    kinds = ctypes.c_void_p, ctypes.c_int
    return partial(function, *(kinds[0](v.ctypes.data) if isinstance(v, np.ndarray) else kinds[1](v) for v in values))


def _seconds(functions: Sequence[Any], given: Sequence[Sequence[Any]]) -> list[list[float]]:
    """Samples of the time of one call of each function, in turns, so that other work on the machine meets both."""
    calls = [_call(function, values) for function, values in zip(functions, given, strict=True)]
    times, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < LEAST:
        calls[0]()
        times += 1
    found: list[list[float]] = [[] for _ in calls]
    for _ in range(SAMPLES):
        for call, samples in zip(calls, found, strict=True):
            begun = time.perf_counter()
            for _ in range(times):
                call()
            samples.append((time.perf_counter() - begun) / times)
    return found


def measured(folder: Path, raising: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of one project."""
    listed, rows = LISTED[folder.name.split("-")[0]], []
    with tempfile.TemporaryDirectory() as scratch:
        both = [
            _library(command, folder, listed, Path(scratch) / f"{k}.so")
            for k, command in enumerate((["gcc"], [*raising, "gcc"]))
        ]
        for name, kinds in listed["functions"].items():
            for length in LENGTHS:
                given = [[_values(kind, length) for kind in kinds] for _ in both]
                for library, values in zip(both, given, strict=True):
                    _call(library[name], values)()
                equal = all(np.array_equal(a, b) for a, b in zip(*given, strict=True))
                gcc, ours = _seconds([library[name] for library in both], given)
                row = {"project": package(folder), "function": name, "length": length, "equal": equal}
                row |= {"gcc": _told(gcc), "raise_cc": _told(ours), "gcc_by_ours": round(min(gcc) / min(ours), 2)}
                rows.append(row)
                print(json.dumps(row), flush=True)
    return rows


def _told(seconds: list[float]) -> dict[str, float]:
    return {name: round(1e6 * of(seconds), 3) for name, of in (("median_us", median), ("least", min), ("most", max))}


def main(arguments: list[str]) -> int:
    """Measure and write the record."""
    parser = argparse.ArgumentParser(COMMAND)
    parser.add_argument("folders", nargs="+", metavar="FOLDER", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "hot-functions.json")
    given = parser.parse_args(arguments)
    raising = [sys.executable, "-m", "raising.cc.cc_command"]
    rows = [row for folder in given.folders for row in measured(folder.resolve(), raising)]
    told = f"{COMMAND} {' '.join(folder.name for folder in given.folders)}"
    total = {"functions": len(rows), "equal": sum(row["equal"] for row in rows), "load": round(os.getloadavg()[0], 1)}
    write_to(given.out, told, rows, total)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
