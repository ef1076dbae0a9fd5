"""Sums of sums over tiles: a tile's own sum, added to that of all tiles, is added term by term.

    before  for b = 0 to n by 8 { t = 0; for i = b to b + 8 { t += x[i]; } s += t; }
    after   for b = 0 to n by 8 { for i = b to b + 8 { s += x[i]; } }

Only the order in which the terms are added changes. A loop over tiles is one with a step above 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from raising.affine.ir.program import Compute, Guard, Load, Loop, Node, Program, Store, walk
from raising.affine.ir.rewriting import rewritten, with_loops
from raising.affine.ir.value_names import uses
from raising.support.record import dataclass

_SUMS = ("arith.addf", "arith.addi")


def without_partial_sums(program: Program) -> Program:
    """The program with the sums of tiles taken as part of the sums that they are added to."""

    def change(loop: Loop) -> tuple[Node, ...]:
        return (replace(loop, body=_merged(loop.body, program)),) if loop.step > 1 else (loop,)

    body = with_loops(program.body, change)
    return program if body == program.body else replace(program, body=body)


@dataclass(frozen=True)
class _Sum:
    """`total = total + cell`: its four nodes, by their places in a block."""

    cell: Load
    total: Load
    add: Compute
    store: Store


def _merged(nodes: tuple[Node, ...], program: Program) -> tuple[Node, ...]:
    """A block with each of its partial sums in the sum that it is added to."""
    for zero in (n for n in nodes if isinstance(n, Store) and _is_zero(n, program)):
        found = _sum_of(zero, nodes)
        if found is not None and _is_apart(zero, found, nodes, program):
            gone: tuple[Node, ...] = (zero, found.cell, found.total, found.add, found.store)
            left = tuple(n for n in nodes if not any(n is g for g in gone))
            return _merged(rewritten(left, partial(_moved, zero, found.store)), program)
    return nodes


def _is_zero(store: Store, program: Program) -> bool:
    scalar, array = program.scalars.get(store.value), program.arrays[store.array]
    own = array.kind == "local" and not array.shape and store.array not in program.live_out
    return own and scalar is not None and scalar.literal in ("0", "0.0")


def _sum_of(zero: Store, nodes: tuple[Node, ...]) -> _Sum | None:
    """The one use of a cell in a block: it is added to something that is stored where it was."""
    cells = [n for n in nodes if isinstance(n, Load) and n.array == zero.array]
    for add in (n for n in nodes if isinstance(n, Compute) and n.op in _SUMS):
        totals = [n for n in nodes if isinstance(n, Load) and n.dst in add.args and n not in cells]
        stores = [n for n in nodes if isinstance(n, Store) and n.value == add.dst]
        if len(cells) == len(totals) == len(stores) == 1 and set(add.args) == {cells[0].dst, totals[0].dst}:
            total, store = totals[0], stores[0]
            once = all(uses(name, walk(nodes)) == 1 for name in (cells[0].dst, total.dst, add.dst))
            same = (total.array, total.subscripts) == (store.array, store.subscripts)
            return _Sum(cells[0], total, add, store) if once and same else None
    return None


def _is_apart(zero: Store, found: _Sum, nodes: tuple[Node, ...], program: Program) -> bool:
    """Whether all else that touches the cell are sums before it is added, and nobody sees the total from there on."""
    start, cell, end = (next(k for k, n in enumerate(nodes) if n is each) for each in (zero, found.cell, found.store))
    bodies = [n.body for n in walk(nodes[start:cell]) if isinstance(n, Loop | Guard)]
    sums = [n for block in bodies for pair in _sums_into(zero, block, found.add.op) for n in pair]
    touched = [n for n in walk(program.body) if isinstance(n, Load | Store) and n.array == zero.array]
    known = [zero, found.cell, *sums]
    seen = [n for n in walk(nodes[start:end]) if isinstance(n, Load | Store) and n.array == found.store.array]
    return bool(sums) and len(touched) == len(known) and len(seen) == 1 and seen[0] is found.total


def _sums_into(zero: Store, block: tuple[Node, ...], op: str) -> Iterator[tuple[Load, Store]]:
    """The loads and stores of a block that add to the cell."""
    for store in (n for n in block if isinstance(n, Store) and n.array == zero.array):
        loads = [n for n in block if isinstance(n, Load) and n.array == zero.array]
        adds = [n for n in block if isinstance(n, Compute) and n.dst == store.value and n.op == op]
        own = [n.dst for n in loads] + [n.dst for n in adds]
        if (
            len(loads) == len(adds) == 1
            and own[0] in adds[0].args
            and all(uses(name, walk(block)) == 1 for name in own)
        ):
            yield loads[0], store


def _moved(zero: Store, into: Store, node: Node) -> tuple[Node, ...]:
    """An access to the cell as one to the total; other nodes as they are."""
    if isinstance(node, Load | Store) and node.array == zero.array:
        return (replace(node, array=into.array, subscripts=into.subscripts),)
    return (node,)
