"""Nodes of an e-graph by themselves: their types, and each as the only operation of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from raising.eqsat.egraph.encode import Encoded
from raising.eqsat.egraph.engine import Ref, Row
from raising.eqsat.egraph.graph import EGraph, Node, Tables, of_sort
from raising.eqsat.egraph.vocabulary import CannotRead, Vocabulary
from raising.eqsat.extract.greedy import tree
from raising.eqsat.extract.op_work import OPEN_EXTENT
from raising.eqsat.rebuild.make import LEAVES, Maker, NotVisible, Scope, leaf
from raising.eqsat.ruleset.to_egglog import ROOT
from raising.support.graphs import reachable
from raising.support.mlir.create import InsertPoint
from raising.support.record import dataclass

_MANY = 1e6  # operations of a dialect are made before terms of the algebra


@dataclass(frozen=True)
class Kind:
    """A type: its shape, and what it is apart from its sizes (an extent of one is not like others)."""

    type: Any
    shape: tuple[Any, ...]
    pattern: str


class Singles:
    """The nodes and classes of an e-graph taken one by one, without any extraction: types, and single operations."""

    def __init__(
        self,
        graph: EGraph,
        tables: Tables,
        encoded: Encoded,
        vocabulary: Vocabulary,
        sizes: Callable[[Sequence[int]], tuple[Any, ...]] = tuple,
    ) -> None:
        self.sizes = sizes
        self.graph, self.tables, self.encoded, self.vocabulary = graph, tables, encoded, vocabulary
        self.ir = vocabulary.ir
        self.kinds: dict[int, Kind | None] = {}  # by the number of the type

    # ---- types -----------------------------------------------------------------------------------

    @cached_property
    def types(self) -> dict[int, tuple[Ref, ...]]:
        """The types of the results of each class."""
        found: dict[int, tuple[Ref, ...]] = {}
        picked: list[tuple[Node, Row]] = []
        for node in self.graph.nodes:
            row = self.tables.row(node)
            if row.name == "Result":
                picked.append((node, row))
            elif node.klass not in found and (types := of_sort(row, "Type")):
                found[node.klass] = tuple(types)
        for node, row in picked:
            results = found.get(node.children[0], ())
            if row.inputs[0] < len(results):
                found.setdefault(node.klass, (results[row.inputs[0]],))
        return found

    def kind(self, ref: Ref) -> Kind | None:
        """The shape and pattern of a type; None if it cannot be read."""
        if ref.number not in self.kinds:
            try:
                self.kinds[ref.number] = self._kind(self.vocabulary.type_of(self.tables.tree(ref)))
            except CannotRead:
                self.kinds[ref.number] = None
        return self.kinds[ref.number]

    def _kind(self, kind: Any) -> Kind:
        if not isinstance(kind, self.ir.ShapedType) or not self.ir.ShapedType(kind).has_rank:
            return Kind(kind, (), str(kind))
        shaped = self.ir.ShapedType(kind)
        shape = tuple(OPEN_EXTENT if shaped.is_dynamic_dim(d) else n for d, n in enumerate(shaped.shape))
        ones = "".join("1" if n == 1 else "n" for n in shape)
        return Kind(kind, self.sizes(shape), f"{type(kind).__name__} {ones} {shaped.element_type}")

    def value(self, klass: int) -> Kind | None:
        """The type of a class, by its number, that is one value."""
        types = self.types.get(klass, ())
        return self.kind(types[0]) if len(types) == 1 else None

    # ---- operations --------------------------------------------------------------------------------

    def made(self, module: Any, row: Row, operands: list[Kind], regions: bool, places: Sequence[int] = ()) -> bool:
        """A function in `module` that computes one row from its operands; false if that is no MLIR.

        Operand k is argument k, or argument `places[k]`.
        """
        captured = self._captured(row) if regions else {}
        inputs = [k.type for k in operands] + [kind.type for kind in captured.values()]
        results = [k.type for r in of_sort(row, "Type") if (k := self.kind(r)) is not None]
        signature = self.ir.TypeAttr.get(self.ir.FunctionType.get(inputs, results))
        attributes = {"function_type": signature, "sym_name": self.ir.StringAttr.get("f")}
        body = self.ir.InsertionPoint(module.body)
        function = self.ir.Operation.create("func.func", attributes=attributes, regions=1, ip=body)
        here = self.ir.Location.unknown()
        block = function.regions[0].blocks.append(*inputs, arg_locs=[here] * len(inputs))
        scope = Scope(InsertPoint(self.ir.InsertionPoint(block), here))
        arguments = list(block.arguments)
        scope.leaves.update(zip(captured, arguments[len(operands) :], strict=True))
        maker = self.maker(self.any_choice if regions or of_sort(row, "Region") else {})
        maker.scopes = [scope]
        given = [arguments[k] for k in (places or range(len(operands)))]
        try:
            for n, ref in enumerate(of_sort(row, "Op") if regions else []):
                given[n] = maker.value(ref.number) if self.is_constant(ref) else given[n]
            made = maker.make(row, given, scope.place)
        except (NotVisible, CannotRead):
            return False
        self.ir.Operation.create("func.return", operands=list(made.results), ip=scope.place.point)
        return True

    def maker(self, choice: Mapping[int, int]) -> Maker:
        """A maker of operations for rows, with regions as in a program."""
        return Maker(self.vocabulary, self.tables, self.graph, choice, self.encoded.shapes, {})

    @cached_property
    def any_choice(self) -> dict[int, int]:
        """A program for each class, whichever, so that regions can be made."""
        whole = EGraph(self.graph.nodes, ())
        return tree(whole, [_MANY if n.op == ROOT else 1.0 for n in whole.nodes])

    def is_constant(self, ref: Ref) -> bool:
        """True for a scalar that needs nothing, such as the bound of a loop."""
        kind = self.value(ref.number)
        if kind is None or ref.number not in self.any_choice or isinstance(kind.type, self.ir.ShapedType):
            return False
        row = self.tables.row(self.graph.nodes[self.any_choice[ref.number]])
        return row.name not in (*LEAVES, ROOT) and not of_sort(row, "Op")

    def _captured(self, row: Row) -> dict[Any, Kind]:
        """The leaves from outside that a region may use: all that it does not bind itself."""
        nodes = {klass: self.graph.nodes[position] for klass, position in self.any_choice.items()}
        starts = [r.number for r in of_sort(row, "Region")]
        below = reachable(starts, lambda klass: nodes[klass].children if klass in nodes else ())
        blocks = [nodes[klass] for klass in below if klass in nodes and nodes[klass].op == "Blk"]
        items = [self.tables.row(nodes[child]) for block in blocks for child in block.children]
        bound = {leaf(r) for r in items if r.name == "BlockArg"}
        rows = [self.tables.row(n) for n in self.graph.nodes if n.op in LEAVES]
        kinds = {leaf(r): self.kind(of_sort(r, "Type")[0]) for r in rows if leaf(r) not in bound}
        return {name: kind for name, kind in kinds.items() if kind is not None}
