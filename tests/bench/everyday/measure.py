"""Everyday functions, raised and compiled by us and by C compilers: same results, and times of calls in turns.

Calls are repeated and timed in C (a call from Python takes longer than many a function at its small size), by the
processor time of the thread, which others on the machine disturb less.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from raising.support.record import dataclass
from tests.bench.everyday.functions import Function

_KINDS = {
    "float": (np.float32, ctypes.c_float), "double": (np.float64, ctypes.c_double), "int": (np.int32, ctypes.c_int),
    "short": (np.int16, ctypes.c_short), "signed char": (np.int8, ctypes.c_byte),
    "unsigned char": (np.uint8, ctypes.c_ubyte),
}  # fmt: skip
_FLAGS = ("-O3", "-march=native", "-ffast-math", "-shared", "-fPIC")
_BATCH = 200e-6
"""Seconds of a sample, at least: as many calls as that takes."""


_CLOCK = """
#include <time.h>
static double now(void)
{ struct timespec t; clock_gettime(CLOCK, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
"""


def clock(name: str) -> str:
    """In C: the seconds of a clock of the system's."""
    return _CLOCK.replace("CLOCK,", f"{name},")


@dataclass(frozen=True)
class Times:
    """Seconds of a call, `ours` and of each C compiler: samples, taken in turns."""

    ours: list[float]
    others: dict[str, list[float]]

    @property
    def ratio(self) -> float:
        """How many times as fast as the better of them, the median over turns."""
        return min(median(b / a for a, b in zip(self.ours, each, strict=True)) for each in self.others.values())

    @property
    def microseconds(self) -> dict[str, float]:
        """Of a call, the medians."""
        return {name: round(median(each) * 1e6, 3) for name, each in {"ours": self.ours, **self.others}.items()}


def build(functions: Sequence[Function], folder: Path, fp: str) -> dict[str, ctypes.CDLL]:
    """Libraries of all functions: `ours`, and those of the C compilers that are there."""
    head = "#include <math.h>\n"
    source = folder / "all.c"
    source.write_text(head + "\n".join(each.text for each in functions))
    found = {}
    for compiler in filter(shutil.which, ("gcc", "clang")):
        run([compiler, *_FLAGS, str(source), "-o", str(folder / f"{compiler}.so"), "-lm"])
        found[compiler] = ctypes.CDLL(str(folder / f"{compiler}.so"))
    calling = folder / "repeat.c"
    calling.write_text(clock("CLOCK_THREAD_CPUTIME_ID") + "".join(map(repeated, functions)))
    run(["gcc", "-O2", "-shared", "-fPIC", str(calling), "-o", str(folder / "repeat.so")])
    raised = run([sys.executable, "-m", "raising.commands.raise_command", str(source)])
    (folder / "all.mlir").write_text(raised)
    command = [sys.executable, "-m", "raising.commands.compile_command", "--fp", fp, str(folder / "all.mlir")]
    run([*command, "-o", str(folder / "ours.so")])
    return {"repeat": ctypes.CDLL(str(folder / "repeat.so")), "ours": ctypes.CDLL(str(folder / "ours.so")), **found}


def repeated(function: Function) -> str:
    """In C: the seconds that so many calls of a function take."""
    kinds = ["void *" if name in function.lengths else "int " for name, _ in _parameters(function)]
    names = [f"p{k}" for k in range(len(kinds))]
    declared = ", ".join(map("".join, zip(kinds, names, strict=True)))
    return (
        f"double repeat_{function.name}({function.result} (*f)({', '.join(kinds)}), long count, {declared})\n"
        f"{{ double start = now(); while (count--) f({', '.join(names)}); return now() - start; }}\n"
    )


def run(command: Sequence[str]) -> str:
    """What a command says; it ends the program if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return done.stdout


def measure(function: Function, sizes: dict[str, int], libraries: dict[str, ctypes.CDLL], samples: int) -> Times:
    """Times of one function; AssertionError if results differ."""
    called = calls(function, sizes, libraries)
    taken: dict[str, list[float]] = {name: [] for name in called}
    count = {name: _enough(call) for name, call in called.items()}
    for _ in range(samples):
        for name, call in called.items():
            taken[name].append(call.seconds(count[name]))
    return Times(taken.pop("ours"), taken)


def calls(function: Function, sizes: dict[str, int], libraries: dict[str, ctypes.CDLL]) -> dict[str, _Call]:
    """A call of each library on the same arrays; AssertionError if results differ."""
    arrays = _arrays(function, sizes)
    repeat = libraries["repeat"][f"repeat_{function.name}"]
    found = {n: _Call(function, sizes, each, repeat, arrays) for n, each in libraries.items() if n != "repeat"}
    results = {name: call.once() for name, call in found.items()}
    for name, found_ in results.items():
        for ours, other in zip(results["ours"], found_, strict=True):
            _same(ours, other, f"{function.name} {sizes} {name}")
    return found


def _enough(call: _Call) -> int:
    """How many calls a sample takes: a few alone would tell how cold they were, and how long the clock takes."""
    count = 1
    while call.seconds(count) * count < _BATCH:
        count *= 2
    return count


def _same(ours: Any, other: Any, what: str) -> None:
    if ours.dtype.kind == "f":
        scale = float(np.max(np.abs(other), initial=1.0))
        assert np.allclose(ours, other, rtol=1e-3, atol=1e-5 * scale), what
    else:
        assert np.array_equal(ours, other), what


def _parameters(function: Function) -> list[tuple[str, str]]:
    head = function.text.split("{", 1)[0]
    return [_declared(each) for each in head[head.index("(") + 1 :].rsplit(")", 1)[0].split(",")]


def _arrays(function: Function, sizes: dict[str, int]) -> dict[str, Any]:
    """Random arrays: the same for all, because it matters how pages lie in memory."""
    rng = np.random.default_rng(0)
    return {
        name: _random(rng, eval(function.lengths[name], {}, dict(sizes)), _KINDS[kind][0])  # noqa: S307 - our own text
        for name, kind in _parameters(function)
        if name in function.lengths
    }


class _Call:
    """A call on these arrays."""

    def __init__(
        self, function: Function, sizes: dict[str, int], library: ctypes.CDLL, repeat: Any, arrays: dict[str, Any]
    ) -> None:
        self.arrays = list(arrays.values())
        self.arguments = [
            ctypes.c_void_p(arrays[name].ctypes.data) if name in arrays else ctypes.c_int(sizes[name])
            for name, _ in _parameters(function)
        ]
        self.function = getattr(library, function.name)
        self.function.restype = None if function.result == "void" else _KINDS[function.result][1]
        self.repeat = repeat
        self.repeat.restype = ctypes.c_double

    def once(self) -> list[Any]:
        """What the arrays hold after a call, and what it returned; the arrays are as before."""
        before = [array.copy() for array in self.arrays]
        value = self.function(*self.arguments)
        found = [array.copy() for array in self.arrays]
        for array, old in zip(self.arrays, before, strict=True):
            array[...] = old
        return [*found, *([] if value is None else [np.array(value)])]

    def seconds(self, count: int) -> float:
        """Of a call, from so many."""
        return float(self.repeat(self.function, ctypes.c_long(count), *self.arguments)) / count


def _declared(text: str) -> tuple[str, str]:
    words = re.findall(r"\w+", re.sub(r"\[.*", "", text))
    kept = [word for word in words if word not in ("const", "restrict")]
    return kept[-1], " ".join(kept[:-1])


def _random(rng: Any, length: int, kind: Any) -> Any:
    if np.dtype(kind).kind == "f":
        return rng.standard_normal(length).astype(kind)
    limits = np.iinfo(kind)
    return rng.integers(limits.min, limits.max, length, dtype=kind, endpoint=True)
