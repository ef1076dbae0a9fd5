"""What is mutated: the kernels, each beside itself and beside what it was raised to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from affine.mlir_reader import InputError
from raising.pipeline import RaiseOptions, raise_module
from validate.pair import Pair, generalised, read_pair
from validate.reading import Unreadable

KERNELS = Path(__file__).parent.parent / "kernels"


def names() -> list[str]:
    """The kernels."""
    return [path.stem for path in sorted(KERNELS.glob("*.mlir"))]


def subject(kernel: str, form: str) -> Pair | None:
    """A kernel beside itself (`loops`) or beside what it is raised to for a target; None if it is not raised whole."""
    text = (KERNELS / f"{kernel}.mlir").read_text()
    if form == "loops":
        return generalised(read_pair(text, text))
    result = raise_module(text, options=RaiseOptions(target=form, check="none", timeout=60))
    if not result.complete:
        return None
    try:
        return generalised(read_pair(text, result.text))
    except (Unreadable, InputError):
        return None


def subjects(form: str, kernels: tuple[str, ...]) -> Iterator[tuple[str, Pair]]:
    """The pairs that there are of some kernels."""
    for kernel in kernels:
        pair = subject(kernel, form)
        if pair is not None:
            yield f"{kernel} {form}", pair
