"""What a call from Python costs: `python -m tests.bench.native.call_times` writes `results/call-times.json`.

Functions that do next to nothing are called on arrays of eight elements, beside what does the same in NumPy. Each is
called in turns with the other, and the median of the samples counts; a sample has so many calls that a millisecond
passes.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import raising
from tests.bench.record import write


def scaled(x: Any, y: Any) -> Any:
    """A new array."""
    return x + 2.0 * y


def by_number(x: Any, f: Any) -> Any:
    """A new array, and a number."""
    return x * f


def dot(x: Any, y: Any) -> Any:
    """A number."""
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * y[i]
    return s


def added(x: Any, y: Any) -> None:
    """In place."""
    for i in range(x.shape[0]):
        y[i] += x[i]


def inverted(x: Any) -> Any:
    """Bytes."""
    return 255 - x


def product(a: Any, b: Any) -> Any:
    """A product of matrices."""
    return a @ b


def chosen(a: float, b: float) -> float:
    """Element by element."""
    return a * b + 1.0 if a > b else a - b


X, M = np.arange(8.0), np.arange(16.0).reshape(4, 4)
CASES: list[tuple[str, Callable[..., Any], Callable[..., Any], tuple[Any, ...]]] = [
    ("jit, a new array", raising.jit(scaled), scaled, (X, X)),
    ("jit, a number of NumPy's", raising.jit(by_number), by_number, (X, np.float64(3))),
    ("jit, a number returned", raising.jit(dot), np.dot, (X, X)),
    ("jit, in place", raising.jit(added), lambda x, y: np.add(x, y, out=y), (X, X.copy())),
    ("jit, bytes", raising.jit(inverted), inverted, (X.astype(np.uint8),)),
    ("jit, complex numbers", raising.jit(scaled), scaled, (X + 1j, X + 1j)),
    ("jit, matrices", raising.jit(product), product, (M, M)),
    ("vectorize", raising.vectorize(chosen), np.hypot, (X, X)),
]  # fmt: skip
_SAMPLE = 1e-3


def _times(calls: dict[str, Callable[..., Any]], arguments: tuple[Any, ...], samples: int) -> dict[str, float]:
    """Microseconds of each call."""
    once = {name: min(_once(call, arguments, 10) for _ in range(5)) for name, call in calls.items()}
    repeat = {name: max(1, round(_SAMPLE / each)) for name, each in once.items()}
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(samples):
        for name, call in calls.items():
            found[name].append(_once(call, arguments, repeat[name]))
    return {name: round(statistics.median(each) * 1e6, 3) for name, each in found.items()}


def _once(call: Callable[..., Any], arguments: tuple[Any, ...], repeat: int) -> float:
    started = time.perf_counter()
    for _ in range(repeat):
        call(*arguments)
    return (time.perf_counter() - started) / repeat


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    samples = parser.parse_args().samples
    rows = []
    for name, compiled, plain, arguments in CASES:
        compiled(*arguments)
        times = _times({"raise": compiled, "numpy": plain}, arguments, samples)
        rows.append({"call": name, "microseconds": times, "ratio": round(times["numpy"] / times["raise"], 2)})
        print(f"{name:28} {times}", flush=True)
    print(write("call-times", "python -m tests.bench.native.call_times", rows, {"slowest": max(
        row["microseconds"]["raise"] for row in rows)}))  # type: ignore[index]  # fmt: skip


if __name__ == "__main__":
    main()
