"""Functions of C raised and run at the values of their parameters at which loops are empty, beside gcc's code."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mlir import ir
from numpy.lib.stride_tricks import as_strided

from raising.emit.pure_function import runnable
from raising.frontend.c import COptions, convert
from raising.grammar.dialects.target_dialect import read_target
from raising.pipeline import RaiseOptions, RaiseResult, raise_module
from raising.polybench.suite.values import Value
from raising.validate.native.foreign_call import Compiled
from tests.c.gcc import Library

EDGES = (0, 1, -1, 2, 3, 5)
"""What every integer parameter is, unless a case says otherwise."""


@dataclass(frozen=True)
class Edge:
    """A function `f` of integers, then arrays given by type and shape; `values` of its integers, all if there is none.

    What it `returns` is of a NumPy type.
    """

    text: str
    integers: int
    arrays: tuple[tuple[str, tuple[int, ...]], ...]
    values: tuple[tuple[int, ...], ...] = ()
    returns: str | None = None

    def points(self) -> Sequence[tuple[int, ...]]:
        """The values of the parameters to run at."""
        return self.values or tuple(itertools.product(EDGES, repeat=self.integers))

    def calls(self, seed: int) -> Iterator[list[Value]]:
        """The arguments of one call for each point."""
        rng = np.random.default_rng(seed)
        for point in self.points():
            yield [*(np.int32(p) for p in point), *(_random(rng, kind, shape) for kind, shape in self.arrays)]


def _random(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> Value:
    values = rng.integers(-4, 5, shape)
    return np.where(values == 0, 5, values).astype(kind)  # type: ignore[no-any-return]


def module_of(text: str) -> str:
    """A text in C as affine MLIR."""
    return convert(text, "f.c", COptions()).mlir


def raised(text: str, target: str = "linalg", check: str = "proof") -> RaiseResult:
    """A text in C after raising."""
    return raise_module(module_of(text), file="f.c", options=RaiseOptions(target=target, check=check, cache=False))


def differences(edge: Edge, result: RaiseResult, folder: Path, target: str = "linalg") -> list[str]:
    """Where a raised function does not do what gcc's code does."""
    (path := folder / "f.c").write_text(edge.text)
    library = Library(path, {})
    if "tensor<" in result.text and target != "linalg":
        return list(_on_tensors(edge, result, library, target))
    found = []
    compiled = Compiled(result.text, "f")
    for arguments in edge.calls(1):
        want = library.call("f", arguments, edge.returns)
        got = _in_memory(compiled, arguments, edge)
        for place, (a, b) in enumerate(zip(want, got, strict=True)):
            if not np.array_equal(np.asarray(a), np.asarray(b)):
                found.append(f"{[int(v) for v in arguments[: edge.integers]]}, value {place}: {a!r} in C, {b!r} raised")
    return found


def _in_memory(compiled: Compiled, arguments: Sequence[Value], edge: Edge) -> list[Any]:
    """What a function on memory leaves in copies of the arguments, then what it returns."""
    after = [a.copy() for a in arguments]
    passed = []
    for value, slot in zip(after, compiled.signature.arguments, strict=True):
        shape = slot.shape or ()
        if isinstance(value, np.ndarray) and len(shape) > value.ndim and None not in shape[1:]:
            value = value.reshape(-1, *shape[1:])
        elif isinstance(value, np.ndarray) and len(shape) > value.ndim:  # a line of rows of `m`
            rows, columns = (max(0, int(v)) for v in arguments[:2])
            value = as_strided(value, (rows, columns), (columns * value.itemsize, value.itemsize))
        passed.append(value if isinstance(value, np.ndarray) else value.item())
    results = compiled.call(passed).results
    return [*after, *(results if edge.returns else [])]


def _on_tensors(edge: Edge, result: RaiseResult, library: Library, target: str) -> Iterator[str]:
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        loops = ir.Module.parse(module_of(edge.text))
        source: Any = next(iter(loops.body.operations))
        compiled = Compiled(runnable(result.text, read_target(target), source), "f")
    for arguments in edge.calls(1):
        want = library.call("f", arguments, edge.returns)
        given = [a.copy() if isinstance(a, np.ndarray) else a.item() for a in arguments]
        got = [np.asarray(r) for r in compiled.call(given).results]
        after = [w for a, w in zip(arguments, want, strict=False) if isinstance(a, np.ndarray)]
        after += want[len(arguments) :]
        if len(got) < len(after):  # arrays that are only read are no results
            after = [w for w in after if any(w.shape == g.shape for g in got)][-len(got) :]
        for a, b in zip(after, got, strict=True):
            if not np.array_equal(np.asarray(a), b):
                yield f"{[int(v) for v in arguments[: edge.integers]]}: {a!r} in C, {b!r} on tensors"
