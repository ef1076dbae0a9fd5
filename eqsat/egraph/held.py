"""Values of memory that changes are computed before it does, and not again afterwards.

A tensor of `bufferization.to_tensor` is a view of memory. What was computed from it before that memory is written is
another value than what the same operations would give afterwards, which an e-graph does not know. So in front of what
may write, each such value that is used later goes through an operation of unknown effects: rules do not see through it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from typing import Any

from raising.eqsat.egraph.purity import no_modules, walk
from raising.support.mlir.branches import replace_op
from raising.support.mlir.operand_segments import copied
from raising.support.mlir.walk import blocks_of, maker
from raising.support.record import dataclass

HOLD = "raise.hold"
VIEW, WRITE = "bufferization.to_tensor", "bufferization.materialize_in_destination"
ALLOCATIONS = ("memref.alloc", "memref.alloca")
_HARMLESS = {*ALLOCATIONS, VIEW, HOLD, "memref.dealloc", "memref.load", "memref.dim", "affine.load", "func.return"}
_KNOWN = ("memref.", "affine.", "linalg.", "vector.", "bufferization.")  # write what their operands name, nothing else
_VIEWED = "raise.viewed"  # of a held value that was a view of memory itself

_NO: frozenset[Any] = frozenset()
Roots = frozenset[Any] | None
"""Memory by the values that name it; None for any memory."""


@contextmanager
def held(module: Any, ir: Any, values: Set[Any], for_good: bool) -> Iterator[bool]:
    """Hold what is computed from memory that is written before its last use, until the end or `for_good`.

    `values` are the operations without effects. Whether there was anything is told, as such sets are stale then:
    operations with other operands have another hash.
    """
    no_modules(ir)
    found = [op for op, _ in walk(module.operation)]
    if not any(op.name in (VIEW, HOLD) for op in found):
        yield False
        return
    allowed = module.context.allow_unregistered_dialects
    module.context.allow_unregistered_dialects = True
    try:
        with module.context, ir.Location.unknown():
            known = any(op.name.startswith("equivalence.") for op in found)
            yield not known and _hold(found, ir, values)
        if not for_good:
            with module.context, ir.Location.unknown():
                _release(module, ir)
    finally:
        module.context.allow_unregistered_dialects = allowed


def _hold(found: list[Any], ir: Any, values: Set[Any]) -> bool:
    memory = memory_of(found, values)
    known: dict[Any, Roots] = {}
    blocks = (block for op in found if op not in values for block in blocks_of(op))
    planned = [plan for block in blocks for plan in _Block(block, memory, known).planned()]
    last: dict[Any, Any] = {}
    for plan in planned:
        value = last.get(plan.value, plan.value)
        viewed = {_VIEWED: ir.UnitAttr.get()} if may_be_view(plan.value) else {}
        made = ir.Operation.create(HOLD, [value.type], [value], viewed)
        ir.InsertionPoint(plan.before).insert(made)
        last[plan.value] = made.results[0]
        for op, n in plan.uses:
            op.operands[n] = made.results[0]
    return bool(planned)


def memory_of(found: list[Any], values: Set[Any]) -> Memory:
    """What the operations of a module do to memory; `values` are those without effects."""
    ends = [(op, op.operands[op.name == WRITE]) for op in found if op.name in (VIEW, WRITE)]
    return Memory(frozenset(_root(m) for op, m in ends if "restrict" in op.attributes), values)


def _release(module: Any, ir: Any) -> None:
    """Take out what holds values; one that turned out to be a view of memory is copied there."""
    for op in [op for op, _ in walk(module.operation) if op.name == HOLD]:
        value = op.operands[0]
        if _VIEWED not in op.attributes and may_be_view(value):
            value = copied(ir, value, ir.InsertionPoint(op))
        replace_op(op, [value])


def may_be_view(value: Any) -> bool:
    """Whether a tensor may be memory that is there already."""
    seen, stack = set[Any](), [value]
    while stack:
        value = stack.pop()
        op = maker(value)
        if value in seen or not _is_tensor(value) or _is_argument(value):
            continue
        if op is None or op.name == VIEW:
            return True
        seen.add(value)
        if not op.name.startswith("linalg.") and op.name != "bufferization.alloc_tensor":
            stack += [*op.operands, *(o for child, _ in walk(op) for o in child.operands)]
    return False


def _is_argument(value: Any) -> bool:
    """Whether a value is an argument of a function."""
    owner = value.owner
    return hasattr(owner, "arguments") and _is_entry(owner)


def _is_entry(block: Any) -> bool:
    function = block.owner.operation
    return "function_type" in function.attributes and block == function.regions[0].blocks[0]


def _root(memory: Any) -> Any:
    """The memory that another is a part of."""
    op = maker(memory)
    while op is not None and op.name.startswith("memref.") and op.name not in ALLOCATIONS and len(op.operands):
        memory, op = op.operands[0], maker(op.operands[0])
    return memory


def _is_tensor(value: Any) -> bool:
    return str(value.type).startswith("tensor<")


@dataclass(frozen=True)
class Memory:
    """The memory that operations read and write; `restricted` memory has no other name among the restricted."""

    restricted: frozenset[Any]
    values: Set[Any]

    def written(self, op: Any) -> Roots:
        """The memory that an operation may write to."""
        if op in self.values or op.name in _HARMLESS:
            return _NO
        if len(op.successors):
            return None  # whatever other blocks write to
        inner = [child.operation for block in blocks_of(op) for child in block.operations]
        if inner and not op.name.startswith("linalg."):
            return _joined([self.written(child) for child in inner])
        if op.name.startswith(_KNOWN) or op.name.endswith(".yield"):
            return frozenset(_root(o) for o in op.operands if ("memref<" in str(o.type)))
        return None

    def meet(self, some: Roots, other: Roots) -> bool:
        """Whether two kinds of memory may have a part in common."""
        if some is None or other is None:
            return all(r is None or bool(r) for r in (some, other))
        return any(self._alias(a, b) for a in some for b in other)

    def read(self, op: Any, known: Mapping[Any, Roots]) -> Roots:
        """The memory that the results of an operation are views of, or were computed from."""
        if op.name == VIEW:
            return frozenset({_root(op.operands[0])})
        if op in self.values or op.name == HOLD:
            inside = (o for child, _ in walk(op) for o in child.operands)
            return _joined([known.get(o, _NO) for o in (*op.operands, *inside)])
        return None if any(_is_tensor(r) for r in op.results) else _NO

    def _alias(self, one: Any, other: Any) -> bool:
        if one == other:
            return True
        if one in self.restricted and other in self.restricted:
            return False
        own = [_is_own(v) for v in (one, other)]
        return not any(own) or not all(o or _is_argument(v) for o, v in zip(own, (one, other), strict=True))


def _is_own(memory: Any) -> bool:
    op = maker(memory)
    return op is not None and op.name in ALLOCATIONS


def _joined(parts: list[Roots]) -> Roots:
    known = [p for p in parts if p is not None]
    return _NO.union(*known) if len(known) == len(parts) else None


@dataclass(frozen=True)
class _Planned:
    """A value that is held before an operation, for what uses it from there on."""

    value: Any
    before: Any
    uses: tuple[tuple[Any, int], ...]


class _Block:
    """The operations of one block, each with its place. Nothing is changed, as that would change their hashes."""

    def __init__(self, block: Any, memory: Memory, known: dict[Any, Roots]) -> None:
        self.block, self.memory, self.known = block, memory, known
        self.ops = [op.operation for op in block.operations]
        self.places = {op: n for n, op in enumerate(self.ops)}

    def planned(self) -> Iterator[_Planned]:
        """What is to be held of the values of this block."""
        writes = [self.memory.written(op) for op in self.ops]
        for value, first in self._values():
            on = self.known[value]
            places = [n for n in range(first, len(self.ops)) if self.memory.meet(on, writes[n])] if on != _NO else []
            users = [(use.owner.operation, use.operand_number) for use in value.uses]
            found = [(max((p for p in places if self._is_later(op, p)), default=-1), op, n) for op, n in users]
            for place in sorted({p for p, _, _ in found if p >= 0}):
                yield _Planned(value, self.ops[place], tuple((op, n) for p, op, n in found if p == place))

    def _values(self) -> Iterator[tuple[Any, int]]:
        """The values that are computed here, each with the place from which it exists; arguments count as no memory."""
        if not _is_entry(self.block):
            for argument in filter(_is_tensor, self.block.arguments):
                self.known[argument] = None
                yield argument, 0
        for place, op in enumerate(self.ops):
            self.known |= dict.fromkeys(op.results, self.memory.read(op, self.known))
            for result in op.results:
                yield result, place + 1

    def _is_later(self, op: Any, place: int) -> bool:
        """Whether an operation comes after a place of this block, is inside of what stands there, or elsewhere."""
        outer = op
        while outer not in self.places:
            if outer.parent is None:
                return True
            outer = outer.parent.operation
        return self.places[outer] > place or (self.places[outer] == place and outer != op)
