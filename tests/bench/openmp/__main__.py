"""`python -m tests.bench.openmp [--threads 2] [-o results/everyday-openmp.json]`: ours beside OpenMP by hand.

`by_hand.c` is compiled by gcc with its pragmas (`parallel for`, `simd`, reductions), and raised and compiled by us
without them. Each sample is time on the clock, and begins when the threads of the other have come to rest, with a call
that does not count.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
import tempfile
from math import exp, log
from pathlib import Path
from statistics import median
from typing import Any

from raising.polybench.peers.timing import settle
from tests.bench.everyday import measure
from tests.bench.everyday.functions import Function, read
from tests.bench.record import write_to

SOURCE = Path(__file__).parent / "by_hand.c"
FLAGS = ("-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC")
BATCH = 2e-3
"""Seconds of a sample, at least."""


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("-o", type=Path, help="where to write the figures")
    options = parser.parse_args()
    if os.environ.get("OMP_NUM_THREADS") != str(options.threads):
        os.environ["OMP_NUM_THREADS"] = str(options.threads)
        os.execv(sys.executable, [sys.executable, "-m", "tests.bench.openmp", *sys.argv[1:]])
    chosen = [each for each in read(SOURCE) if not options.only or each.name in options.only]
    with tempfile.TemporaryDirectory() as folder:
        libraries = build(chosen, Path(folder), options.threads)
        rows = [row(each, size, libraries, options.samples) for each in chosen for size in (0, 1)]
    mean = exp(sum(log(each["ratio"]) for each in rows) / len(rows))
    slower = sum(each["ratio"] < 0.97 for each in rows)
    print(f"{len(chosen)} functions, geometric mean {mean:.2f}, slower by more than 3 %: {slower} of {len(rows)}")
    if options.o:
        command = f"python -m tests.bench.openmp --threads {options.threads} -o {options.o}"
        write_to(options.o, command, rows, {"geometric_mean": round(mean, 2), "slower": slower, "of": len(rows)})


def build(functions: list[Function], folder: Path, threads: int) -> dict[str, ctypes.CDLL]:
    """The libraries: `ours`, `openmp`, and `repeat`, which calls the others."""
    plain, hand, repeat = (folder / name for name in ("plain.c", "hand.c", "repeat.c"))
    hand.write_text("#include <math.h>\n" + "\n".join(each.text for each in functions))
    lines = hand.read_text().splitlines(keepends=True)
    plain.write_text("".join(line for line in lines if not line.startswith("#pragma")))
    repeat.write_text(measure.clock("CLOCK_MONOTONIC") + "".join(map(measure.repeated, functions)))
    measure.run(["gcc", *FLAGS, str(hand), "-o", str(folder / "openmp.so"), "-lm"])
    measure.run(["gcc", "-O2", "-shared", "-fPIC", str(repeat), "-o", str(folder / "repeat.so")])
    command = [sys.executable, "-m", "raising.commands.compile_command", str(plain), "-o", str(folder / "ours.so")]
    measure.run([*command, "--threads", str(threads), "--fp", "fast"])
    return {name: ctypes.CDLL(str(folder / f"{name}.so")) for name in ("repeat", "ours", "openmp")}


def row(function: Function, size: int, libraries: dict[str, ctypes.CDLL], samples: int) -> dict[str, Any]:
    """The times of one function at one of its sizes; AssertionError if results differ."""
    calls = measure.calls(function, function.sizes[size], libraries)
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(samples):
        for name, call in calls.items():
            settle()
            once = max(1e-8, min(call.seconds(1) for _ in range(3)))
            taken[name].append(call.seconds(max(1, round(BATCH / once))))
    ratio = median(b / a for a, b in zip(taken["ours"], taken["openmp"], strict=True))
    micro = {name: round(median(each) * 1e6, 2) for name, each in taken.items()}
    sizes = function.sizes[size]
    print(f"{ratio:6.2f}  {function.name:15} {sizes} {micro}", flush=True)
    return {"function": function.name, "sizes": sizes, "microseconds": micro, "ratio": round(ratio, 2)}


if __name__ == "__main__":
    main()
