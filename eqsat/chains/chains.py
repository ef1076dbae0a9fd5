"""Chains of products in an e-graph: factors in order, however they are associated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from raising.eqsat.egraph.engine import Ref, Row
from raising.eqsat.egraph.graph import EGraph, Tables, of_sort
from raising.eqsat.extract.cost_model import Meter
from raising.eqsat.lift.products import Product
from raising.support.record import dataclass

_UNWRITTEN = "tensor.empty"
_LONGEST = 1000  # factors; a chain in a cycle of classes would have no end

Ranks = tuple[int, int, int, int]


@dataclass(frozen=True)
class Link:
    """A product in the e-graph: its node, its meaning, and the classes of its operands.

    With `unwritten`, its sums start from what nobody has written, so its elements may be anything.
    """

    position: int
    product: Product
    left: int
    right: int
    destination: int | None
    unwritten: bool = False


@dataclass(frozen=True)
class Chain:
    """Factors in order, how many dimensions of the first one stay, and the products between them by their ranks."""

    factors: tuple[int, ...]
    left: int
    links: Mapping[Ranks, Link]


class ChainFinder:
    """Reads chains off the e-graph."""

    def __init__(self, graph: EGraph, tables: Tables, meter: Meter) -> None:
        self.graph, self.tables, self.meter = graph, tables, meter

    def chains(self) -> dict[int, Chain]:
        """The chain of each class that a product computes."""
        found = {klass: self._chain(klass) for klass in self.links}
        return {klass: chain for klass, chain in found.items() if chain is not None}

    @cached_property
    def links(self) -> dict[int, Link]:
        """The first product of each class that starts from nothing."""
        found: dict[int, Link] = {}
        reachable = self.graph.reachable()
        for position, node in enumerate(self.graph.nodes):
            product = self.meter.work[position][0].product
            if product is None or node.klass in found or node.klass not in reachable:
                continue
            operands = [r.number for r in of_sort(self.tables.row(node), "Op")]
            into = None if product.destination is None else operands[product.destination]
            start = None if into is None else neutral(self.meter, into)
            if into is None or start is not None:
                unwritten = start is not None and _is_unwritten(self.meter, self.tables.row(self.graph.nodes[start]))
                left, right = operands[product.left], operands[product.right]
                found[node.klass] = Link(position, product, left, right, into, unwritten)
        return found

    def _chain(self, top: int) -> Chain | None:
        factors: list[int] = []
        used: dict[Ranks, Link] = {}
        stack: list[tuple[int, Link | None, bool]] = [(top, None, False)]
        while stack:
            klass, parent, is_left = stack.pop()
            link = self.links.get(klass)
            if link is None or not _continues(link, parent, is_left):
                factors.append(klass)
                continue
            used.setdefault(link.product.ranks, link)
            stack += [(link.right, link, False), (link.left, link, True)]
            if len(stack) + len(factors) > _LONGEST:
                return None
        return Chain(tuple(factors), self.links[top].product.ranks[1], used)


def _continues(link: Link, parent: Link | None, is_left: bool) -> bool:
    """Whether a product that is an operand of another one is a part of its chain."""
    if parent is None:
        return True
    if link.unwritten != parent.unwritten:  # a product that starts from zeros has a value, and has to keep it
        return False
    shared, left, _, right = link.product.ranks
    summed = parent.product.ranks[2]
    return shared == parent.product.ranks[0] and (right if is_left else left) == summed


def neutral(meter: Meter, klass: int) -> int | None:
    """A node that makes a class one on which a sum can start: zeros, or elements that nobody has written."""
    for position in meter.graph.members.get(klass, ()):
        row = meter.tables.row(meter.graph.nodes[position])
        if _is_unwritten(meter, row):
            return position
        if meter.work[position][0].splat:
            scalar, into = of_sort(row, "Op")
            if _some(meter, scalar, _is_zero) and _some(meter, into, _is_unwritten):
                return position
    return None


def _some(meter: Meter, ref: Ref, test: Callable[[Meter, Row], bool]) -> bool:
    return any(test(meter, meter.tables.row(meter.graph.nodes[n])) for n in meter.graph.members.get(ref.number, ()))


def _is_unwritten(meter: Meter, row: Row) -> bool:
    """True for a tensor whose elements may be taken to be anything."""
    shape = meter.encoded.shapes.get(row.name)
    return shape is not None and shape.operation == _UNWRITTEN


def _is_zero(meter: Meter, row: Row) -> bool:
    """True for a constant zero."""
    pairs = [meter.tables.tree(r) for r in of_sort(row, "AttrPair")]
    values = [p[-1] for p in pairs if p[-1][0] in ("FloatAttr", "IntegerAttr")]
    return not of_sort(row, "Op") and len(pairs) == len(values) == 1 and values[0][1] == 0
