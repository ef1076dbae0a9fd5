"""A size vector in every region of the parameters in which a program's loops behave differently.

The regions are those of `raising.affine.polyhedral.chambers`; points are close to sizes at which all loops run.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.interpreter import OutOfBounds
from raising.affine.ir.program import Program
from raising.grammar.evaluate.extents import Accesses, unbounded
from raising.grammar.evaluate.size_vectors import Unsizable, fits, size_vectors

if TYPE_CHECKING:
    from raising.affine.polyhedral.chambers import Chambers

_LARGE = 3  # what stands for a number of the file is not tried below it
_RANGE, _TRIES, _SCATTERED = (-1, 9), 48, 8  # of sizes at random


def open_sizes(program: Program, values: Mapping[str, Lin]) -> list[str]:
    """The sizes that the file leaves open, but for the variables of loops around the program."""
    inside = {loop.iv for loop in program.outer}
    return [n for n in program.sizes if n not in inside and not values.get(n, Lin(0, ((n, 1),))).is_const]


def telling_sizes(program: Program, values: Mapping[str, Lin]) -> dict[str, int]:
    """Small sizes at which all loops run, without extents that occur in array types only; empty if there are none."""
    try:
        (near,) = size_vectors(program, values, 1)
    except (Unsizable, OutOfBounds):
        return {}
    free = unbounded(program)
    return {n: v for n, v in near.items() if n not in free}


def regions(program: Program, values: Mapping[str, Lin]) -> Chambers:
    """The regions of the open sizes, with points at which every access is in bounds; extents are as small as can be."""
    import islpy as isl  # only here: a result of the cache is compared without integer sets

    from raising.affine.polyhedral.chambers import chambers
    from raising.affine.polyhedral.scop import params

    left = {*open_sizes(program, values), *(loop.iv for loop in program.outer)}
    known = " and ".join(f"{n} >= {_LARGE}" for n in program.sizes if n not in left) or "true"
    within = isl.Set(f"{params(program)}{{ : {known} }}")
    return chambers(program, telling_sizes(program, values), within)


def divided(one: Program, other: Program, values: Mapping[str, Lin]) -> tuple[Chambers, list[dict[str, int]]]:
    """The regions of one program, and points in those of another one and where these divide the first one's."""
    from raising.affine.polyhedral.chambers import points_in_common

    first, second = regions(one, values), regions(other, values)
    return first, [*second.points, *points_in_common(first, second, telling_sizes(one, values))]


def scattered(program: Program, values: Mapping[str, Lin]) -> list[dict[str, int]]:
    """Random sizes at which accesses are in bounds: two programs may also differ inside of one region."""
    near, accesses, rng = telling_sizes(program, values), Accesses(program), random.Random(0)
    opened = [n for n in open_sizes(program, values) if n not in accesses.unbounded]
    found: list[dict[str, int]] = []
    for _ in range(_TRIES if near and opened else 0):
        drawn = {**near, **{n: rng.randint(*_RANGE) for n in opened}}
        sizes = accesses.reached({**dict.fromkeys(program.sizes, 0), **drawn})
        if sizes not in found and fits(accesses, sizes):
            found.append(sizes)
        if len(found) == _SCATTERED:
            break
    return found


def regions_text(seen: int, known: int | None) -> str:
    """The words for a number of regions that were tried; `known` is None if not all regions are known."""
    count = f"all {seen}" if seen == known else f"{seen} of {'more' if known is None else known}"
    return f"in {count} regions of the parameters"
