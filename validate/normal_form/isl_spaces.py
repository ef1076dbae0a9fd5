"""Small isl sets and maps over anonymous points, with the sizes of a comparison as parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import islpy as isl

IN, OUT, SET, PARAM = isl.dim_type.in_, isl.dim_type.out, isl.dim_type.set, isl.dim_type.param


def names(count: int) -> str:
    """`x0, x1, …`: the coordinates of a point in isl's notation."""
    return ", ".join(f"x{k}" for k in range(count))


class Sizes:
    """The parameters of a comparison: their names and what is known of them."""

    def __init__(self, sizes: Sequence[str], context: Any) -> None:
        self.prefix = f"[{', '.join(sizes)}] -> "
        self.context = context
        self.map = lru_cache(maxsize=None)(self._map)
        self.set = lru_cache(maxsize=None)(self._set)

    def _map(self, text: str) -> Any:
        return isl.Map(self.prefix + text)

    def _set(self, text: str) -> Any:
        return isl.Set(self.prefix + text)

    def pick(self, count: int, order: Sequence[int]) -> Any:
        """{[x0 … ] → [the coordinates in `order`]}."""
        return self.map(f"{{ [{names(count)}] -> [{', '.join(f'x{k}' for k in order)}] }}")

    def same(self, count: int, pairs: Sequence[tuple[int, int]]) -> Any:
        """The points whose coordinates agree pairwise."""
        conds = " and ".join(f"x{a} = x{b}" for a, b in pairs) or "true"
        return self.set(f"{{ [{names(count)}] : {conds} }}")

    def void(self, relation_or_set: Any) -> bool:
        """True if there is no point at any size."""
        return bool(relation_or_set.intersect_params(self.context).is_empty())


def union(parts: Iterable[Any]) -> Any:
    """The union of sets or maps of one space; None if there are none."""
    total = None
    for part in parts:
        total = part if total is None else total.union(part)
    return total


def unite(found: dict[Any, Any], key: object, more: Any) -> None:
    """Add a set or map to what is found under a key."""
    found[key] = found[key].union(more) if key in found else more


def anonymous(thing: Any) -> Any:
    """A set or map without the names of its tuples."""
    if isinstance(thing, isl.Set):
        return thing.reset_tuple_id() if thing.has_tuple_id() else thing
    for kind in (IN, OUT):
        if thing.has_tuple_id(kind):
            thing = thing.reset_tuple_id(kind)
    return thing


def points(relation: Any) -> Any:
    """A map as the set of its pairs, flat."""
    return anonymous(relation.wrap().flatten())


def between(whole: Any, one: Any, other: Any) -> Any:
    """The part of a union map from the space of a set to that of another, anonymous."""
    space = isl.Space.map_from_domain_and_range(one.get_space(), other.get_space())
    return anonymous(whole.extract_map(space.align_params(whole.get_space())))
