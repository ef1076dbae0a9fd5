"""Regions of the parameter space in which a program behaves alike, and a small point in each.

Whether a loop runs at all or more than once, where it begins and ends, and whether two accesses to one array meet, and
in which order, are relations between instances. Projected onto the parameters, each cuts the space in two; the pieces
that are not empty are the regions (the chambers of Verdoolaege et al., Counting integer points in parametric polytopes,
2007, cut by dependences instead of vertices).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from itertools import islice
from typing import Any

import islpy as isl

from raising.affine.ir.program import Program, Store
from raising.affine.polyhedral.scop import Access, accesses, context_set, cut, params
from raising.support.record import dataclass

MOST_REGIONS = 32
_MOST_PARTS = 2 * MOST_REGIONS
_MOST_PAIRS = 60  # of accesses that are looked at
_LEAST, _LARGEST = -2, 11  # what parameters are tried at
_FAR = 1 << 31
_PARAM = isl.dim_type.param


@dataclass(frozen=True)
class Chamber:
    """A region (an isl parameter set), and a point of it; None where no small one was found in bounds.

    `inner` is one that is on none of the region's borders, where bounds coincide: only a form that stands in the whole
    region does what the loops do there, too. None where there is no such point that is small.
    """

    region: Any
    point: dict[str, int] | None
    inner: dict[str, int] | None = None

    @property
    def points(self) -> list[dict[str, int]]:
        """Both points, as far as there are any."""
        found = [p for p in (self.point, self.inner) if p is not None]
        return found[: 1 if self.point == self.inner else 2]


@dataclass(frozen=True)
class Chambers:
    """The regions of a program's parameters; not `complete` if there are more than were looked at."""

    found: tuple[Chamber, ...]
    complete: bool

    @property
    def points(self) -> list[dict[str, int]]:
        """Points in each region that has any."""
        return [point for c in self.found for point in c.points]

    @property
    def seen(self) -> int:
        """How many regions have a point."""
        return sum(bool(c.points) for c in self.found)


def chambers(program: Program, near: Mapping[str, int], within: Any) -> Chambers:
    """The regions of the parameters of a program (`within` a set), with points close to sizes that tell much (`near`).

    A size that is not in `near` is as small as can be.
    """
    found = accesses(program)
    context = context_set(program).intersect(within)
    allowed = in_bounds(program, found, context)
    pieces, complete = [allowed], True
    for relation in _relations(found):
        smaller = cut(pieces, relation)
        if len(smaller) > MOST_REGIONS:
            complete = False
            continue
        pieces = smaller
    parts = [isl.Set.from_basic_set(part) for piece in pieces for part in piece.coalesce().get_basic_sets()]
    pieces = parts if len(parts) <= _MOST_PARTS else pieces  # a point in each convex part of a region
    return Chambers(tuple(Chamber(p, point_of(p, near), _inner(p, near)) for p in pieces), complete)


def points_in_common(one: Chambers, other: Chambers, near: Mapping[str, int]) -> list[dict[str, int]]:
    """A point, as `chambers` chooses it, of each region of one program that a region of another divides."""
    pairs = islice(((a.region, b.region) for a in one.found for b in other.found), _MOST_PARTS)
    divided = (a.intersect(b) for a, b in pairs if not a.is_subset(b))
    points = (point_of(region, near) for region in divided if not region.is_empty())
    return [point for point in points if point is not None]


# ---- where a program behaves differently ---------------------------------------------------------


def _relations(found: list[Access]) -> Iterator[Any]:
    """Parameter sets, each of which cuts the space: where something happens."""
    seen: list[Any] = []
    for relation in _cuts(found):
        projected = relation.params().coalesce()
        if projected.is_empty() or any(projected.is_equal(old) for old in seen):
            continue
        seen.append(projected)
        yield projected


def _cuts(found: list[Access]) -> Iterator[Any]:
    domains = {str(a.domain.reset_tuple_id()): a.domain for a in found}
    yield from domains.values()
    for domain in domains.values():
        yield domain.lex_lt_set(domain)
        yield from _ends(domain)
    for one, other in islice(_pairs(found), _MOST_PAIRS):
        yield from _meetings(one, other)


def _ends(domain: Any) -> Iterator[Any]:
    """Where the first or last iteration is another function of the parameters, as at the larger one of two bounds."""
    for end in (domain.lexmin_pw_multi_aff(), domain.lexmax_pw_multi_aff()):
        pieces: list[Any] = []
        end.foreach_piece(lambda where, _, pieces=pieces: pieces.append(where))
        yield from pieces if len(pieces) > 1 else ()


