"""Small C functions through the front end and the raiser, beside what gcc makes of them."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, RaiseResult, raise_module
from raising.polybench.suite.values import Value
from tests.c.beside import Beside
from tests.c.gcc import Library
from tests.raising.algebra import operations
from tests.raising.targets.test_stablehlo import interpreted

_MOVES = ("tensor.expand_shape", "tensor.collapse_shape", "tensor.extract_slice", "tensor.insert_slice")
_PARAMETER = re.compile(r"double (\w+)((?:\[(?:restrict )?\d+\])+)")


@dataclass(frozen=True)
class SourceFunction:
    """A function `f` on arrays of doubles; with `coarse`, of eighths, whose sums are exact in any order."""

    text: str
    coarse: bool = False

    def raised(self, target: str = "linalg") -> RaiseResult:
        """What it is raised to, with the verdict of the proof."""
        module = convert(self.text, "f.c", COptions())
        assert not module.refused
        options = RaiseOptions(check="proof", cache=False)
        return raise_module(module.mlir, file="f.c", target=target, options=options)

    def arguments(self) -> Sequence[Value]:
        """Random arrays."""
        random = np.random.default_rng(1)
        shapes = [tuple(map(int, re.findall(r"\d+", dims))) for _, dims in _PARAMETER.findall(self.text)]
        found = [random.normal(size=shape) for shape in shapes]
        return [np.rint(8 * a) / 8 for a in found] if self.coarse else found

    def difference(self, raised: str) -> str:
        """Where the raised function differs from gcc's in any bit; empty if nowhere."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "f.c"
            path.write_text(self.text)
            return Beside(Library(path, {}), raised, "f").difference(self.arguments())

    def on_tensors(self, raised: str) -> str:
        """Where what StableHLO's interpreter makes of the raised function differs from gcc's; empty if nowhere."""
        given = [np.asarray(a) for a in self.arguments()]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "f.c"
            path.write_text(self.text)
            after = Library(path, {}).call("f", given)
        written = [b for a, b in zip(given, after, strict=True) if not np.array_equal(a, b)]
        found = interpreted(raised.replace("@f(", "@kernel_f("), given)
        same = len(found) == len(written) and all(map(np.array_equal, found, written))
        return "" if same else f"{found} in place of {written}"


def computing(text: str) -> dict[str, int]:
    """How many operations of the target, reshapes and slices a module has."""
    return dict(Counter(name for name in operations(text) if name in _MOVES or _is_structured(name)))


def on_stablehlo(text: str) -> dict[str, int]:
    """How many operations of StableHLO a module has, constants and reshapes apart."""
    found = Counter(re.findall(r"stablehlo\.(\w+)", text))
    return {name: n for name, n in found.items() if name not in ("constant", "reshape")}


def _is_structured(name: str) -> bool:
    return name.startswith("linalg.") and name not in ("linalg.yield", "linalg.index")
