"""Operations outside of loops that compute with what loops wrote, as part of the run that those loops are.

A target of tensors takes a function as a whole: what is read of a memory after a loop, what is computed from it, and
what of that is returned belong to the one program that the function is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from affine.mlir_forms import Refusal, location
from affine.mlir_ops import read_op
from affine.mlir_reader import LOADS, Function, Item
from affine.program import Compute, Load, Store, walk

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