def _pairs(found: list[Access]) -> Iterator[tuple[Access, Access]]:
    """Accesses to one array, one of them a store."""
    for one in found:
        for other in found:
            if one.node.array == other.node.array and (isinstance(one.node, Store) or isinstance(other.node, Store)):
                yield one, other


def _meetings(one: Access, other: Access) -> Iterator[Any]:
    """{instance → instance of another access to the same element, later}, by the loop whose iteration is later.

    A loop around that repeats everything would hide at which distances the iterations of an inner one meet.
    """
    same = one.relation.apply_range(other.relation.reverse())
    same = same.intersect(one.schedule.lex_lt_map(other.schedule))
    for k, (a, b) in enumerate(zip(one.ivs, other.ivs, strict=False)):
        if a != b:
            break
        yield same.order_lt(isl.dim_type.in_, k, isl.dim_type.out, k)
        same = same.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
    yield same


def in_bounds(program: Program, found: list[Access], context: Any) -> Any:
    """The sizes at which every access stays inside of its array."""
    for access in found:
        context = context.subtract(outside(program, access))
    return context


def outside(program: Program, access: Access, dims: Container[int] | None = None) -> Any:
    """The sizes at which an access leaves its array, in some dimensions if these are given.

    An extent may depend on the loops around the access.
    """
    shape = program.arrays[access.node.array].shape
    elements = [f"e{k}" for k in range(len(shape))]
    asked = [k for k in range(len(shape)) if dims is None or k in dims]
    conds = " and ".join(f"0 <= e{k} < {shape[k].isl()}" for k in asked) or "true"
    at = f"{access.name}[{', '.join(access.ivs)}] -> {access.node.array}[{', '.join(elements)}]"
    inside = access.relation.intersect(isl.Map(f"{params(program)}{{ {at} : {conds} }}"))
    return access.relation.subtract(inside).domain().params()


# ---- points --------------------------------------------------------------------------------------


def point_of(region: Any, near: Mapping[str, int], far: bool = False) -> dict[str, int] | None:
    """A point of a region, each coordinate as in `near`, or as close to it as can be; one far out only if asked."""
    names = [region.get_dim_name(_PARAM, k) for k in range(region.dim(_PARAM))]
    for low, high in ((_LEAST, _LARGEST), (-200, 200), *(((-_FAR, _FAR),) if far else ())):
        box = region
        for k in range(len(names)):
            box = box.lower_bound_val(_PARAM, k, isl.Val(low)).upper_bound_val(_PARAM, k, isl.Val(high))
        if not box.is_empty():
            return _nearest(box, names, near)
    return None


def _inner(region: Any, near: Mapping[str, int]) -> dict[str, int] | None:
    """A point of a region that meets its inequalities by more than it has to, as many of them as it can."""
    for part in region.get_basic_sets():
        inside = isl.Set.from_basic_set(part)
        for c in part.get_constraints():
            if not c.is_equality() and not c.involves_dims(isl.dim_type.div, 0, part.dim(isl.dim_type.div)):
                beyond = inside.intersect(_beyond(c, region))
                inside = inside if beyond.is_empty() else beyond
        found = point_of(inside.intersect(region), near)
        if found is not None:
            return found
    return None


def _beyond(constraint: Any, region: Any) -> Any:
    """The parameters that meet an inequality by more than it asks."""
    names = [region.get_dim_name(_PARAM, k) for k in range(region.dim(_PARAM))]
    terms = [f"{constraint.get_coefficient_val(_PARAM, k)} * {name}" for k, name in enumerate(names)]
    total = " + ".join([*terms, str(constraint.get_constant_val() - 1)])
    return isl.Set(f"[{', '.join(names)}] -> {{ : {total} >= 0 }}")


def _nearest(box: Any, names: list[str], near: Mapping[str, int]) -> dict[str, int]:
    box = isl.Set.from_params(box).move_dims(isl.dim_type.set, 0, _PARAM, 0, len(names))
    for k, name in sorted(enumerate(names), key=lambda one: one[1] not in near):
        least, most = (int(v.to_python()) for v in (box.dim_min_val(k), box.dim_max_val(k)))
        wanted = near.get(name, least)
        for value in dict.fromkeys((wanted, min(max(wanted, least), most), least)):
            fixed = box.fix_val(isl.dim_type.set, k, isl.Val(value))
            if not fixed.is_empty():
                box = fixed
                break
    return {n: int(box.dim_min_val(k).to_python()) for k, n in enumerate(names)}
