"""The C compilers of this machine: which there are, how they are called, and a C function as a Python call."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from raising.polybench.suite.values import Value

TIMEOUT = 300.0
C_TYPES = {
    "float64": ctypes.c_double,
    "float32": ctypes.c_float,
    "bool": ctypes.c_bool,
    **{f"int{n}": getattr(ctypes, f"c_int{n}") for n in (8, 16, 32, 64)},
    **{f"uint{n}": getattr(ctypes, f"c_uint{n}") for n in (8, 16, 32, 64)},
}
"""The type in ctypes of each NumPy type."""


class CompilerError(Exception):
    """A compiler that is not here, or refuses the source; the message is one line."""


@cache
def compiler(family: str) -> str:
    """The path of `gcc` or `clang`, the newest if several versions are installed; CompilerError if none is."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    named = [p for folder in folders if Path(folder).is_dir() for p in Path(folder).glob(f"{family}-*")]
    versions = {int(m[1]): str(p) for p in named if (m := re.fullmatch(rf"{family}-(\d+)", p.name))}
    newest = versions[max(versions)] if versions else None
    path = shutil.which(family) if family == "gcc" else newest or shutil.which(family)
    if path is None:
        raise CompilerError(f"{family} is not installed")
    return path


@cache
def version(path: str) -> str:
    """The first line that the compiler says of itself."""
    out = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, timeout=TIMEOUT).stdout
    return out.splitlines()[0].strip() if out else "unknown version"


def build(source: Path, out: Path, path: str, flags: Sequence[str], defines: Mapping[str, str]) -> Path:
    """Compile a C file to the shared object `out`; CompilerError if the compiler refuses it."""
    macros = [f"-D{name}={value}" for name, value in defines.items()]
    command = [path, *flags, "-std=gnu11", "-w", "-fPIC", "-shared", *macros, "-o", str(out), str(source), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        raise CompilerError(f"{Path(path).name}: {lines[0]}")
    return out


def function(library: Path, name: str) -> Callable[..., object]:
    """The function of a shared object, called on NumPy values, which it changes in place."""
    loaded: Any = getattr(ctypes.CDLL(str(library)), name)
    loaded.restype = None

    def call(*arguments: Value) -> None:
        loaded(*(_passed(value) for value in arguments))

    return call


def compiled(
    source: Path, name: str, path: str, flags: Sequence[str], defines: Mapping[str, str]
) -> Callable[..., object]:
    """The C function, compiled and loaded."""
    with tempfile.TemporaryDirectory() as folder:
        return function(build(source, Path(folder) / "kernel.so", path, flags, defines), name)


def _passed(value: Value) -> Any:
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    return C_TYPES[str(value.dtype)](value.item())
