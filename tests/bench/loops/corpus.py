"""The functions of `tests/inputs/loops`: C, Python and MLIR, a file for each class and language.

Above each function stands a comment: its sizes at each call (`n=0,1,9 m=0,1,4`; `n*=…` for one that is passed by
address), the extents of its arrays as expressions over them (`x=n*m`, `A=n,m`; `idx=n<m` holds numbers from 0 to
m - 1), and, where its loops have no form in linalg without a loop, the reason (`none: scan`):

    // n=0,1,9 m=0,1,4 | A=n*m x=m | none: scan
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[2] / "inputs" / "loops"
LANGUAGES = {".c": "//", ".py": "#", ".mlir": "//"}
HEADERS = "".join(f"#include <{name}.h>\n" for name in ("float", "math", "stdbool", "stddef", "stdint", "string"))
_NAME = {
    ".c": re.compile(r"^(?!static|#|\s)[\w ]*?\b\**(\w+)\(", re.M),
    ".py": re.compile(r"^def ([a-z]\w*)", re.M),
    ".mlir": re.compile(r"func\.func @(\w+)"),
}


@dataclass(frozen=True)
class Function:
    """One function: `sizes` of each call, `arrays` with extents and the bound of what they hold, `none` if it has no
    form without a loop.
    """

    path: Path
    line: int
    text: str
    sizes: tuple[dict[str, int], ...]
    addressed: frozenset[str]
    arrays: dict[str, tuple[str, str]]
    none: str

    @property
    def kind(self) -> str:
        """Its class."""
        return self.path.stem

    @property
    def name(self) -> str:
        """Its name."""
        return _NAME[self.path.suffix].findall(self.text)[-1]  # type: ignore[no-any-return]

    def shape(self, name: str, sizes: dict[str, int]) -> tuple[int, ...]:
        """The extents of an array."""
        found = eval(self.arrays[name][0], {}, dict(sizes))  # noqa: S307 - our own text
        return found if isinstance(found, tuple) else (found,)

    def values(self, name: str, kind: str, sizes: dict[str, int], seed: int) -> Any:
        """An array, or a number that is no size."""
        rng = np.random.default_rng([seed, len(name), *map(ord, name)])
        if name not in self.arrays:
            return _values(rng, (), kind, "", sizes, seed)[()]
        return _values(rng, self.shape(name, sizes), kind, self.arrays[name][1], sizes, seed)


def _values(
    rng: np.random.Generator, shape: tuple[int, ...], kind: str, below: str, sizes: dict[str, int], seed: int
) -> Any:
    """Below a bound; else small whole numbers with zeros and equal ones (seed 0), or all kinds of numbers."""
    if below:
        return rng.integers(0, max(1, eval(below, {}, dict(sizes))), shape).astype(kind)  # noqa: S307
    if np.dtype(kind).kind == "f":
        whole = rng.integers(-3, 4, shape)
        found = whole if seed == 0 else rng.uniform(0.25, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
        return found.astype(kind)
    if np.dtype(kind).kind == "b":
        return rng.integers(0, 2, shape).astype(kind)
    if np.dtype(kind).itemsize == 1 and seed:
        limits = np.iinfo(kind)  # type: ignore[type-var]
        return rng.integers(limits.min, limits.max, shape, kind, endpoint=True)
    return rng.integers(0 if np.dtype(kind).kind == "u" else -3, 4, shape).astype(kind)


def functions(kinds: list[str]) -> Iterator[Function]:
    """Those of these classes, or all."""
    for path in sorted(FOLDER.iterdir()):
        if path.suffix in LANGUAGES and (not kinds or path.stem in kinds):
            yield from _of(path)


def _of(path: Path) -> Iterator[Function]:
    mark = LANGUAGES[path.suffix] + " "
    lines = path.read_text().splitlines(keepends=True)
    heads = [k for k, line in enumerate(lines) if line.startswith(mark) and "|" in line]
    head = "".join(lines[: heads[0]])
    for at, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        sizes, arrays, none = [*map(str.strip, lines[at][len(mark) :].split("|")), ""][:3]
        own = "".join(lines[at + 1 : end])
        text = head + own if path.suffix == ".py" else own
        pairs = {k: [int(v) for v in vs.split(",")] for k, vs in (each.split("=") for each in sizes.split())}
        plain = {name.rstrip("*"): values for name, values in pairs.items()}
        addressed = frozenset(name[:-1] for name in pairs if name.endswith("*"))
        calls = tuple(dict(zip(plain, each, strict=True)) for each in zip(*plain.values(), strict=True)) or ({},)
        extents = {k: (*vs.split("<"), "")[:2] for k, vs in (each.split("=", 1) for each in arrays.split())}
        yield Function(path, at + 2, text, calls, addressed, extents, none.removeprefix("none:").strip())  # type: ignore[arg-type]
