"""The fusion plan of a block: its operations as steps, which are loops over fused nests or operations that stay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mlir import ir

from raising.native.loops.interleave import apart
from raising.native.loops.loop_plan import accesses_of, expressible
from raising.native.loops.loop_tree import Loop, Node, fused, is_innermost, may_fuse, must_follow, nests_of, tree
from raising.native.loops.narrow import narrowed
from raising.native.loops.unroll_window import unrolled
from raising.native.nest.active import on_a_line
from raising.native.nest.clamps import clamped
from raising.native.nest.nest import Access, Effects, Nest
from raising.native.nest.read_nests import Item, effects_of
from raising.support.record import dataclass


@dataclass(frozen=True)
class Loops:
    """Loops in place of these operations of the block, by number; `needs` are the anchors whose values they use."""

    node: Node
    sources: tuple[int, ...]
    needs: frozenset[int]


@dataclass(frozen=True)
class Anchor:
    """An operation that stays, by its number in the block."""

    number: int
    what: Effects


Step = Loops | Anchor


def plan(items: list[Item], strict: bool, values: Mapping[str, ir.Value]) -> list[Step]:
    """The steps of a block in their order; operations that touch no memory are none.

    `values` are those that nests name.
    """
    steps: list[Step] = []
    items = _with_free_loads(items)
    needs = _anchors_needed(items, values)
    for number, item in enumerate(items):
        if isinstance(item.what, Nest) and expressible(item.what):
            steps = _insert(
                steps, Loops(tree(narrowed(clamped(unrolled(item.what))), strict), (number,), needs[number])
            )
        elif isinstance(item.what, Nest):
            steps.append(Anchor(number, effects_of(item.what)))
        elif not item.what.pure:
            steps.append(Anchor(number, item.what))
    return steps


def _with_free_loads(items: list[Item]) -> list[Item]:
    """The items, where operations that only read what none of them writes may stand anywhere."""
    all_effects = [effects_of(item.what) if isinstance(item.what, Nest) else item.what for item in items]
    nothing = Effects(frozenset(), frozenset())

    def free(what: Nest | Effects) -> bool:
        if not isinstance(what, Effects) or what.writes != frozenset() or what.reads is None:
            return False
        return not any(_meet(what.reads, other.writes) for other in all_effects)

    return [replace(item, what=nothing) if free(item.what) else item for item in items]


def _anchors_needed(items: list[Item], values: Mapping[str, ir.Value]) -> list[frozenset[int]]:
    """For each operation, the ones that stay in place and that compute something it uses."""
    sources: dict[ir.Value, frozenset[int]] = {}
    result = []
    for number, item in enumerate(items):
        used = [*_used(item.operation), *(values[name] for name in _named(item.what) if name in values)]
        needed = frozenset().union(*(sources.get(value, frozenset()) for value in used))
        result.append(needed)
        stays = isinstance(item.what, Effects) and not item.what.pure
        for value in item.operation.results:
            sources[value] = needed | {number} if stays else needed
    return result


def _named(what: Nest | Effects) -> Iterable[str]:
    """The scalars around a nest that it uses; one that others were inlined into has theirs, too."""
    names = (*(name for name, _ in what.captured), *what.symbols) if isinstance(what, Nest) else ()
    return (name.split(".")[0] for name in names)


def _used(operation: ir.Operation) -> Iterable[ir.Value]:
    """The operands of an operation, and of those inside of it."""
    yield from operation.operands
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _used(inner.operation)


def _insert(steps: list[Step], new: Loops) -> list[Step]:
    """The steps with one more, fused with an earlier one if that may be and pays: not with a nest for one line only.

    What stands between the two and has to come before the new one goes before both, if it may.
    """
    sooner: dict[int, Loops] = {}
    for place in reversed(range(len(steps))):
        step = steps[place]
        if isinstance(step, Anchor):
            if any(step.number in each.needs or _conflict(step.what, each) for each in (new, *sooner.values())):
                break
            continue
        held = any(must_follow(step.node, each.node, 0) for each in sooner.values())
        lines = any(on_a_line(nest) for node in (step.node, new.node) for nest in nests_of(node))
        if not held and not lines and may_fuse(step.node, new.node, 0):
            joined = Loops(fused(step.node, new.node, 0), (*step.sources, *new.sources), step.needs | new.needs)
            rest = [each for number, each in enumerate(steps) if number > place and number not in sooner]
            return [*_insert([*steps[:place], *reversed(sooner.values())], joined), *rest]
        if held or must_follow(step.node, new.node, 0):
            sooner[place] = step
    return [*steps, new]


def _conflict(what: Effects, new: Loops) -> bool:
    """Whether an operation and loops touch the same memory and one of them writes."""
    others = [effects_of(nest) for nest in nests_of(new.node)]
    return any(_meet(what.writes, other.reads) or _meet(what.writes, other.writes) or _meet(what.reads, other.writes)
               for other in others)  # fmt: skip


def _meet(some: frozenset[str] | None, others: frozenset[str] | None) -> bool:
    if some is None or others is None:
        return some != frozenset() and others != frozenset()
    return bool(some & others)


def forwarded(nodes: tuple[Node, ...], root: str) -> bool:
    """Whether every read of a buffer finds its element in a register: written just before, by the same subscripts."""
    reads = sum(access.array.root == root for node in nodes for nest in nests_of(node) for access in nest.reads)
    whole = all(len(access.array.shape) == len(access.map) for access in accesses_of(nodes))
    return whole and reads == sum(_forwarded_in(node, root) for node in nodes)


def _forwarded_in(node: Node, root: str) -> int:
    """How many reads of the buffer in an innermost loop follow such a write in it."""
    if not isinstance(node, Loop):
        return 0
    if not is_innermost(node):
        return sum(_forwarded_in(child, root) for child in node.body)
    count, written = 0, set[Access]()
    for child in node.nests():
        count += sum(read in written for read in child.reads if read.array.root == root)
        inner = len(child.extents) - 1
        for write in (write for write in child.writes if write.array.root == root):
            written = {other for other in written if apart(other, write, inner)}  # else it is not known any more
            written |= {write} if inner in write.dims else set()
    return count
