"""A C function beside the MLIR that was made of it: both compiled, both called on the same values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from raising.commands.compile_command import main as raise_compile
from raising.emit.versioning import guarded
from raising.frontend.c import COptions, convert
from raising.polybench.suite.values import Value
from raising.support.element_types import NUMPY
from raising.validate.native.argument_types import Slot
from raising.validate.native.foreign_call import Compiled
from tests.c.gcc import Library


def guarded_and_gcc(
    source: str, folder: Path, change: Callable[[str], str] = lambda text: text
) -> tuple[Library, Library]:
    """The functions of a C file as they are read, changed and compiled with their tests at run time, and gcc's."""
    (folder / "k.c").write_text(source)
    read = convert(source, "k.c", COptions(guard=True))
    assert not read.refused
    (folder / "k.mlir").write_text(guarded(change(read.mlir), read.guards))
    assert raise_compile([str(folder / "k.mlir"), "-o", str(folder / "k.so")]) == 0
    return Library.loaded(folder / "k.so"), Library(folder / "k.c", {})


class Beside:
    """One function, as gcc and as MLIR's execution engine have compiled it."""

    def __init__(self, library: Library, text: str, function: str) -> None:
        self._library = library
        self._compiled = Compiled(text, function)
        self._function = function

    def difference(self, arguments: Sequence[Value], returns: str | None = None) -> str:
        """Where the two differ in any bit after a call on these arguments; empty if nowhere."""
        want = self._library.call(self._function, arguments, returns)
        got = self.run(arguments, returns)
        for place, (a, b) in enumerate(zip(want, got, strict=True)):
            if np.asarray(a).tobytes() != np.asarray(b).tobytes():
                return f"value {place}: {_first(np.asarray(a), np.asarray(b))}"
        return ""

    def run(self, arguments: Sequence[Value], returns: str | None = None) -> list[Value]:
        """What the MLIR leaves in copies of the arguments, then what it returns."""
        slots = self._compiled.signature.arguments
        if len(slots) != len(arguments):
            raise ValueError(f"{len(slots)} parameters in MLIR, {len(arguments)} in C")
        after = [value.copy() for value in arguments]
        called = self._compiled.call([_passed(v, slot) for v, slot in zip(after, slots, strict=True)])
        results = [] if returns is None else [_as(called.results[0], returns)]
        return [*after, *results]


def _passed(value: Value, slot: Slot) -> np.ndarray | float | int | bool:
    """The value as the parameter takes it: memory in its shape, numbers without sign as those with."""
    if not isinstance(value, np.ndarray):
        scalar: float | int | bool = value.item()
        return scalar
    signless = value.view(f"int{8 * value.itemsize}") if value.dtype.kind == "u" else value
    if signless.dtype != NUMPY[slot.element]:
        raise ValueError(f"memory of {slot.element} for {value.dtype}")
    return signless.reshape(_shape(slot.shape, value))


def _shape(wanted: tuple[int | None, ...] | None, value: np.ndarray) -> tuple[int, ...]:
    """The shape of the memref: the value's own if it fits, else the one open extent from the others."""
    if wanted is None:
        raise ValueError("memory where MLIR has a number")
    fits = len(wanted) == value.ndim and all(w in (None, n) for w, n in zip(wanted, value.shape, strict=True))
    if fits:
        return value.shape
    if wanted.count(None) > 1:
        raise ValueError(f"shape {value.shape} for a memref of {wanted}")
    return tuple(-1 if extent is None else extent for extent in wanted)


def _as(value: object, kind: str) -> np.generic:
    """A returned number in the type that C gives it."""
    return np.asarray(value).astype(kind)[()]  # type: ignore[no-any-return]


def _first(a: np.ndarray, b: np.ndarray) -> str:
    """The first place at which two arrays are not the same bits."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{a.dtype}{a.shape} in C, {b.dtype}{b.shape} in MLIR"
    bits = np.dtype(f"uint{8 * a.itemsize}")
    where = tuple(
        int(k) for k in np.argwhere(np.atleast_1d(a.copy()).view(bits) != np.atleast_1d(b.copy()).view(bits))[0]
    )
    return f"at {list(where)} {np.atleast_1d(a)[where]!r} in C, {np.atleast_1d(b)[where]!r} in MLIR"
