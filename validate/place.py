"""Where an expression stands."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from affine.record import dataclass
from validate.products import Sum
from validate.spaces import Sizes


@dataclass(frozen=True)
class Place:
    """Where an expression stands: the iterators around its statement, in order, and the points they take.

    The points are those of `domain`, or where `at` is given, {[point] → [iterators]}, what that makes of them.
    `known` keeps what has been worked out there.
    """

    iterators: tuple[str, ...]
    domain: Any
    at: Any = None
    known: dict[str, Sum] = field(default_factory=dict)

    def outer(self, sizes: Sizes, count: int) -> Any:
        """{[point] → [the first `count` iterators]}."""
        prefix = sizes.pick(len(self.iterators), range(count))
        return (prefix if self.at is None else self.at.apply_range(prefix)).intersect_domain(self.domain)

    def on(self, domain: Any) -> Place:
        """The same place at fewer points."""
        return Place(self.iterators, domain, self.at)
