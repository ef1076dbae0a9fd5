"""New operations for chosen nodes, each in the outermost block where it may stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from raising.eqsat.egraph.engine import Ref, Row
from raising.eqsat.egraph.graph import EGraph, Tables, of_sort
from raising.eqsat.egraph.vocabulary import CannotRead, Vocabulary
from raising.eqsat.ruleset.to_egglog import ROOT
from raising.support.graphs import reachable
from raising.support.mlir.create import InsertPoint, Shape, create, op_view
from raising.support.mlir.operand_segments import SEGMENTS, segmented

if TYPE_CHECKING:
    from raising.eqsat.rebuild.compose_term import Composer

Leaf = int | tuple[int, int]
"""The number of a `Value`, or the level and position of a block argument."""


class NotVisible(Exception):
    """A chosen program needs a value that does not exist where it is needed."""


class Scope:
    """A block that is being written: where to insert, what is computed in it, which leaves it brings."""

    def __init__(self, place: InsertPoint) -> None:
        self.place = place
        self.computed: dict[int, list[Any]] = {}
        self.leaves: dict[Leaf, Any] = {}
        self.writer: Any = None  # of terms of the algebra


class Maker:
    """Values of classes under a choice. `scopes` are the blocks around the place that is being written.

    `levels` says in how few regions a class was computed: it may be made as
    far out as that, and no further.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        tables: Tables,
        graph: EGraph,
        choice: Mapping[int, int],
        shapes: Mapping[str, Shape],
        levels: Mapping[int, int],
        composer: Composer | None = None,
    ) -> None:
        self.vocabulary, self.tables, self.graph, self.choice = vocabulary, tables, graph, choice
        self.shapes, self.levels, self.composer = shapes, levels, composer
        self.ir = vocabulary.ir
        self.scopes: list[Scope] = []

    def row(self, klass: int) -> Row:
        """The chosen row of a class."""
        if klass not in self.choice:
            raise NotVisible("nothing computes it")
        return self.tables.row(self.graph.nodes[self.choice[klass]])

    def home(self, klass: int) -> int:
        """The position of the block in which a class is computed; -1 if it is not."""
        return next((n for n in reversed(range(len(self.scopes))) if klass in self.scopes[n].computed), -1)

    def value(self, klass: int) -> Any:
        """The value of a class, made of its chosen node if there is none yet; `NotVisible` if that cannot be here."""
        results = self.results(klass)
        if len(results) != 1:
            raise NotVisible("an operation with several results is no value")
        return results[0]

    def results(self, klass: int) -> list[Any]:
        """The results of the operation of a class. Deep programs do not recurse."""
        stack = [klass]
        while stack:
            top = stack[-1]
            missing = [r.number for r in self._operands(self.row(top)) if self.home(r.number) < 0]
            if self.home(top) >= 0 or not missing:
                stack.pop()
                if self.home(top) < 0:
                    self._compute(top)
            elif len(stack) > len(self.choice):
                raise NotVisible("the choice has a cycle")
            else:
                stack += missing
        return self.scopes[self.home(klass)].computed[klass]

    def _operands(self, row: Row) -> list[Ref]:
        """The classes of values that an operation, or a term of the algebra, is computed from."""
        if row.name == ROOT and self.composer is not None:
            return self.composer.leaves(row)
        return of_sort(row, "Op")

    # ---- where -----------------------------------------------------------------------------------

    def _leaf_home(self, row: Row) -> int:
        return next((n for n, s in enumerate(self.scopes) if leaf(row) in s.leaves), -1)

    def _target(self, klass: int, row: Row) -> int:
        """The position of the block in which a class is to be computed."""
        needs = [self.home(r.number) for r in self._operands(row)]
        needs += [n for ref in of_sort(row, "Region") for n in self._inside(ref)]
        innermost = len(self.scopes) - 1
        return max([0, *needs, min(self.levels.get(klass, innermost), innermost)])

    def _inside(self, region: Ref) -> list[int]:
        """The blocks whose leaves are used in a region."""
        below = reachable([region.number], lambda klass: self.graph.nodes[self.choice[klass]].children)
        return [self._leaf_home(row) for row in map(self.row, below) if row.name in LEAVES]

    # ---- what ------------------------------------------------------------------------------------

    def _compute(self, klass: int) -> None:
        row = self.row(klass)
        if row.name in LEAVES:
            home = self._leaf_home(row)
            if home < 0:
                raise NotVisible("a value is used outside of its block")
            self.scopes[home].computed[klass] = [self.scopes[home].leaves[leaf(row)]]
            return
        target = self._target(klass, row)
        if row.name == ROOT:
            self.scopes[target].computed[klass] = [self._written(row, self.scopes[target])]
            return
        operands = [self.scopes[self.home(r.number)].computed[r.number] for r in of_sort(row, "Op")]
        scope = self.scopes[target]
        if row.name == "Result":
            scope.computed[klass] = [operands[0][row.inputs[0]]]
            return
        inner, self.scopes = self.scopes, self.scopes[: target + 1]
        try:
            made = self.make(row, [single(results) for results in operands], scope.place)
        finally:
            self.scopes = inner
        scope.computed[klass] = list(made.results)

    def _written(self, row: Row, scope: Scope) -> Any:
        """The value of a term of the algebra."""
        if self.composer is None:
            raise CannotRead("terms of the algebra have no dialect here")
        kind = self.vocabulary.type_of(self.tables.tree(row.inputs[1]))
        scope.writer = scope.writer or self.composer.writer()
        try:
            view = self.composer.view(row, scope.writer, lambda k: single(self.scopes[self.home(k)].computed[k]))
            return scope.writer.write(view, kind, scope.place)
        except CannotRead:
            scope.writer = None  # it may hold half of a program
            raise

    def make(self, row: Row, operands: list[Any], at: InsertPoint) -> Any:
        """The operation of a row."""
        shape = self.shapes.get(row.name) or self._shape(row)
        types = [self.vocabulary.type_of(self.tables.tree(r)) for r in of_sort(row, "Type")]
        given = self.attributes(row, shape) | self._segments(shape, len(operands), len(types))
        if of_sort(row, "Region"):
            return self._with_regions(row, shape, operands, given, types, at)
        op = create(self.ir, shape, operands, given, types, at)
        if op is None:
            raise CannotRead(f"a rule made an operation that MLIR refuses: {shape.operation}")
        return op

    def attributes(self, row: Row, shape: Shape) -> dict[str, Any]:
        """The attributes of a row by name."""
        found: dict[str, Any] = {}
        for n, ref in enumerate(of_sort(row, "AttrPair")):
            pair = self.tables.tree(ref)
            name = pair[1] if pair[0] == "NamedAttr" else shape.attributes[n]
            found[name] = self.vocabulary.attribute_of(pair[-1])
        return found

    def _shape(self, row: Row) -> Shape:
        """The shape of a constructor of which the function has no operation: what its name says."""
        name = row.name
        named = [name[:i] + "." + name[i + 1 :] for i, c in enumerate(name) if c == "_"]
        named += [c.rsplit("_", 1)[0] for c in named if c[-1].isdigit()]
        found = next((c for c in named if op_view(self.ir, c) is not None), "")
        if not found:
            raise CannotRead(f"a rule made '{name}', which names no operation")
        return Shape(found, len(of_sort(row, "Op")), (), 0, 0)

    def _segments(self, shape: Shape, operands: int, results: int) -> dict[str, Any]:
        """The operand segments: those of the constructor, or one output per result behind the inputs."""
        if shape.segments:
            return {SEGMENTS: self.ir.Attribute.parse(shape.segments)}
        view = op_view(self.ir, shape.operation)
        if getattr(view, "_ODS_OPERAND_SEGMENTS", None) is None:
            return {}
        return segmented(self.ir, operands - results, results)

    def _with_regions(
        self, row: Row, shape: Shape, operands: list[Any], given: dict[str, Any], types: list[Any], at: InsertPoint
    ) -> Any:
        regions = of_sort(row, "Region")
        op = self.ir.Operation.create(
            shape.operation, types, operands, given, regions=len(regions), ip=at.point, loc=at.location
        )
        try:
            for region, ref in zip(op.regions, regions, strict=True):
                self._fill(region, self.items(ref), at.location)
            op.verify()
        except (NotVisible, CannotRead):
            op.erase()
            raise
        except self.ir.MLIRError as error:
            op.erase()
            raise CannotRead(f"a rule made an operation that MLIR refuses: {shape.operation}") from error
        return op

    def items(self, region: Ref) -> list[Row]:
        """The arguments and the terminator of the one block of a region."""
        blocks = self.row(region.number).inputs[0]
        if len(blocks) != 1:
            raise CannotRead("a rule made a region that has not one block")
        return [self.row(r.number) for r in self.row(blocks[0].number).inputs[0]]

    def _fill(self, region: Any, items: list[Row], location: Any) -> None:
        """A new block: its arguments, the values of its terminator, the terminator."""
        arguments = [r for r in items if r.name == "BlockArg"]
        types = [self.vocabulary.type_of(self.tables.tree(r.inputs[2])) for r in arguments]
        block = region.blocks.append(*types, arg_locs=[location] * len(types))
        scope = Scope(InsertPoint(self.ir.InsertionPoint(block), location))
        self.scopes = [*self.scopes, scope]
        self.bind(scope, arguments, block)
        operands = [self.value(r.number) for r in of_sort(items[-1], "Op")]
        self.make(items[-1], operands, scope.place)
        self.scopes = self.scopes[:-1]

    def bind(self, scope: Scope, arguments: list[Row], block: Any) -> None:
        """The arguments of a block are leaves of it."""
        for row, value in zip(arguments, block.arguments, strict=True):
            if self._leaf_home(row) >= 0:
                raise NotVisible("a rule put one region into another of the same level")
            scope.leaves[leaf(row)] = value


LEAVES = ("Value", "BlockArg")


def leaf(row: Row) -> Leaf:
    """The name of a leaf."""
    first: int = row.inputs[0]
    return first if row.name == "Value" else (first, int(row.inputs[1]))


def single(results: list[Any]) -> Any:
    """The one result of an operation that is used as a value."""
    if len(results) != 1:
        raise NotVisible("an operation with several results is no value")
    return results[0]
