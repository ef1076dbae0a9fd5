"""Everyday functions, raised and compiled by us and by C compilers: same results, and times of calls in turns."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
import time
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


@dataclass(frozen=True)
class Times:
    """Seconds of a call, the median; `ours`, and of each C compiler."""

    ours: float
    others: dict[str, float]

    @property
    def ratio(self) -> float:
        """How many times as fast as the better of them."""
        return min(self.others.values()) / self.ours


def build(functions: Sequence[Function], folder: Path, fp: str) -> dict[str, ctypes.CDLL]:
    """Libraries of all functions: `ours`, and those of the C compilers that are there."""
    head = "#include <math.h>\n"
    source = folder / "all.c"
    source.write_text(head + "\n".join(each.text for each in functions))
    found = {}
    for compiler in filter(shutil.which, ("gcc", "clang")):
        _run([compiler, *_FLAGS, str(source), "-o", str(folder / f"{compiler}.so"), "-lm"])
        found[compiler] = ctypes.CDLL(str(folder / f"{compiler}.so"))
    raised = _run([sys.executable, "-m", "raising.commands.raise_command", str(source)])
    (folder / "all.mlir").write_text(raised)
    command = [sys.executable, "-m", "raising.commands.compile_command", "--fp", fp, str(folder / "all.mlir")]
    _run([*command, "-o", str(folder / "ours.so")])
    return {"ours": ctypes.CDLL(str(folder / "ours.so")), **found}


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return done.stdout


def measure(function: Function, sizes: dict[str, int], libraries: dict[str, ctypes.CDLL], samples: int) -> Times:
    """Times of one function; AssertionError if results differ."""
    arrays = _arrays(function, sizes)
    calls = {name: _Call(function, sizes, library, arrays) for name, library in libraries.items()}
    results = {name: call.once() for name, call in calls.items()}
    for name, found_ in results.items():
        for ours, other in zip(results["ours"], found_, strict=True):
            _same(ours, other, f"{function.name} {sizes} {name}")
    taken: dict[str, list[float]] = {name: [] for name in calls}
    count = {name: max(1, int(_BATCH / call.seconds(1))) for name, call in calls.items()}
    for _ in range(samples):
        for name, call in calls.items():
            taken[name].append(call.seconds(count[name]))
    found = {name: median(each) for name, each in taken.items()}
    return Times(found.pop("ours"), found)


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

    def __init__(self, function: Function, sizes: dict[str, int], library: ctypes.CDLL, arrays: dict[str, Any]) -> None:
        result = function.text.split("(", 1)[0].rsplit(" ", 1)[0].strip()
        self.arrays = list(arrays.values())
        self.arguments = [
            ctypes.c_void_p(arrays[name].ctypes.data) if name in arrays else ctypes.c_int(sizes[name])
            for name, _ in _parameters(function)
        ]
        self.function = getattr(library, function.name)
        self.function.restype = None if result == "void" else _KINDS[result][1]

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
        start = time.perf_counter()
        for _ in range(count):
            self.function(*self.arguments)
        return (time.perf_counter() - start) / count


def _declared(text: str) -> tuple[str, str]:
    words = re.findall(r"\w+", re.sub(r"\[.*", "", text))
    kept = [word for word in words if word not in ("const", "restrict")]
    return kept[-1], " ".join(kept[:-1])


def _random(rng: Any, length: int, kind: Any) -> Any:
    if np.dtype(kind).kind == "f":
        return rng.standard_normal(length).astype(kind)
    limits = np.iinfo(kind)
    return rng.integers(limits.min, limits.max, length, dtype=kind, endpoint=True)
