"""A function of one element over a million floats, beside NumPy and Numba; and what a call costs.

`python -m tests.bench.native.elements` times `sin(x) * cos(x) + cos(x) * sin(x)` in float32 on one thread: under
`raising.vectorize`, with and without a rule that halves it, into a new array and with `out=`: milliseconds, the least
of 200 calls. Then calls of code with open sizes on eight elements, in microseconds, the least of 20 times 5,000 in a
row; and the seconds of the first call in a process that finds the code on disk, with all that it imports. Writes
`results/elements.json`.
"""

from __future__ import annotations

import subprocess
import sys
import time
import timeit
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import vectorize as numba_vectorize

import raising
from tests.bench.record import ROOT, write

COMMAND = "python -m tests.bench.native.elements"
COUNT, CALLS = 10**6, 200


@raising.rule
def double_angle(x):
    """Twice the product of sine and cosine."""
    return np.sin(x) * np.cos(x) + np.cos(x) * np.sin(x), np.sin(2 * x)


def sines(x):
    """The function."""
    return np.sin(x) * np.cos(x) + np.cos(x) * np.sin(x)


def least(call: Callable[[], Any]) -> float:
    """Milliseconds of the fastest call."""
    call()
    found = []
    for _ in range(CALLS):
        began = time.perf_counter()
        call()
        found.append(time.perf_counter() - began)
    return round(min(found) * 1e3, 4)


@raising.jit
def moved(x):
    """Changes its argument."""
    x[1:] = x[1:] + 1.0


@raising.jit
def added(x):
    """A number."""
    return np.sum(x)


FIRST = """
import time
import numpy as np
from tests.bench.native.elements import added
x = np.ones(8)
start = time.perf_counter()
added(x)
print(time.perf_counter() - start)
"""


def calls() -> list[dict[str, Any]]:
    """What a call costs, and the first one of another process."""
    rows, x = [], np.ones(8)
    for function in (moved, added):
        function(x)
        times = timeit.repeat(partial(function, x), number=5000, repeat=20)
        rows.append({"what": f"call of {function.__name__}", "microseconds": round(min(times) / 5000 * 1e6, 2)})
    told = [
        subprocess.run([sys.executable, "-c", FIRST], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for _ in range(5)
    ]
    rows.append({"what": "first call of another process", "seconds": round(min(map(float, told)), 3)})
    print(*rows, sep="\n")
    return rows


def main() -> int:
    """1 if a result is wrong."""
    x = np.random.default_rng(0).uniform(-10, 10, COUNT).astype(np.float32)
    out = np.empty_like(x)
    made = {
        "raising.vectorize": raising.vectorize("float32(float32)")(sines),
        "raising.vectorize with a rule": raising.vectorize("float32(float32)", rules=double_angle)(sines),
        "numba.vectorize": numba_vectorize("float32(float32)")(sines),
        "NumPy": sines,
    }
    rows, wanted = [], np.sin(2 * x.astype(np.float64))
    for name, function in made.items():
        error = float(np.max(np.abs(function(x) - wanted)))
        filled = None if name == "NumPy" else least(lambda f=function: f(x, out=out))
        rows.append({"what": name, "new array": least(lambda f=function: f(x)), "out": filled, "error": error})
        print(rows[-1], flush=True)
    write("elements", COMMAND, [*rows, *calls()], {"elements": COUNT})
    return int(any(row["error"] > 1e-5 for row in rows))


if __name__ == "__main__":
    sys.exit(main())
