"""A function of numbers as loops over arrays: which loops the arguments of a call need, and their syntax."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from raising.decorator.call_types import Kind, Pattern
from raising.decorator.sources import Sources
from raising.support.source import unused_name


class Layout(NamedTuple):
    """The loops of a call: for each argument those over its elements, none for a number; and how many there are."""

    dims: tuple[tuple[int, ...], ...]
    loops: int


def layout(shapes: Sequence[tuple[int, ...]], shape: tuple[int, ...]) -> tuple[Layout, tuple[int, ...]]:
    """The fewest loops over arrays that are broadcast to a shape, and their extents.

    Neighbouring dimensions are one loop where each array has both or none of them; there is at least one loop.
    """
    padded = [(1,) * (len(shape) - len(s)) + tuple(s) for s in shapes]
    extents: list[int] = []
    repeated: list[tuple[bool, ...]] = []  # for each loop, which arrays it repeats
    for dim, extent in enumerate(shape):
        if extent == 1:
            continue
        own = tuple(p[dim] == 1 for p in padded)
        if repeated and repeated[-1] == own:
            extents[-1] *= extent
        else:
            extents.append(extent)
            repeated.append(own)
    if not extents:
        return Layout(((),) * len(padded), 1), (1,)
    dims = tuple(tuple(k for k, own in enumerate(repeated) if not own[a]) for a in range(len(padded)))
    return Layout(dims, len(extents)), tuple(extents)


def laid_out(value: Any, dims: Sequence[int], extents: Sequence[int]) -> Any:
    """An argument as the loops read it: an array of these extents, or a number."""
    if not isinstance(value, np.ndarray):
        return value
    if not dims:
        return value.reshape(-1)[0]
    flat: NDArray[Any] = np.ascontiguousarray(value).reshape([extents[d] for d in dims])
    return flat


def pattern(names: Sequence[str], own: Layout) -> Pattern:
    """Which extents of the arguments, the array of results last, are the same."""
    known: dict[int, str] = {}
    found: list[int | str] = []
    for name, dims in zip(names, (*own.dims, tuple(range(own.loops))), strict=True):
        found += [known.setdefault(d, f"{name}_{k}") for k, d in enumerate(dims)]
    return tuple(found)


def loops(
    sources: Sources, names: Sequence[str], own: Layout, kinds: Sequence[Kind]
) -> tuple[Sources, dict[str, Kind]]:
    """A function that stores the results of `sources`' first one, element by element, in an array behind the others.

    `kinds` are those of the elements, that of the result last. The second result has the kinds of its parameters.
    """
    taken = {n.id for f in sources.functions.values() for n in ast.walk(f) if isinstance(n, ast.Name)}
    taken |= {*names, *sources.functions}
    *_, out = names
    counters = [unused_name(f"i{k}", taken) for k in range(own.loops)]
    place, name = sources.functions[sources.name], unused_name(f"{sources.name}_of_elements", taken)
    elements = [_element(n, [counters[d] for d in dims]) for n, dims in zip(names[:-1], own.dims, strict=True)]
    lines = [f"def {name}({', '.join(names)}):"]
    lines += [f"{' ' * k}for {c} in range({out}.shape[{k - 1}]):" for k, c in enumerate(counters, 1)]
    lines.append(f"{' ' * len(lines)}{_element(out, counters)} = {sources.name}({', '.join(elements)})")
    (made,) = ast.parse("\n".join(lines)).body
    assert isinstance(made, ast.FunctionDef)
    for node in ast.walk(made):
        ast.copy_location(node, place)
    ranks = (*map(len, own.dims), own.loops)
    given = {n: kind._replace(rank=r) for n, kind, r in zip(names, kinds, ranks, strict=True)}
    return Sources(name, {name: made, **sources.functions}, sources.files), given


def _element(name: str, counters: Sequence[str]) -> str:
    return f"{name}[{', '.join(counters)}]" if counters else name
