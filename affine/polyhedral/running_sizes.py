"""Sizes at which all of a program runs, as an integer set: exact where patterns of small numbers do not hit any.

Conditions that tie sizes together, such as `2 * t <= n + 1 <= m`, leave few points among those that patterns try.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import Any

import islpy as isl

from raising.affine.ir.program import Program, Store
from raising.affine.polyhedral.chambers import in_bounds, point_of
from raising.affine.polyhedral.scop import Access, accesses, context_set, params


def running(program: Program, targets: Iterable[Mapping[str, int]]) -> Iterator[dict[str, int]]:
    """A point close to each of the targets, at which accesses are in bounds and every loop and store runs.

    Loops run at least twice, where they can in all of them together. In turn one of the sizes is as small as it can
    be, else the first ones would always be as wanted and the last ones at a bound.
    """
    found = accesses(program)
    everything = in_bounds(program, found, _around(program))
    run = _all_run(everything, found)
    sets = (everything, run, _all_repeat(everything, found), _all_repeat(run, found))
    best = next((found for found in reversed(sets) if not found.is_empty()), None)
    if best is None:
        return
    seen: list[dict[str, int]] = []
    for k, near in enumerate(targets):
        least = [*near][k % (len(near) + 1) : k % (len(near) + 1) + 1]
        point = point_of(best, {name: value for name, value in near.items() if name not in least})
        if point is not None and point not in seen:
            seen.append(point)
            yield point


def beyond(program: Program) -> list[Any]:
    """For each bound and condition of a store, the iterations that it alone excludes, as a set over the sizes.

    Those that exclude nothing at any sizes are left out. Where a set is empty, the condition decides nothing.
    """
    context, found = context_set(program), []
    for access in accesses(program):
        pieces = access.domain.get_basic_sets() if isinstance(access.node, Store) else ()
        for piece in pieces:
            told = piece.get_constraints()
            for k, bound in enumerate(told):
                if bound.is_equality() or not _involves(bound, isl.dim_type.set) or _involves(bound, isl.dim_type.div):
                    continue
                outside = isl.BasicSet.universe(piece.get_space()).add_constraints([*told[:k], *told[k + 1 :]])
                outside = outside.add_constraint(isl.Constraint.inequality_from_aff(-bound.get_aff() - 1))
                excluded = isl.Set.from_basic_set(outside).intersect_params(context)
                found += [] if excluded.is_empty() else [excluded]
    return found


def _involves(bound: Any, kind: Any) -> bool:
    return bool(bound.involves_dims(kind, 0, bound.get_local_space().dim(kind)))


def _around(program: Program) -> Any:
    """The context, with the loops around the program, and sizes that follow from others."""
    told = [f"{name} = {form.isl()}" for name, form in program.derived]
    for loop in program.outer:
        told += [f"{f.isl()} <= {loop.iv}" for f in loop.lower] + [f"{loop.iv} < {f.isl()}" for f in loop.upper]
        if loop.step > 1 and len(loop.lower) == 1:
            told.append(f"({loop.iv} - ({loop.lower[0].isl()})) mod {loop.step} = 0")
    arrays = (f.isl() for a in program.arrays.values() for f in a.shape)
    told += [f"{extent} >= 0" for extent in dict.fromkeys(arrays)]
    return context_set(program).intersect(isl.Set(f"{params(program)}{{ : {' and '.join(told) or 'true'} }}"))


def _all_run(within: Any, found: list[Access]) -> Any:
    return reduce(lambda known, access: known.intersect(access.domain.params()), found, within)


def _all_repeat(within: Any, found: list[Access]) -> Any:
    """Every loop runs twice in some iteration of those around it."""
    for access in found:
        domain = access.domain
        for k in range(len(access.ivs)):
            again = domain.lex_lt_set(domain)
            for j in range(k):
                again = again.equate(isl.dim_type.in_, j, isl.dim_type.out, j)
            within = within.intersect(again.order_lt(isl.dim_type.in_, k, isl.dim_type.out, k).params())
    return within
