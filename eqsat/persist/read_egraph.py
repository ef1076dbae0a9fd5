"""An e-graph that was written into a function, read back as a plain program and a list of equal values.

In each `equivalence.graph`, some acyclic program is found for every class; its operations and all others are put in an
order in which operands come first. Values that this program does not need stay beside it until extraction.
Passes may have run in between: nothing is expected of the order of the text, of the number of nodes in a class, or of a
node being in one class only.

    before  %r = "equivalence.graph"() ({ %c = "equivalence.class"(%c2, %n); %n = op(%c); ... "equivalence.yield"(%c) })
    after   the operations of some member of each class, in order; their equal values, and nodes, as a `Persisted`
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import field
from typing import Any

from raising.eqsat.egraph.purity import Purity, no_modules, sort_of, walk
from raising.eqsat.persist.graph_scopes import CLASS
from raising.eqsat.persist.graph_text import CONSTANT_CLASS, GRAPH, YIELD
from raising.support.mlir.walk import blocks_of
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

    `declared` are names of operations without effects, as for `Purity`.
    """
    no_modules(ir)
    found = Persisted()
    purity = _Purity(ir, passes, declared)
    with module.context, ir.Location.unknown():
        graphs = [op for op, _ in walk(module.operation) if op.name == GRAPH]
        for graph in reversed(graphs):  # inner ones first
            _read_graph(graph, purity, found)
        _read_ordered(module, purity, found)
    return found


@dataclass(frozen=True)
class _Purity:
    """Which operations only compute values."""

    ir: Any
    passes: Any
    declared: frozenset[str]

    def of_module(self, module: Any) -> frozenset[Any]:
        """Those of a module."""
        return Purity(module, self.ir, self.passes, self.declared).values()

    def of_nodes(self, nodes: Sequence[Any]) -> frozenset[Any]:
        """Those of some operations: one of each sort is asked for by itself."""
        alike: dict[Any, list[Any]] = {}
        for op in nodes:
            alike.setdefault(sort_of(op, self.ir), []).append(op)
        module = self.ir.Module.parse(_SCRATCH)
        with self.ir.InsertionPoint(module.body.operations[0].regions[0].blocks[0].operations[0]):
            copies = [_alone(same[0], self.ir) for same in alike.values()]
        pure = self.of_module(module)
        return frozenset(op for same, copy in zip(alike.values(), copies, strict=True) if copy in pure for op in same)


def _alone(op: Any, ir: Any) -> Any:
    """A copy of an operation by itself: what it takes from elsewhere comes from nowhere."""
    copy = op.clone().operation
    operations = [copy, *(inner for inner, _ in walk(copy))]
    inside = {hash(inner) for inner in operations}
    blocks = {block for inner in operations for block in blocks_of(inner)}
    for inner in operations:
        for n, value in enumerate(inner.operands):
            argument = isinstance(value, ir.BlockArgument)
            if not (value.owner in blocks if argument else hash(value.owner.operation) in inside):
                source = ir.Operation.create(_SOURCE, results=[value.type])
                source.move_before(copy)
                inner.operands[n] = source.results[0]
    return copy


# ---- classes without a graph ---------------------------------------------------------------------


def _read_ordered(module: Any, purity: _Purity, found: Persisted) -> None:
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
    values = purity.of_module(module)
    for group in members:
        plain = tuple(dict.fromkeys(_first(value, where) for value in group))
        found.equal += [plain] if len(plain) > 1 else []
        found.nodes += [v.owner for v in plain if isinstance(v, purity.ir.OpResult) and v.owner in values]


def _first(value: Any, where: Mapping[Any, Any]) -> Any:
    """A value, or what stands for the class that it is."""
    while value in where:
        value = where[value]
    return value


# ---- graphs --------------------------------------------------------------------------------------


