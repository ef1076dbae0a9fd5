"""The cost of each node of a frozen e-graph, from the shapes of its operands and the meaning of its operation.

A node is made as an operation of its own, lowered, and counted (`op_work`), once for all nodes that differ in sizes
only. The operations inside of a region are nodes too: each counts as often as the region runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from raising.eqsat.egraph.encode import Encoded
from raising.eqsat.egraph.engine import Ref, Row
from raising.eqsat.egraph.graph import STRUCTURE, EGraph, Tables, bound_classes, of_sort
from raising.eqsat.egraph.vocabulary import Vocabulary
from raising.eqsat.extract.algebra_work import Shapes, returned_work, work_of
from raising.eqsat.extract.greedy import cost_of, tree
from raising.eqsat.extract.op_work import BYTES, OPERATIONS, Amount, Lowerer, Work, priced
from raising.eqsat.extract.single import Kind, Singles
from raising.eqsat.ruleset.to_egglog import ROOT, SORT, SPREAD
from raising.support.record import dataclass

UNLOWERED = 1e15  # what an operation costs that cannot be compiled: any other program is cheaper
_AGAIN = 1e-3  # of what is in a region and was counted with its operation: enough to choose by
_NESTED = 8  # how deep regions in regions are counted


@dataclass(frozen=True)
class Prices:
    """The price of each feature of the work; everything else is at `default`, and `each` is paid per operation."""

    features: Mapping[str, float] = field(default_factory=dict)
    default: float = 0.0
    each: float = 0.0


FLOPS = Prices({BYTES: 0.0, OPERATIONS: 0.0}, default=1.0)
BYTES_MOVED = Prices({BYTES: 1.0})
SIZE = Prices(each=1.0)
BY_SHAPE: dict[str, Prices] = {"flops": FLOPS, "bytes": BYTES_MOVED, "size": SIZE}

Compiles = Callable[[Any], bool]
"""Whether the native back end takes a lowered module of upstream's MLIR; may change the module."""


@dataclass(frozen=True)
class Pricing:
    """Costs from shapes: what is paid, and what finds out about operations.

    `extents` are numbers in shapes that stand for extents known at run time only, with what they count as: a number, or
    a polynomial.
    """

    prices: Prices
    lowerer: Lowerer
    compiles: Compiles | None = None
    extents: Mapping[int, Any] = field(default_factory=dict)

    def sizes(self, shape: Sequence[Any]) -> tuple[Any, ...]:
        """The numbers that stand for the extents of a shape in costs."""
        return tuple(self.extents.get(n, n) if isinstance(n, int) else n for n in shape)


