"""Functions with contractions, as text on memory, and what they compute, by NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

DTYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32, "i64": np.int64}
NAMES = "abcdefgh"


@dataclass(frozen=True)
class Case:
    """A function of arrays: its text, the shapes of the arrays, and what they hold afterwards."""

    name: str
    text: str
    shapes: tuple[tuple[int, ...], ...]
    expected: Callable[..., Sequence[Any]]
    element: str = "f32"

    def inputs(self, seed: int = 0) -> list[Any]:
        """Random arrays."""
        rng = np.random.default_rng(seed)
        if self.element.startswith("i"):
            return [rng.integers(-9, 9, shape).astype(DTYPES[self.element]) for shape in self.shapes]
        return [rng.uniform(-1, 1, shape).astype(DTYPES[self.element]) for shape in self.shapes]

    def error(self, compiled: Any) -> float:
        """The largest difference to what is expected, relative to the largest value."""
        values, inputs = self.inputs(), self.inputs()
        wide = np.int64 if self.element.startswith("i") else np.float64
        compiled[self.name](*values)
        wanted = self.expected(*(value.astype(wide) for value in inputs))
        if self.element.startswith("i"):
            wanted = [np.asarray(each).astype(DTYPES[self.element]) for each in wanted]
        return max(float(np.max(np.abs(a - b), initial=0) / (1 + np.max(np.abs(b), initial=0)))
                   for a, b in zip(values, wanted, strict=True))  # fmt: skip


def memref(shape: tuple[int, ...], element: str, open_sizes: bool = False) -> str:
    """The type of an array."""
    return f"memref<{''.join('?x' if open_sizes else f'{extent}x' for extent in shape)}{element}>"


def generic(maps: Sequence[Sequence[str]], kinds: str, types: Sequence[str], names: Sequence[str], body: str) -> str:
    """An operation; `maps` are like "ik" for (d0, d2); i, j, ... follow `kinds`, where r is a reduction."""
    dims = "ijklmn"[: len(kinds)]
    every = ", ".join(dims)
    texts = ", ".join(f"affine_map<({every}) -> ({', '.join(one)})>" for one in maps)
    iterators = ", ".join('"reduction"' if kind == "r" else '"parallel"' for kind in kinds)
    element = types[0].rsplit("x", 1)[1][:-1]
    arguments = ", ".join(f"%{NAMES[place]}: {element}" for place in range(len(maps)))
    return f"""  linalg.generic {{indexing_maps = [{texts}], iterator_types = [{iterators}]}}
    ins({", ".join(f"%{n}" for n in names[:-1])} : {", ".join(types[:-1])}) outs(%{names[-1]} : {types[-1]}) {{
  ^bb0({arguments}):
{body}
  }}
"""


def multiply_add(element: str) -> str:
    """The body of a contraction of two operands."""
    kind = "i" if element.startswith("i") else "f"
    return f"""    %p = arith.mul{kind} %a, %b : {element}
    %s = arith.add{kind} %c, %p : {element}
    linalg.yield %s : {element}"""


def function(name: str, types: Sequence[str], body: str) -> str:
    """A function of arrays x, y, z, ..."""
    arguments = ", ".join(f"%{letter}: {kind}" for letter, kind in zip("xyzuvw", types, strict=False))
    return f"func.func @{name}({arguments}) {{\n{body}  return\n}}\n"


def contraction(
    name: str, maps: Sequence[str], extents: dict[str, int], element: str = "f32", *, open_sizes: bool = False
) -> Case:
    """C += A * B by subscripts like `ik,kj,ij`; letters that C does not have are summed over."""
    shapes = tuple(tuple(extents[letter] for letter in one) for one in maps)
    types = [memref(shape, element, open_sizes) for shape in shapes]
    kinds = "".join("p" if letter in maps[-1] else "r" for letter in extents)
    letters = dict(zip(extents, "ijklmn", strict=False))
    renamed = ["".join(letters[letter] for letter in one) for one in maps]
    text = function(name, types, generic(renamed, kinds, types, "xyz", multiply_add(element)))

    def expected(a: Any, b: Any, c: Any) -> Sequence[Any]:
        return a, b, c + np.einsum(f"{maps[0]},{maps[1]}->{maps[2]}", a, b)

    return Case(name, text, shapes, expected, element)
