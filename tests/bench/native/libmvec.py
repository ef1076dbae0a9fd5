"""Functions of vectors against libmvec: `python -m tests.bench.native.libmvec` writes `results/vector-math.json`.

The peer is a loop in C that gcc -O3 -ffast-math vectorises with calls of libmvec (with AVX-512 where there is
one). Both are shared libraries, called in turns in one process; what is compared is the fastest and the median
of all samples. `--cpu-time` counts the time of the thread alone, for a machine that has other things to do.
Errors are in units in the last place, over dense samples of the range, against references in higher precision.
"""

from __future__ import annotations

import argparse
import ctypes
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np

from tests.native.vector_math.functions import CASES, DTYPES, Case, arguments, errors, text

FLAGS = ["-O3", "-ffast-math", "-mprefer-vector-width=512", "-fPIC"]
SIZES = (1_000_000, 10_000)
_Call = Callable[[], object]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="how long each function is sampled at each size")
    parser.add_argument("--cpu", default="native", help="what both are made for")
    parser.add_argument("--only", nargs="*", help="names of functions")
    parser.add_argument("--cpu-time", action="store_true")
    options = parser.parse_args()
    clock = time.thread_time if options.cpu_time else time.perf_counter
    cases = [case for case in CASES if not options.only or case.name in options.only]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs, calls = _ours(Path(folder), cases, options.cpu), *_theirs(Path(folder), cases, options.cpu)
        for element in DTYPES:
            for case in cases:
                rows += [_row(case, element, (ours, theirs, calls), size, (options.seconds, clock)) for size in SIZES]
    _report(rows, options)


def _report(rows: list[dict[str, Any]], options: argparse.Namespace) -> None:
    from tests.bench.record import write

    groups: dict[str, list[float]] = {}
    for row in rows:
        if row["libmvec"]:
            groups.setdefault(f"{row['element']} {row['size']}", []).append(row["time_ratio"])
    summary = {key: round(exp(sum(map(log, each)) / len(each)), 3) for key, each in groups.items()}
    if not options.only:
        name = "vector-math" if options.cpu == "native" else f"vector-math-{options.cpu}"
        print(write(name, f"python -m tests.bench.native.libmvec --cpu {options.cpu}", rows, summary))
    print(*(f"{key}: {value}" for key, value in summary.items()), sep="\n")


def _ours(folder: Path, cases: list[Case], cpu: str) -> ctypes.CDLL:
    """Our functions as a shared library."""
    from raising.native.base.compile_options import CompileOptions
    from raising.native.codegen.objects import shared_library
    from raising.native.compile import build

    module = "\n".join(text(case, element) for element in DTYPES for case in cases)
    path = folder / "ours.so"
    path.write_bytes(shared_library(build(module.encode(), "-", CompileOptions(cpu=cpu)).code.object))
    return ctypes.CDLL(str(path))


def _theirs(folder: Path, cases: list[Case], cpu: str) -> tuple[ctypes.CDLL, dict[str, str | None]]:
    """The loops in C as a shared library, and what of libmvec each of them calls."""
    source, path = folder / "theirs.c", folder / "theirs.so"
    loops = [_loop(case, element) for element in DTYPES for case in cases]
    source.write_text("#include <math.h>\n" + "\n".join(loops))
    flags = [*FLAGS, f"-march={cpu}"]
    subprocess.run(["gcc", *flags, "-S", str(source), "-o", str(folder / "theirs.s")], check=True)
    # Not linked with -ffast-math: that would have the whole process flush small numbers to zero.
    subprocess.run(["gcc", *flags, "-c", str(source), "-o", str(folder / "theirs.o")], check=True)
    link = ["gcc", "-shared", str(folder / "theirs.o"), "-o", str(path), "-lmvec", "-lm"]
    subprocess.run(link, check=True)
    found: dict[str, str | None] = {}
    for name, body in re.findall(r"^(of_\w+):\n(.*?)\.size", (folder / "theirs.s").read_text(), re.M | re.S):
        vector = re.search(r"_ZGV\w+", body)
        found[name] = vector[0] if vector else None
    return ctypes.CDLL(str(path)), found


def _loop(case: Case, element: str) -> str:
    kind = "float" if element == "f32" else "double"
    value = case.c.replace("F(", "f(") if element == "f32" else case.c.replace("F(", "(").replace("f)", ")")
    pointers = ", ".join(f"{'' if name == 'y' else 'const '}{kind} *restrict {name}" for name in (*case.inputs, "y"))
    head = f"void of_{case.name}_{element}({pointers}, long n)"
    return f"{head} {{ for (long i = 0; i < n; ++i) y[i] = {value}; }}"


def _row(case: Case, element: str, code: Any, size: int, how: tuple[float, Callable[[], float]]) -> dict[str, Any]:
    ours, theirs, calls = code
    name = f"of_{case.name}_{element}"
    inputs = arguments(case, element, size)
    results = [np.empty_like(inputs[0]) for _ in range(2)]
    mine = _call(ours, name, [*inputs, results[0]], size, each=True)
    other = _call(theirs, name, [*inputs, results[1]], size, each=False)
    best, middle = _sample([mine, other], *how)
    own, peer = (errors(case, inputs, result) for result in results)
    row = {
        "function": case.name,
        "element": element,
        "size": size,
        "ns": round(best[0] / size * 1e9, 3),
        "peer_ns": round(best[1] / size * 1e9, 3),
        "time_ratio": round(best[0] / best[1], 3),
        "median_time_ratio": round(middle[0] / middle[1], 3),
        "ulp": round(own, 2),
        "peer_ulp": round(peer, 2),
        "libmvec": calls.get(name),
    }
    print(*row.values(), flush=True)
    return row


def _call(library: ctypes.CDLL, name: str, arrays: list[Any], size: int, *, each: bool) -> _Call:
    """A call that passes every array, and the size once or behind each."""
    values: list[Any] = []
    for array in arrays:
        values.append(ctypes.c_void_p(array.ctypes.data))
        values += [ctypes.c_int64(size)] if each else []
    values += [] if each else [ctypes.c_int64(size)]
    function = getattr(library, name)
    function.restype = None
    return lambda: function(*values)


def _sample(calls: list[_Call], seconds: float, clock: Callable[[], float]) -> tuple[list[float], list[float]]:
    """The least and the median seconds that a call of each took."""
    taken: list[list[float]] = [[] for _ in calls]
    repeat = [max(1, round(2e-4 / max(_once(call, 3, clock), 1e-7))) for call in calls]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for place, call in enumerate(calls):
            taken[place].append(_once(call, repeat[place], clock))
    return [min(each) for each in taken], [statistics.median(each) for each in taken]


def _once(call: _Call, repeat: int, clock: Callable[[], float]) -> float:
    started = clock()
    for _ in range(repeat):
        call()
    return (clock() - started) / repeat


if __name__ == "__main__":
    main()