class Meter:
    """Costs of the nodes of one e-graph."""

    def __init__(
        self,
        graph: EGraph,
        tables: Tables,
        encoded: Encoded,
        vocabulary: Vocabulary,
        pricing: Pricing,
    ) -> None:
        self.graph, self.tables, self.encoded, self.vocabulary = graph, tables, encoded, vocabulary
        self.ir, self.pricing = vocabulary.ir, pricing
        self.single = Singles(graph, tables, encoded, vocabulary, pricing.sizes)
        self.works: dict[Any, Work] = {}
        self.paid: dict[Work, tuple[Amount, ...]] = {}

    def costs(self) -> list[float]:
        """The cost of each node, without what is below it but with its regions."""
        return [self.price(n, self.work[n][1]) for n in range(len(self.graph.nodes))]

    def price(self, position: int, shapes: Sequence[tuple[Any, ...]]) -> Any:
        """The cost of a node if its operands had these shapes; an extent may be an array of numbers."""
        if self.graph.nodes[position].op in STRUCTURE and not self.work[position][0].amounts:
            return 0.0
        price = self._own(position, shapes)
        if position in self._owners and self.graph.nodes[position].klass not in self._whole:
            price = price + _runs(self.work[position][0], shapes) * self._regions[position]
        return price * (_AGAIN if self.graph.nodes[position].klass in self.bound else 1.0)

    def _own(self, position: int, shapes: Sequence[tuple[Any, ...]]) -> Any:
        work, prices = self.work[position][0], self.pricing.prices
        if work not in self.paid:
            self.paid[work] = priced(work, prices.features, prices.default)
        extra = 0.0 if work.lowered else UNLOWERED
        return prices.each + extra + sum(a.value(shapes) for a in self.paid[work])

    @cached_property
    def work(self) -> list[tuple[Work, tuple[tuple[int, ...], ...]]]:
        """For each node what it does, and the shapes of its operands."""
        spread = {n.klass for n in self.graph.nodes if n.op == SPREAD}
        found: list[tuple[Work, tuple[tuple[int, ...], ...]]] = []
        for node in self.graph.nodes:
            row = self.tables.row(node)
            if node.op == ROOT:
                kind = self.single.kind(row.inputs[1])
                found.append((_NOTHING if kind is None else returned_work(kind.shape, node.children[0] in spread), ()))
            else:
                found.append((_NOTHING, ()) if node.op in STRUCTURE else self._work(row))
        return found

    @cached_property
    def bound(self) -> frozenset[int]:
        """The classes that belong to a region."""
        return bound_classes(self.graph, self.tables)

    # ---- work ------------------------------------------------------------------------------------

    @cached_property
    def _shapes(self) -> Shapes:
        return Shapes(self.tables, self.pricing.sizes)

    def _work(self, row: Row) -> tuple[Work, tuple[tuple[int, ...], ...]]:
        if row.output.sort == SORT:
            return work_of(row, self._shapes), ()
        operands = [self.single.value(r.number) for r in of_sort(row, "Op")]
        results = [self.single.kind(r) for r in of_sort(row, "Type")]
        known = [k for k in (*operands, *results) if k is not None]
        if len(known) < len(operands) + len(results):
            return _UNKNOWN, ()
        if not results:  # the end of a block
            return _NOTHING, ()
        shapes = tuple(k.shape for k in known)
        rest = tuple(i for i in row.inputs if not (isinstance(i, Ref) and i.sort in ("Op", "Region", "Type")))
        fixed = tuple(r for r in of_sort(row, "Op") if self.single.is_constant(r)) if of_sort(row, "Region") else ()
        same = _repeated(row)
        generic = (row.name, rest, fixed, same, tuple(k.pattern for k in known), row.output.number in self._whole)
        work = self.works.get(generic)
        if work is None or work.sized:
            sized = (*generic, shapes)
            if sized not in self.works:
                self.works[sized] = self._at_sizes(self._counted(row, known[: len(operands)]))
            work = self.works[sized]
            self.works.setdefault(generic, work)
        return work, shapes

    def _at_sizes(self, work: Work) -> Work:
        """Work in which numbers that stand for extents are what they count as."""
        if not self.pricing.extents:
            return work
        amounts = tuple(replace(a, extents=self.pricing.sizes(a.extents)) for a in work.amounts)
        return replace(work, amounts=amounts, points=self.pricing.sizes(work.points))

    @cached_property
    def _whole(self) -> frozenset[int]:
        """The classes with a term of the algebra: an operation there is counted with what is in its regions."""
        return frozenset(n.klass for n in self.graph.nodes if n.op == ROOT)

    def _counted(self, row: Row, operands: list[Kind]) -> Work:
        """The work of a node: made as the only operation of a function, lowered, counted."""
        regions = bool(of_sort(row, "Region")) and row.output.number not in self._whole
        with self.ir.Location.unknown():
            module = self.ir.Module.create()
            if not self.single.made(module, row, operands, regions):  # it may need what is around it
                return Work((Amount(row.name, 1.0),), lowered=row.name in self._there)
            work = self.pricing.lowerer.work(module, regions)
            if _repeated(row):  # other operations of equal operands may be folded: that is what rules are for
                again = self.ir.Module.create()
                self.single.made(again, row, operands, regions, _repeated(row))
                symmetric = self.pricing.lowerer.work(again, regions)
                work = replace(symmetric, product=work.product) if symmetric.share < 1.0 else work
        if work.lowered and self.pricing.compiles is not None:
            lowered = self.pricing.lowerer.lowered(module)
            work = work if lowered is not None and self.pricing.compiles(lowered) else replace(work, lowered=False)
        return work

    @cached_property
    def _there(self) -> frozenset[str]:
        """The constructors of the operations of the source."""
        return frozenset(o.constructor for o in self.encoded.originals.values())

    # ---- regions ---------------------------------------------------------------------------------

    @cached_property
    def _owners(self) -> dict[int, tuple[int, ...]]:
        """The nodes that have regions, with the classes of these."""
        nodes = ((n, of_sort(self.tables.row(node), "Region")) for n, node in enumerate(self.graph.nodes))
        return {n: tuple(r.number for r in regions) for n, regions in nodes if regions}

    @cached_property
    def _regions(self) -> dict[int, float]:
        """The least cost of one run of a node's regions: of the operations that depend on an argument of some block."""
        found = dict.fromkeys(self._owners, 0.0)
        alone = [
            self._own(n, self.work[n][1]) if node.klass in self.bound and node.op not in STRUCTURE else 0.0
            for n, node in enumerate(self.graph.nodes)
        ]
        for _ in range(_NESTED if found else 0):
            costs = list(alone)
            for n in found:
                costs[n] += _runs(*self.work[n]) * found[n] if self.graph.nodes[n].klass in self.bound else 0.0
            choice = tree(EGraph(self.graph.nodes, ()), costs)
            by_regions = {r: self._once(r, choice, costs) for r in set(self._owners.values())}
            now = {n: by_regions[r] for n, r in self._owners.items()}
            if now == found:
                break
            found = now
        return found

    def _once(self, regions: tuple[int, ...], choice: dict[int, int], costs: list[float]) -> float:
        inside = tuple(r for r in regions if r in choice)
        return cost_of(EGraph(self.graph.nodes, inside), choice, costs)


def _runs(work: Work, shapes: Sequence[tuple[Any, ...]]) -> Any:
    """How often the regions of an operation run."""
    return Amount("", work.share, work.points).value(shapes)


def _repeated(row: Row) -> tuple[int, ...]:
    """For each operand of a row the first one that is the same; nothing if all of them differ."""
    classes = [r.number for r in of_sort(row, "Op")]
    return tuple(classes.index(k) for k in classes) if len(set(classes)) < len(classes) else ()


_NOTHING = Work()
_UNKNOWN = Work(lowered=False)
