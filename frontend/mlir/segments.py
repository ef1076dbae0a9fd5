"""Segments: runs of loop nests in a function that are raised together, as one program.

For a target of tensors the function is raised as a whole. There a run also takes in the operations after its loops
that depend on them: loads of what the loops wrote, arithmetic on such loads, and the values that are returned.

    before  affine.for %i { a[i] = x }; affine.for %i { b[i] = a[i] }
    after   one program: for i = 0 to 8: a[i] = x; for i = 0 to 8: b[i] = a[i]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from raising.affine.ir.program import Compute, Load, Node, Program, Store, extents_known, forms, walk
from raising.frontend.mlir.attributes import Refusal, location
from raising.frontend.mlir.booleans import as_numbers, holds_boolean
from raising.frontend.mlir.ops import read_op
from raising.frontend.mlir.reader import LOADS, STORES, Function, Item
from raising.support.mlir.walk import maker
from raising.support.record import dataclass

RETURN = "func.return"


def late(function: Function, item: Item, op: Any, run: Sequence[Item]) -> Item | None:
    """An operation that reads what a run wrote, or computes with that, as an item of the run.

    None if it is neither, or if it has to end the run: where a position or a bound depends on it.
    """
    reader = function.reader
    if any(reader.index.get(result) is not None for result in op.results):
        return None
    if op.name in LOADS:
        written = {n.array for i in run for n in walk(i.nodes) if isinstance(n, Store)}
        return _loaded(function, item, op) if reader.memory.get(op.operands[0]) in written else None
    if op.name == RETURN:
        return _returned(function, item, op, run)
    known = made(run)
    plain = op.name.startswith(("arith.", "math.")) and len(op.results) == 1 and not len(op.regions)
    if not plain or not any(reader.data.get(v) in known for v in op.operands):
        return None
    return _computed(function, item, op)


def made(run: Sequence[Item]) -> set[str]:
    """The names of values that the nodes of a run define outside of its loops."""
    return {n.dst for i in run for n in i.nodes if isinstance(n, Load | Compute)}


def _loaded(function: Function, item: Item, op: Any) -> Item | None:
    """A load under the name that its result has already."""
    reader = function.reader
    name = reader.data.get(op.results[0])
    try:
        nodes = reader.collected(lambda: read_op(reader, op))
    except Refusal:
        return None
    finally:
        if name is not None:
            reader.data[op.results[0]] = name
    if name is None or not nodes:
        return None
    return replace(item, nodes=tuple(replace(n, dst=name) if isinstance(n, Load) else n for n in nodes))


def _computed(function: Function, item: Item, op: Any) -> Item | None:
    """A scalar operation under the name that its result has already."""
    reader = function.reader
    name, names = reader.data.get(op.results[0]), [reader.data.get(v) for v in op.operands]
    args = tuple(n for n in names if n is not None)
    if name is None or len(args) < len(names):
        return None
    attrs = (("predicate", str(op.attributes["predicate"])),) if "predicate" in op.attributes else ()
    node = Compute(name, op.name, args, attrs, str(op.results[0].type), location(op))
    return replace(item, nodes=(node,))


def _returned(function: Function, item: Item, op: Any, run: Sequence[Item]) -> Item | None:
    """The values of a run that a function returns, each stored to a memory of its own."""
    reader, known = function.reader, made(run)
    held = {result for i in run for _, result in i.cells}
    values = [v for v in dict.fromkeys(op.operands) if reader.data.get(v) in known and v not in held]
    cells = tuple((reader.carried(str(v.type), op), v) for v in values)
    nodes = [Store(reader.fresh("S"), cell, (), reader.data[v], location(op)) for cell, v in cells]
    return replace(item, nodes=tuple(nodes), cells=cells) if cells else None


MAX_RUN = 60  # statements analysed together; the cost of exact dependences grows faster than their number
OUTSIDE = -1  # the position of a use in a block around this one


@dataclass(frozen=True)
class Segment:
    """A run of nests with nothing between them that minds their order, as one program.

    `told` names the extents of its arguments that are known where the function runs.
    """

    program: Program
    positions: tuple[int, ...]
    cells: tuple[tuple[str, Any], ...]
    undefined: frozenset[str]
    told: frozenset[str] = frozenset()


def segments(
    function: Function, kept: frozenset[int] = frozenset(), stores: bool = False, most: int = MAX_RUN
) -> list[Segment]:
    """Runs of nests with at most so many statements; the nests at the positions `kept` end a run and stay loops.

    With `stores`, stores outside of loops belong to the runs as well, and what is computed from what loops wrote.
    """
    runs: list[list[Item]] = [[]]
    operations = function.operations()
    for item in function.items:
        taken = item.kind == "nest" or (stores and item.kind == "barrier" and bool(item.nodes))
        if (
            taken
            and not stores
            and runs[-1]
            and (_statements([*runs[-1], item]) > most or _changes_gathered(function, runs[-1], item))
        ):
            runs.append([])
        if taken and item.position not in kept:
            runs[-1].append(item)
        elif stores and (found := late(function, item, operations[item.position], runs[-1])) is not None:
            runs[-1].append(found)
        elif runs[-1] and _parts_from(function, item, operations[item.position], runs[-1], stores):
            runs.append([])
    return [_segment(function, run) for run in runs if run]


def _statements(run: list[Item]) -> int:
    return sum(isinstance(node, Store) for item in run for node in walk(item.nodes))


def _changes_gathered(function: Function, run: list[Item], item: Item) -> bool:
    """True if what one of the two reads at positions that are data, or these positions, the other one writes."""
    arrays = function.reader.arrays
    nodes = [list(walk(item.nodes)), [n for i in run for n in walk(i.nodes)]]
    read = [
        {b for n in each if isinstance(n, Load) and (g := arrays[n.array].gathered) for b in g.bases} for each in nodes
    ]
    if not any(read):
        return False
    written = [{n.array for n in each if isinstance(n, Store)} for each in nodes]
    return bool(read[0] & written[1] or read[1] & written[0])


def _parts_from(function: Function, item: Item, op: Any, run: list[Item], stores: bool) -> bool:
    """True if a run ends before an operation; a load of what the run does not write need not end one."""
    if stores and op.name in LOADS:
        written = {n.array for i in run for n in walk(i.nodes) if isinstance(n, Store)}
        return function.reader.memory.get(op.operands[0]) in written
    return item.kind != "plain" or _uses_results(op, run)


def _uses_results(op: Any, run: list[Item]) -> bool:
    """True if an operation takes a value that a loop of the run yields."""
    results = [result for item in run for _, result in item.cells]
    return any(operand == result for operand in op.operands for result in results)


def _segment(function: Function, run: list[Item]) -> Segment:
    reader = function.reader
    nodes = tuple(n for item in run for n in item.nodes)
    used = {n.array for n in walk(nodes) if isinstance(n, Load | Store)}
    arrays = {name: reader.arrays[name] for name in sorted(used)}
    positions = tuple(item.position for item in run)
    cells = tuple(c for item in run for c in item.cells)
    live = {name for name in used if _escapes(function, name, positions)}
    live |= {cell for cell, result in cells if _used_outside(function, result, positions)}
    undefined = frozenset(n for n in used if _undefined_before(function, n, positions[0]))
    sizes = {n for a in arrays.values() for form in a.shape for n in form.names()} | _asked(function, nodes)
    index_names = {f.terms[0][0] for f in reader.index.values() if hasattr(f, "terms") and len(f.terms) == 1}
    sizes |= {str(n) for n in index_names if n in reader.values or str(n) in sizes}
    names = tuple(sorted(sizes - {loop.iv for loop in function.outer}))
    truths = frozenset(n for n, a in arrays.items() if a.kind == "local" and holds_boolean(reader.values[n]))
    scalars = {name: s for name, s in reader.scalars.items() if name not in made(run)}
    nodes, scalars = as_numbers(nodes, scalars, truths)
    context = tuple(c for c in extents_known(reader.arrays.values(), reader.positive) if c.form.names() <= set(names))
    program = Program(function.name, arrays, scalars, nodes, frozenset(live), names, context, function.outer)
    own = {f"{n}_{d}" for n, a in arrays.items() if a.kind == "argument" for d in range(len(a.shape))}
    return Segment(program, positions, cells, undefined, frozenset(own - reader.untold))


def _asked(function: Function, nodes: tuple[Node, ...]) -> set[str]:
    """The extents that the nodes and the loops around them ask for, also of arrays that they do not access."""
    extents = {n for a in function.reader.arrays.values() for form in a.shape for n in form.names()}
    return extents & {n for node in (*function.outer, *walk(nodes)) for form in forms(node) for n in form.names()}


def _escapes(function: Function, name: str, positions: tuple[int, ...]) -> bool:
    array = function.reader.arrays[name]
    if array.kind != "local":
        return array.kind == "argument"
    return _used_outside(function, function.reader.values[name], positions)


def _top_positions(function: Function, value: Any) -> list[tuple[int, Any]]:
    """(position of the top-level operation, the using operation) of every use of a value."""
    tops = function.operations()
    found = []
    for use in value.uses:
        user = use.owner.operation
        top = user
        while top.parent is not None and top.parent.operation != function.op:
            top = top.parent.operation
        found.append((tops.index(top) if top in tops else OUTSIDE, user))
    return found


def _used_outside(function: Function, value: Any, positions: tuple[int, ...]) -> bool:
    users = _top_positions(function, value)
    first = 0 if function.outer else min(positions)  # what is stored before is seen by what comes later only
    return any(
        (p not in positions or user.name == RETURN)
        and user.name != "memref.dealloc"
        and not (OUTSIDE < p < first and _sets_constant(user))
        for p, user in users
    )


def _sets_constant(op: Any) -> bool:
    return op.name in STORES and maker(op.operands[0], "arith.constant") is not None


def _undefined_before(function: Function, name: str, position: int) -> bool:
    kind = function.reader.arrays[name].kind
    if kind != "local":
        return kind == "scalar"
    return all(p >= position for p, _ in _top_positions(function, function.reader.values[name]))
