"""PolyBench's kernels, each built by one command with `raise-cc`: `python -m tests.bench.c.cc_kernels [NAME ...]`.

The command is that of a makefile, `raise-cc gcc -O3 -ffast-math -march=native -shared -o K.so K.c`, with the sizes of
`--dataset` as macros; gcc's is the same without `raise-cc`. Both results are judged by runs of gcc that keep the order
of operations. Written are, per kernel, what was replaced, whether the results agree, the processor time of both builds,
and the best time of both functions (with `--times N`; on a machine that does something else they say little).
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from raising.polybench import Kernel, kernels
from raising.polybench.measure.agreement import Reference, reference
from raising.polybench.peers.c_compiler import C_TYPES, CompilerError, build
from raising.polybench.suite.values import Array, Value
from tests.bench.record import ROOT, write_to

COMMAND = "python -m tests.bench.c.cc_kernels"
FLAGS = ("-O3", "-ffast-math", "-march=native")
STRICT = ("-O1", "-ffp-contract=off")


class Built:
    """A kernel in a shared library."""

    def __init__(self, kernel: Kernel, dataset: str, out: Path, command: Sequence[str]) -> None:
        path, *flags = command
        before = os.times()
        build(kernel.path, out, path, flags, kernel.defines(dataset))
        after = os.times()
        self.seconds = round(sum(after[2:4]) - sum(before[2:4]), 2)
        self.kernel, self._call = kernel, getattr(ctypes.CDLL(str(out)), kernel.function)
        self._call.restype = None

    def run(self, values: Mapping[str, Value]) -> dict[str, Array]:
        """The arrays that are the result, for these arguments, which stay as they are."""
        own = {name: value.copy() for name, value in values.items()}
        self.timed(own)
        return {name: np.asarray(own[name]) for name in self.kernel.live_out}

    def timed(self, own: Mapping[str, Value]) -> float:
        """The seconds of a call, which changes its arguments."""
        passed = [
            ctypes.c_void_p(v.ctypes.data) if isinstance(v, np.ndarray) else C_TYPES[str(v.dtype)](v.item())
            for v in own.values()
        ]
        started = time.perf_counter()
        self._call(*passed)
        return time.perf_counter() - started

    def best(self, values: Mapping[str, Value], times: int) -> float:
        """The shortest of several calls, each on arguments of its own."""
        return min(self.timed({name: value.copy() for name, value in values.items()}) for _ in range(times))


def measured(kernel: Kernel, dataset: str, times: int) -> dict[str, Any]:
    """One kernel: a row of the record."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report = folder / "report.json"
        ours = [sys.executable, "-m", "raising.cc.cc_command", "--raise-report", str(report), "--raise-no-cache"]
        strict = Built(kernel, dataset, folder / "strict.so", ["gcc", *STRICT])
        plain = Built(kernel, dataset, folder / "plain.so", ["gcc", *FLAGS])
        try:
            raised = Built(kernel, dataset, folder / "raised.so", [*ours, "--raise-timeout", "280", "gcc", *FLAGS])
        except CompilerError as error:
            return {"kernel": kernel.name, "right": False, "why": str(error)}
        values = kernel.inputs(dataset)
        judged = _reference(strict, values)
        found = [judged.judge(one.run(values)) for one in (plain, raised)]
        row = {
            "kernel": kernel.name,
            **_reported(report),
            "right": found[1].equal,
            "gcc_right": found[0].equal,
            "error": found[1].error,
            "build_seconds": {"gcc": plain.seconds, "raise_cc": raised.seconds},
        }
        if times:
            best = plain.best(values, times), raised.best(values, times)
            row |= {"seconds": {"gcc": best[0], "raise_cc": best[1]}, "speedup": round(best[0] / best[1], 2)}
        return row


def _reference(strict: Built, values: Mapping[str, Value]) -> Reference:
    return reference(strict.run, strict.run, values)


def _reported(report: Path) -> dict[str, Any]:
    file = json.loads(report.read_text().splitlines()[-1])
    functions = [row for row in file.get("functions", []) if row.get("done") == "replaced"]
    left = [row["why"] for row in file.get("functions", []) if row.get("done") == "left" and row.get("why")]
    return {
        "loops": file.get("loops"),
        "replaced": sorted(row.get("part") or row["function"] for row in functions),
        "why": file.get("why") or "; ".join(left),
    }


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The totals of a record."""
    speeds = [row["speedup"] for row in rows if "speedup" in row]
    total = {
        "kernels": len(rows),
        "right": sum(row["right"] for row in rows),
        "with_replacements": sum(bool(row.get("replaced")) for row in rows),
    }
    return total | ({"geometric_mean_speedup": round(float(np.exp(np.mean(np.log(speeds)))), 2)} if speeds else {})


def main(arguments: list[str]) -> int:
    """Build and run the kernels, write the record; 1 if one is wrong."""
    parser = argparse.ArgumentParser(COMMAND)
    parser.add_argument("names", nargs="*", metavar="NAME", help="kernels (default: all)")
    parser.add_argument("--dataset", default="LARGE")
    parser.add_argument("--times", type=int, default=5, metavar="N", help="calls of which the best counts; 0: none")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "cc-kernels.json")
    given = parser.parse_args(arguments)
    rows = []
    for name in given.names or kernels():
        rows.append(measured(kernels()[name], given.dataset, given.times))
        print(json.dumps(rows[-1]), flush=True)
    told = f"{COMMAND} {' '.join([*given.names, '--dataset', given.dataset, '--times', str(given.times)])}"
    write_to(given.out, told, rows, summary(rows))
    print(json.dumps(summary(rows), indent=1))
    return int(not all(row["right"] for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
