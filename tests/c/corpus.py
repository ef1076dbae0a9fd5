"""The C functions of `tests/inputs/c`, with what stands in their comments on how to call them.

`// run: dot(i32 n = 13, real x[13], real y[13]) -> real` before a function gives its parameters
in order: type, name, shape of the memory behind a pointer, value. `real` is what the macro REAL
is set to, once float and once double; a type with `+` holds positive numbers. A scalar without a
value is random. `/* refused function: NAME */` announces a function that stays C; the comment
`// refused: REASON` stands on the line that the refusal has to name, REASON a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from raising.polybench.suite.values import Array, Value

FOLDER = Path(__file__).parents[1] / "inputs" / "c"
FILES = sorted(FOLDER.glob("*.c"))

NUMPY = {
    "f32": "float32",
    "f64": "float64",
    "bool": "bool",
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
}
"""The types of a run line."""

_RUN = re.compile(r"^// run: (\w+)\((.*)\)(?: -> (\w+))?$")
_PARAMETER = re.compile(r"(\w+)(\+?) (\w+)((?:\[\d+\])*)(?: = (\S+))?")
_REFUSED = re.compile(r"refused function: (\w+)")
_REASON = re.compile(r"// refused: (.+)$")


@dataclass(frozen=True)
class Parameter:
    """One parameter; `shape` is None for a scalar."""

    name: str
    type: str
    shape: tuple[int, ...] | None
    value: str | None
    positive: bool

    def make(self, random: np.random.Generator, real: str) -> Value:
        """A value of NumPy's type for it."""
        kind = np.dtype(NUMPY[real if self.type == "real" else self.type])
        if self.value is not None:
            return kind.type(float(self.value) if kind.kind == "f" else int(self.value))
        return _random(random, kind, self.shape or (), self.positive).astype(kind)[()]


@dataclass(frozen=True)
class Case:
    """A function to be read, compared and raised."""

    path: Path
    line: int
    function: str
    parameters: tuple[Parameter, ...]
    returns: str | None

    @property
    def reals(self) -> tuple[str, ...]:
        """What `real` is to be: both, or only double for a function without it."""
        types = [p.type for p in self.parameters] + [self.returns]
        return ("f32", "f64") if "real" in types else ("f64",)

    def defines(self, real: str) -> dict[str, str]:
        """The macros to compile with."""
        return {"REAL": {"f32": "float", "f64": "double"}[real]}

    def arguments(self, real: str, seed: int) -> list[Value]:
        """Random arguments in order."""
        random = np.random.default_rng(seed)
        return [parameter.make(random, real) for parameter in self.parameters]

    def result(self, real: str) -> str | None:
        """NumPy's name of the type that is returned."""
        return None if self.returns is None else NUMPY[real if self.returns == "real" else self.returns]


@dataclass(frozen=True)
class Refusal:
    """A function that must stay C: the line to name, and what to say of it."""

    path: Path
    function: str
    line: int
    reason: str


def cases(path: Path) -> Iterator[Case]:
    """The functions of a file that have a run line."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("// run:"):
            match = _RUN.match(line)
            assert match, f"{path.name}:{number}: not a run line"
            yield Case(path, number, match[1], tuple(_parameters(match[2])), match[3])


def refusals(path: Path) -> Iterator[Refusal]:
    """The functions of a file that must be refused."""
    function = ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if announced := _REFUSED.search(line):
            function = announced[1]
        elif told := _REASON.search(line):
            yield Refusal(path, function, number, told[1])


def _parameters(text: str) -> Iterator[Parameter]:
    for part in text.split(", "):
        match = _PARAMETER.fullmatch(part)
        assert match, f"not a parameter: {part}"
        kind, plus, name, extents, value = match.groups()
        shape = tuple(map(int, re.findall(r"\d+", extents))) or None
        yield Parameter(name, kind, shape, value, bool(plus))


def _random(random: np.random.Generator, kind: np.dtype[np.generic], shape: tuple[int, ...], positive: bool) -> Array:
    """Floats in 0.5 .. 1.5 with random sign; all bytes and shorts; integers whose sums and products do not overflow."""
    if kind.kind == "f":
        values = random.uniform(0.5, 1.5, shape)
        return values if positive else values * random.choice([-1.0, 1.0], shape)
    if kind.kind == "b":
        return random.integers(0, 2, shape)
    wraps = kind.kind == "u" or kind.itemsize < 4
    limits = np.iinfo(kind)  # type: ignore[type-var]
    low, high = (limits.min, limits.max) if wraps else (-1000, 1000)
    return random.integers(1 if positive else low, high, shape, kind, endpoint=True)