def _read_graph(graph: Any, purity: _Purity, found: Persisted) -> None:
    """Put everything of a graph into the block around it."""
    (block,) = graph.regions[0].blocks
    operations = [child.operation for child in block.operations]
    last = operations.pop() if operations and operations[-1].name == YIELD else None
    nodes = [op for op in operations if op.name not in _CLASSES]
    for op in nodes:
        if _COST in op.attributes:
            del op.attributes[_COST]
    values = purity.of_nodes(nodes)
    found.nodes += [op for op in nodes if op in values]
    ends = [] if last is None else list(last.operands)
    schedule = _Schedule(block, operations, {op for op in nodes if op not in values}, purity.ir)
    found.equal += _inlined(graph, operations, schedule.run(ends), schedule.chosen)
    if last is not None:
        for result, value in zip(graph.results, list(last.operands), strict=True):
            result.replace_all_uses_with(value)
    graph.erase()


def _inlined(
    graph: Any, operations: Sequence[Any], order: Sequence[Any], chosen: Mapping[Any, int]
) -> list[tuple[Any, ...]]:
    """The equal values of a graph, whose operations are moved in front of it; the chosen members stand for classes."""
    # an operation has another hash when its operands were replaced, so none is looked up between
    ordered = set(order)
    classes = [(op, chosen[op]) for op in operations if op.name in _CLASSES and op in ordered]
    for op, member in classes:
        op.results[0].replace_all_uses_with(op.operands[member])
    placed = set(order)
    dead = {result for op in operations if op not in placed for result in op.results}
    for op in order:
        if op.name not in _CLASSES:
            op.move_before(graph)
    members = ((op.operands[member], *(v for v in op.operands if v not in dead)) for op, member in classes)
    equal = [tuple(dict.fromkeys(values)) for values in members]
    return [values for values in equal if len(values) > 1]


class _Schedule:
    """An order of a graph's operations in which operands come first; those with effects, which stay, keep theirs.

    Of a class, the member that can be computed first is `chosen`.
    """

    def __init__(self, block: Any, operations: Sequence[Any], staying: Set[Any], ir: Any) -> None:
        self.block, self.operations, self.staying, self.ir = block, operations, staying, ir
        self.chosen: dict[Any, int] = {}
        self._missing: dict[Any, int] = {}
        self._users: dict[Any, list[tuple[Any, int]]] = {}
        for op in operations:
            needs = [(v, n) for v, n in _needs(op) if self._is_here(v)]
            for value, number in needs:
                self._users.setdefault(value, []).append((op, number))
            self._missing[op] = len(needs)

    def run(self, ends: Sequence[Any]) -> list[Any]:
        """All that can be computed; `NoOrder` if that does not include what stays and the `ends`."""
        ready = {op for op in self.operations if self._has_leaf(op) or not self._missing[op]}
        free = deque(op for op in self.operations if op in ready and op not in self.staying)
        queue = deque(op for op in self.operations if op in self.staying)
        order: list[Any] = []
        while free or (queue and queue[0] in ready):
            op = free.popleft() if free else queue.popleft()
            order.append(op)
            for user in self._made_ready(op):
                ready.add(user)
                free.extend([] if user in self.staying else [user])
        computed = {result for op in order for result in op.results}
        lost = [value for value in ends if self._is_here(value) and value not in computed]
        if queue or lost:
            raise NoOrder(queue[0] if queue else lost[0].owner.operation)
        return order

    def _has_leaf(self, op: Any) -> bool:
        """Whether a class has a member from outside of the graph: that one stands for it."""
        outside = [n for n, v in enumerate(op.operands) if not self._is_here(v)] if op.name in _CLASSES else []
        self.chosen |= {op: outside[0]} if outside else {}
        return bool(outside)

    def _made_ready(self, op: Any) -> Iterator[Any]:
        """The users of an operation that can be computed when it is: a class by its first member."""
        for user, number in (u for result in op.results for u in self._users.get(result, ())):
            self._missing[user] -= 1
            if user.name in _CLASSES:
                if self.chosen.setdefault(user, number) == number:
                    yield user
            elif self._missing[user] == 0:
                yield user

    def _is_here(self, value: Any) -> bool:
        return isinstance(value, self.ir.OpResult) and value.owner.operation.block == self.block


def _needs(op: Any) -> Iterator[tuple[Any, int]]:
    """The values that an operation takes, those inside of its regions too, each once."""
    seen: set[Any] = set()
    for inner in [op, *(i for i, _ in walk(op))]:
        for n, value in enumerate(inner.operands):
            if value not in seen:
                seen.add(value)
                yield value, n
