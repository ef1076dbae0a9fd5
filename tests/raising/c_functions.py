"""Small C functions through the front end and the raiser, beside what gcc makes of them."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from affine.c import COptions, convert
from polybench.values import Value
from raising.pipeline import RaiseOptions, RaiseResult, raise_module
from tests.c.beside import Beside
from tests.c.gcc import Library
from tests.raising.algebra import operations

_MOVES = ("tensor.expand_shape", "tensor.collapse_shape", "tensor.extract_slice", "tensor.insert_slice")
_PARAMETER = re.compile(r"double (\w+)((?:\[(?:restrict )?\d+\])+)")


@dataclass(frozen=True)
class CFunction:
    """A function `f` on arrays of doubles."""

    text: str

    def raised(self) -> RaiseResult:
        """What it is raised to, with the verdict of the proof."""
        module = convert(self.text, "f.c", COptions())
        assert not module.refused
        return raise_module(module.mlir, file="f.c", options=RaiseOptions(check="proof", cache=False))

    def arguments(self) -> Sequence[Value]:
        """Random arrays."""
        random = np.random.default_rng(1)
        shapes = [tuple(map(int, re.findall(r"\d+", dims))) for _, dims in _PARAMETER.findall(self.text)]
        return [random.normal(size=shape) for shape in shapes]

    def difference(self, raised: str) -> str:
        """Where the raised function differs from gcc's in any bit; empty if nowhere."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "f.c"
            path.write_text(self.text)
            return Beside(Library(path, {}), raised, "f").difference(self.arguments())


def computing(text: str) -> dict[str, int]:
    """How many operations of the target, reshapes and slices a module has."""
    return dict(Counter(name for name in operations(text) if name in _MOVES or _is_structured(name)))


def _is_structured(name: str) -> bool:
    return name.startswith("linalg.") and name not in ("linalg.yield", "linalg.index")
