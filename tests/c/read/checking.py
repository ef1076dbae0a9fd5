"""C snippets through the front end, run beside gcc."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from raising.frontend.c import COptions, SourceModule, convert
from raising.polybench.suite.values import Value
from tests.c.beside import Beside
from tests.c.gcc import Library


def read(source: str, **options: object) -> SourceModule:
    """The module of a snippet that has nothing outside of the subset."""
    module = convert(source, "k.c", COptions(**options))  # type: ignore[arg-type]
    assert not module.refused, [str(r) for r in module.refused]
    return module


def refusal(source: str) -> str:
    """Why the one function of a snippet stays in C, with its place."""
    (told,) = convert(source, "k.c").refused
    return str(told)


def assert_equal(source: str, function: str, *arguments: Value, returns: str | None = None) -> SourceModule:
    """The function does what gcc's does, bit for bit; what was read."""
    module = read(source, function=function)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.c"
        path.write_text(source)
        library = Library(path, {})
    assert Beside(library, module.mlir, function).difference(arguments, returns) == ""
    return module


def reals(*shape: int, seed: int = 0, dtype: str = "float32") -> np.ndarray:
    """Random numbers of both signs."""
    return np.random.default_rng(seed).uniform(-2, 2, shape).astype(dtype)


def integers(*shape: int, dtype: str, seed: int = 0) -> np.ndarray:
    """Random numbers over the whole range of a type."""
    limits = np.iinfo(dtype)  # type: ignore[arg-type]
    return np.random.default_rng(seed).integers(limits.min, limits.max, shape, dtype, endpoint=True)


def i32(value: int) -> np.int32:
    """An `int`."""
    return np.int32(value)
