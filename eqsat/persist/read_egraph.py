"""An e-graph that was written into a function, read back as a plain program and a list of equal values.

In each `equivalence.graph`, some acyclic program is found for every class; its operations and all others are put in an
order in which operands come first. Values that this program does not need stay beside it until extraction.
Passes may have run in between: nothing is expected of the order of the text, of the number of nodes in a class, or of a
node being in one class only. Passes of xDSL itself can be run over the text here, too (`transformed`).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from raising.eqsat.egraph.purity import no_modules, pure_operations, sort_of, walk
from raising.eqsat.persist.graph_scopes import CLASS
from raising.eqsat.persist.graph_text import CONSTANT_CLASS, GRAPH, YIELD
from raising.support.record import dataclass

_CLASSES = (CLASS, CONSTANT_CLASS)
_SOURCE = "raise.source"
_SCRATCH = "func.func @f() { return }"
_COST = "eqsat_cost"  # what xDSL notes at an operation


class NoOrder(Exception):
    """No acyclic program computes a class that is needed: every node needs the class itself; `op` is where."""

    def __init__(self, op: Any) -> None:
        super().__init__("no finite program computes this: each way that the rules leave needs its own result")
        self.op = op


@dataclass
class Persisted:
    """Values that are equal, that of the program first; and the operations that were nodes, in the program or not."""

    equal: list[tuple[Any, ...]] = field(default_factory=list)
    nodes: list[Any] = field(default_factory=list)

    def within(self, op: Any) -> Persisted:
        """The part of it that lies in an operation's regions."""
        inside = {op, *(inner for inner, _ in walk(op))}
        equal = [values for values in self.equal if _holder(values[0]) in inside]
        return Persisted(equal, [node for node in self.nodes if node in inside])


def _holder(value: Any) -> Any:
    """The operation that makes a value, or in whose block it is an argument."""
    owner = value.owner
    return (owner.owner if hasattr(owner, "owner") else owner).operation


def read_graphs(module: Any, ir: Any, passes: Any, declared: frozenset[str]) -> Persisted:
    """Make a plain program of a module with graphs, in place; `NoOrder` if some class has no finite program.

    `declared` are names of operations without effects, as for `pure_operations`.
    """
    no_modules(ir)
    found = Persisted()
    with module.context, ir.Location.unknown():
        graphs = [op for op, _ in walk(module.operation) if op.name == GRAPH]
        for graph in reversed(graphs):  # inner ones first
            _Graph(graph, ir, passes, declared, found).read()
        _read_ordered(module, ir, passes, declared, found)
    return found


def _read_ordered(module: Any, ir: Any, passes: Any, declared: frozenset[str], found: Persisted) -> None:
    """Classes without a graph around them: operands come first, so the first member of each is a program."""
    classes = [op for op, _ in walk(module.operation) if op.name in _CLASSES]
    if not classes:
        return
    members = [tuple(dict.fromkeys(op.operands)) for op in classes]
    where = {value: values[0] for op, values in zip(classes, members, strict=True) for value in op.results}
    for op in classes:
        op.results[0].replace_all_uses_with(op.operands[0])
    for op in reversed(classes):
        op.erase()
    pure = pure_operations(module, ir, passes, declared)
    values = {op for number, (op, _) in enumerate(walk(module.operation)) if number in pure}
    for group in members:
        plain = tuple(dict.fromkeys(_first(value, where) for value in group))
        found.equal += [plain] if len(plain) > 1 else []
        found.nodes += [v.owner for v in plain if isinstance(v, ir.OpResult) and v.owner in values]


def _first(value: Any, where: Mapping[Any, Any]) -> Any:
    """A value, or what stands for the class that it is."""
    while value in where:
        value = where[value]
    return value


