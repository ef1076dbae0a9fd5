"""A function of one element over a million floats, beside NumPy and Numba.

`python -m tests.bench.elements` times `sin(x) * cos(x) + cos(x) * sin(x)` in float32 on one thread: under
`raising.vectorize`, with and without a rule that halves it, into a new array and with `out=`. Writes
`results/elements.json`: milliseconds, the least of 200 calls.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import vectorize as numba_vectorize

import raising
from tests.bench.record import write

COMMAND = "python -m tests.bench.elements"
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
    write("elements", COMMAND, rows, {"elements": COUNT})
    return int(any(row["error"] > 1e-5 for row in rows))


if __name__ == "__main__":
    sys.exit(main())
