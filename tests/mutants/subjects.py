"""What is mutated: the kernels, each beside itself and beside what it was raised to, and the C corpus."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from raising.frontend.c import SourceModule
from raising.frontend.mlir.reader import InputError
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.unreadable import Unreadable
from raising.validate.reading.pair import Pair, generalised, read_pair
from tests.c.corpus import FILES
from tests.c.reading import read
from tests.mutants.hidden import FAR
from tests.mutants.hidden import functions as hidden_functions

_SEEDS = 10
KERNELS = Path(__file__).parent.parent / "kernels"


def tasks() -> list[tuple[str, str]]:
    """Every (program, form): the kernels beside themselves and raised, also far out, the C functions that can be read,
    and functions of distances with changes on the borders of their regions.
    """
    kernels = [path.stem for path in sorted(KERNELS.glob("*.mlir"))]
    functions = [f"{path.stem}:{name}" for path in FILES for name in _readable(path)]
    forms = ("linalg", "stablehlo", "loops")
    late = [f"{form}+{start}" for form in ("linalg", "loops") for start in FAR]
    found = [(name, form) for form in (*forms, *late) for name in kernels] + [(name, "c") for name in functions]
    return found + [(name, f"border {seed}") for name in hidden_functions() for seed in range(_SEEDS)]


def _readable(path: Path) -> list[str]:
    return [f.name for f in _converted(path).functions]


@cache
def _converted(path: Path) -> SourceModule:
    return read(path, {"REAL": "double"})


def subject(name: str, form: str) -> Pair | None:
    """A program beside itself (`loops`, `c`) or beside what it is raised to for a target; None if that is nothing.

    What follows a `+` in a form does not matter here.
    """
    form, _, _ = form.partition("+")
    try:
        if form.startswith("border"):
            return hidden_functions()[name]
        if form == "c":
            file, _, function = name.partition(":")
            text = _converted(next(p for p in FILES if p.stem == file)).mlir
            return generalised(read_pair(text, text, (function, function)))
        text = (KERNELS / f"{name}.mlir").read_text()
        if form == "loops":
            return generalised(read_pair(text, text))
        raised = raised_text(name, form)
        return generalised(read_pair(text, raised)) if raised else None
    except (Unreadable, InputError):
        return None


@cache
def raised_text(name: str, target: str) -> str:
    """What a kernel is raised to; empty if nothing of it is."""
    text = (KERNELS / f"{name}.mlir").read_text()
    result = raise_module(text, options=RaiseOptions(target=target, check="none", timeout=60))
    return result.text if any(f.changed for f in result.functions) else ""


def subjects(form: str, kernels: tuple[str, ...]) -> Iterator[tuple[str, Pair]]:
    """The pairs that there are of some kernels."""
    for kernel in kernels:
        pair = subject(kernel, form)
        if pair is not None:
            yield f"{kernel} {form}", pair