class _Graph:
    def __init__(self, op: Any, ir: Any, passes: Any, declared: frozenset[str], found: Persisted) -> None:
        self.op, self.ir, self.passes, self.declared, self.found = op, ir, passes, declared, found
        (self.block,) = op.regions[0].blocks
        operations = [child.operation for child in self.block.operations]
        self.last = operations.pop() if operations and operations[-1].name == YIELD else None
        self.operations = operations
        self.order: list[Any] = []
        self.chosen: dict[Any, Any] = {}  # class operation -> the member that stands for it

    def read(self) -> None:
        """Put everything into the block around the graph."""
        self._schedule(self._staying())
        # an operation has another hash when its operands were replaced, so none is looked up between
        ordered = set(self.order)
        classes = [(op, self.chosen[op]) for op in self.operations if op.name in _CLASSES and op in ordered]
        for op, member in classes:
            op.results[0].replace_all_uses_with(op.operands[member])
        placed = set(self.order)
        lost = [op for op in self.operations if op not in placed]
        for op in self.order:
            if op.name not in _CLASSES:
                op.move_before(self.op)
        dead = {r for op in lost for r in op.results}
        for op, member in classes:
            equal = tuple(dict.fromkeys([op.operands[member], *(v for v in op.operands if v not in dead)]))
            self.found.equal += [equal] if len(equal) > 1 else []
        if self.last is not None:
            for result, value in zip(self.op.results, list(self.last.operands), strict=True):
                result.replace_all_uses_with(value)
        self.op.erase()

    def _staying(self) -> set[Any]:
        """The operations that keep their order: those with effects."""
        others = [op for op in self.operations if op.name not in _CLASSES]
        alike: dict[Any, list[Any]] = {}
        for op in others:
            if _COST in op.attributes:
                del op.attributes[_COST]
            alike.setdefault(sort_of(op, self.ir), []).append(op)
        module = self.ir.Module.parse(_SCRATCH)
        with self.ir.InsertionPoint(module.body.operations[0].regions[0].blocks[0].operations[0]):
            copies = [self._copy(same[0]) for same in alike.values()]
        positions = {hash(op): n for n, (op, _) in enumerate(walk(module.operation))}
        pure = pure_operations(module, self.ir, self.passes, self.declared)
        groups = zip(alike.values(), copies, strict=True)
        values = {op for same, copy in groups if positions[hash(copy)] in pure for op in same}
        self.found.nodes += [op for op in others if op in values]
        return {op for op in others if op not in values}

    def _copy(self, op: Any) -> Any:
        """An operation by itself: what it takes from elsewhere comes from nowhere."""
        copy = op.clone().operation
        inside = {hash(copy)} | {hash(inner) for inner, _ in walk(copy)}
        blocks = {b for inner in (copy, *(i for i, _ in walk(copy))) for r in inner.regions for b in r.blocks}
        for inner in [copy, *(i for i, _ in walk(copy))]:
            for n, value in enumerate(inner.operands):
                owner = value.owner
                if not (
                    owner in blocks if isinstance(value, self.ir.BlockArgument) else hash(owner.operation) in inside
                ):
                    source = self.ir.Operation.create(_SOURCE, results=[value.type])
                    source.move_before(copy)
                    inner.operands[n] = source.results[0]
        return copy

    # ---- an order --------------------------------------------------------------------------------

    def _schedule(self, staying: set[Any]) -> None:
        """All that can be computed, operands first; of a class, what can be computed first stands for it."""
        waiting: dict[Any, int] = {}
        users: dict[Any, list[tuple[Any, int]]] = {}
        ready: set[Any] = set()
        for op in self.operations:
            needs = [(v, n) for v, n in self._needs(op) if self._is_here(v)]
            for value, number in needs:
                users.setdefault(value, []).append((op, number))
            waiting[op] = len(needs)
            if self._has_leaf(op) or not needs:
                ready.add(op)
        free = deque(op for op in self.operations if op in ready and op not in staying)
        queue = deque(op for op in self.operations if op in staying)
        while free or (queue and queue[0] in ready):
            op = free.popleft() if free else queue.popleft()
            self.order.append(op)
            for user, number in (u for result in op.results for u in users.get(result, ())):
                waiting[user] -= 1
                if self._becomes_ready(user, number, waiting[user]):
                    ready.add(user)
                    free.extend([] if user in staying else [user])
        computed = {r for op in self.order for r in op.results}
        ends = [] if self.last is None else [v for v in self.last.operands if self._is_here(v) and v not in computed]
        if queue or ends:
            raise NoOrder(queue[0] if queue else ends[0].owner.operation)

    def _has_leaf(self, op: Any) -> bool:
        """Whether a class has a member from outside of the graph: that one stands for it."""
        outside = [n for n, v in enumerate(op.operands) if not self._is_here(v)] if op.name in _CLASSES else []
        self.chosen |= {op: outside[0]} if outside else {}
        return bool(outside)

    def _becomes_ready(self, op: Any, number: int, missing: int) -> bool:
        """Whether an operation can be computed now that it has one operand more: a class by its first member."""
        if op.name not in _CLASSES:
            return missing == 0
        return bool(self.chosen.setdefault(op, number) == number)

    def _needs(self, op: Any) -> Iterator[tuple[Any, int]]:
        """The values that an operation takes, those inside of its regions too, each once."""
        seen: set[Any] = set()
        for inner in [op, *(i for i, _ in walk(op))]:
            for n, value in enumerate(inner.operands):
                if value not in seen:
                    seen.add(value)
                    yield value, n

    def _is_here(self, value: Any) -> bool:
        return isinstance(value, self.ir.OpResult) and value.owner.operation.block == self.block


def as_generic(data: bytes) -> str | None:
    """A module in the form that every MLIR reads; None if xDSL cannot read it."""
    return transformed(data, lambda context, module: None)


class PatternError(Exception):
    """xDSL cannot apply patterns to a module; the message says why."""


def with_patterns(text: str, patterns: str, tools: str) -> str:
    """A module with e-graphs after xDSL added to them what patterns in its `pdl` dialect make.

    `patterns` is the path of a module with them; `tools` the folder of `mlir-opt`, which xDSL runs.
    """
    from xdsl.transforms.apply_eqsat_pdl import ApplyEqsatPDLPass

    path = os.environ.get("PATH", "")
    os.environ["PATH"] = f"{tools}{os.pathsep}{path}"
    try:
        found = transformed(text.encode(), ApplyEqsatPDLPass(pdl_file=patterns).apply)
    except Exception as error:  # whatever patterns bring its interpreter to
        raise PatternError(" ".join(str(error).split())[:300] or type(error).__name__) from error
    finally:
        os.environ["PATH"] = path
    if found is None:
        raise PatternError("it does not read the module or the patterns")
    return found


def transformed(data: bytes, change: Any) -> str | None:
    """A module in generic form after `change(context, module)`; None if xDSL cannot read it."""
    from io import StringIO

    from xdsl.context import Context
    from xdsl.parser import Parser
    from xdsl.printer import Printer
    from xdsl.universe import Universe
    from xdsl.utils.exceptions import ParseError, VerifyException

    context = Context(allow_unregistered=True)
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    out = StringIO()
    try:
        module = Parser(context, data.decode()).parse_module()
        change(context, module)
        Printer(stream=out, print_generic_format=True).print_op(module)
    except (ParseError, VerifyException, UnicodeDecodeError, AssertionError):  # by assertions it says what it lacks
        return None
    return out.getvalue()
