"""A function with its e-graph in place: written in xDSL's `equivalence` dialect.

Operations that have to keep their order do, inside of an `equivalence.graph` in each block: its region is a graph, in
which the order of the others says nothing. Operations that became terms are written anew, all nodes of each class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from raising.eqsat.egraph.encode import Encoded, isolated
from raising.eqsat.egraph.graph import EGraph, Tables
from raising.eqsat.egraph.purity import walk
from raising.eqsat.egraph.vocabulary import Vocabulary
from raising.eqsat.extract.single import Singles
from raising.eqsat.persist.dominance import Path, homes, path_of
from raising.eqsat.persist.graph_scopes import Scope
from raising.eqsat.persist.graph_text import GRAPH, YIELD, GraphText
from raising.eqsat.persist.node_text import TEMPLATE
from raising.support.mlir.walk import blocks_of
from raising.support.record import dataclass


@dataclass(frozen=True)
class _Graph:
    """A block with classes that is not in its place yet: the module that holds it, its end, and what stays in it."""

    module: Any
    inner: Any
    end: Any
    staying: list[Any]


def write_graph(op: Any, graph: EGraph, tables: Tables, encoded: Encoded, vocabulary: Vocabulary) -> int:
    """Put the e-graph of a function into it; returns how many nodes could not be written.

    The dialect is not registered: the context is made to allow such dialects.
    """
    op.context.allow_unregistered_dialects = True
    writer = _Writer(op, graph, tables, encoded, vocabulary)
    writer.write()
    return len(writer.text.dropped)


class _Writer:
    def __init__(self, op: Any, graph: EGraph, tables: Tables, encoded: Encoded, vocabulary: Vocabulary) -> None:
        self.op, self.tables, self.encoded, self.ir = op, tables, encoded, vocabulary.ir
        self.text = GraphText(Singles(graph, tables, encoded, vocabulary), homes(op, graph, tables, encoded), encoded)
        self.classes: dict[tuple[Path, int], Any] = {}

    def write(self) -> None:
        blocks = list(self._blocks(self.op))
        scopes = self._scopes(blocks)
        gone = [op for op in self.encoded.originals if op.parent.operation not in self.encoded.originals]
        graphs = [self._graph(block, scope) for block, scope in zip(blocks, scopes, strict=True)]
        for op in reversed(gone):
            op.erase()
        for made in graphs:
            if made is not None:
                self._finish(made)
        self.op.verify()

    def _blocks(self, op: Any) -> Iterator[Any]:
        """The blocks that stay, outer ones first."""
        for block in blocks_of(op):
            yield block
            for child in block.operations:
                if child.operation not in self.encoded.originals and not isolated(child.operation):
                    yield from self._blocks(child.operation)

    @cached_property
    def templates(self) -> list[Any]:
        """The operations that are copied, once all classes are written."""
        return [next(walk(m.body.operations[0].operation))[0] for m in self.text.nodes.templates]

    # ---- which classes ---------------------------------------------------------------------------

    def _scopes(self, blocks: list[Any]) -> list[Scope]:
        """For each block the classes that belong into it: what is needed there, or by the blocks inside of it."""
        paths = [path_of(self.op, block) for block in blocks]
        found: dict[Path, Scope] = {}
        for block, path in zip(reversed(blocks), reversed(paths), strict=True):
            needed = [k for op in block.operations for k in self._needed(op.operation)]
            inner = [k for p, scope in found.items() if p[:-1] == path for k in scope.outside]
            found[path] = self.text.block(path, dict.fromkeys([*needed, *inner]))
        return [found[path] for path in paths]

    def _needed(self, op: Any) -> Iterator[int]:
        if op not in self.encoded.originals:
            for value in op.operands:
                name = self.encoded.term.get(value, "")
                if name.startswith("$"):
                    yield self.tables.names[name].number

    # ---- what is written -------------------------------------------------------------------------

    def _graph(self, block: Any, scope: Scope) -> _Graph | None:
        """Everything of a block but its terminator together with its classes; none if there are no classes."""
        staying = [c.operation for c in block.operations if c.operation not in self.encoded.originals]
        made = self._parsed(scope, staying) if scope.classes else None
        for op in staying:
            self._use_classes(op, scope.path)
        return made

    def _parsed(self, scope: Scope, staying: list[Any]) -> _Graph:
        """The operations of the classes of a block, and behind them those that stay."""
        outside = {k: self._value(scope.path, k) for k in scope.outside}
        leaves = {n: self.encoded.leaves[n] for n in scope.leaves}
        values = [*leaves.values(), *outside.values()]
        copies = [copy for written in scope.classes.values() for copy in written.copies]
        names = [*(f"%l{n}" for n in leaves), *(f"%c{k}" for k in outside)]
        arguments = [f"{name}: {value.type}" for name, value in zip(names, values, strict=True)]
        arguments += [f"{copy.name}: {copy.text}" for copy in copies]
        made = ", ".join([f"%c{k}" for k in scope.classes])
        results = ", ".join([written.type for written in scope.classes.values()])
        head = f"^bb0({', '.join(arguments)}):" if arguments else "^bb0:"
        lines = [head, *scope.lines(), f'"{YIELD}"({made}) : ({results}) -> ()']
        body = "\n".join(lines)
        module = self.ir.Module.parse(f'"{GRAPH}"() ({{\n{body}\n}}) : () -> ()')
        (inner,) = module.body.operations[0].regions[0].blocks
        end = inner.operations[-1].operation
        own = dict(zip(scope.classes, end.operands, strict=True))
        for op in list(_templates(inner)):
            self._replaced(op, self.templates[int(op.name.removeprefix(TEMPLATE))])
        values += self._copies(scope, own, own | outside)
        for argument, value in zip(list(inner.arguments), values, strict=True):
            argument.replace_all_uses_with(value)
        for number in reversed(range(len(values))):
            inner.erase_argument(number)
        self.classes |= {(scope.path, k): value for k, value in own.items()}
        for op in staying[:-1]:
            op.move_before(end)
        return _Graph(module, inner, end, staying)

    def _copies(self, scope: Scope, own: Mapping[int, Any], classes: Mapping[int, Any]) -> Iterator[Any]:
        """The values of the nodes of a block that are copies of templates, each made before its class."""
        for klass, written in scope.classes.items():
            point = self.ir.InsertionPoint(own[klass].owner) if written.copies else None
            for copy in written.copies:
                op = self.templates[copy.template].clone(ip=point)
                operands = op.operands
                for number, k in enumerate(copy.operands):
                    operands[number] = classes[k]
                op.result.set_type(copy.type)
                yield op.result

    def _replaced(self, op: Any, template: Any) -> None:
        """A copy of a template with the operands and the types of an operation, in its place."""
        copy = template.clone(ip=self.ir.InsertionPoint(op))
        operands = copy.operands
        for number, value in enumerate(op.operands):
            operands[number] = value
        for old, new in zip(op.results, copy.results, strict=True):
            new.set_type(old.type)
            old.replace_all_uses_with(new)
        op.erase()

    def _value(self, path: Path, klass: int) -> Any:
        """A class where it is visible from a block."""
        return next(v for n in range(len(path), 0, -1) if (v := self.classes.get((path[:n], klass))) is not None)

    def _use_classes(self, op: Any, path: Path) -> None:
        """Give an operation that stays its operands as classes."""
        for n, value in enumerate(op.operands):
            name = self.encoded.term.get(value, "")
            if name.startswith("$"):
                op.operands[n] = self._value(path, self.tables.names[name].number)

    def _finish(self, made: _Graph) -> None:
        """Put a graph into its block, with what is used outside of it as its results."""
        *inside, last = made.staying
        results = [r for op in inside for r in op.results]
        uses = [(v, use.owner.operation, use.operand_number) for v in results for use in v.uses]
        uses = [(v, op, n) for v, op, n in uses if self._is_outside(op, made.inner)]
        ends = [(v, last, n) for n, v in enumerate(last.operands) if self._is_made_in(v, made.inner)]
        escaping = list(dict.fromkeys(v for v, _, _ in [*ends, *uses]))
        final = self.ir.Operation.create(
            GRAPH, results=[v.type for v in escaping], regions=1, ip=self.ir.InsertionPoint(last), loc=last.location
        )
        made.inner.append_to(final.regions[0])
        where = dict(zip(escaping, final.results, strict=True))
        for value, op, number in [*ends, *uses]:
            op.operands[number] = where[value]
        self.ir.Operation.create(YIELD, operands=escaping, ip=self.ir.InsertionPoint(made.end))
        made.end.erase()

    def _is_made_in(self, value: Any, inner: Any) -> bool:
        return isinstance(value, self.ir.OpResult) and value.owner.operation.block == inner

    def _is_outside(self, op: Any, inner: Any) -> bool:
        """Whether an operation is in none of the blocks below a graph's."""
        while op != self.op:
            if op.block == inner:
                return False
            op = op.parent.operation
        return True


def _templates(block: Any) -> Iterator[Any]:
    """The operations in a block, and in blocks inside of it, that stand for copies of templates."""
    for child in block.operations:
        op = child.operation
        if op.name.startswith(TEMPLATE):
            yield op
        elif len(op.regions):
            yield from (inner for inner, _ in walk(op) if inner.name.startswith(TEMPLATE))
