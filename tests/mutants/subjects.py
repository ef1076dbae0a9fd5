"""What is mutated: the kernels, each beside itself and beside what it was raised to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from affine.mlir_reader import InputError
from raising.pipeline import RaiseOptions, raise_module
from validate.pair import Pair, generalised, read_pair
from validate.reading import Unreadable

KERNELS = Path(__file__).parent.parent / "kernels"


def loops(names: tuple[str, ...] = ()) -> Iterator[tuple[str, Pair]]:
    """Every kernel beside itself."""
    for path in sorted(KERNELS.glob("*.mlir")):
        if not names or path.stem in names:
            text = path.read_text()
            yield f"{path.stem} loops", generalised(read_pair(text, text))


def raised(target: str, names: tuple[str, ...] = ()) -> Iterator[tuple[str, Pair]]:
    """Every kernel that is raised whole beside its tensor program."""
    for path in sorted(KERNELS.glob("*.mlir")):
        if names and path.stem not in names:
            continue
        text = path.read_text()
        result = raise_module(text, options=RaiseOptions(target=target, check="none", timeout=60))
        if result.complete:
            try:
                yield f"{path.stem} {target}", generalised(read_pair(text, result.text))
            except (Unreadable, InputError):
                continue
