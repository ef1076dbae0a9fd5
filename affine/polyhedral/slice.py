"""A part of a program as a program of its own."""

from __future__ import annotations

from dataclasses import replace

from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Node, Program, Store, walk
from raising.affine.ir.rewriting import rewritten
from raising.affine.ir.value_names import computed_from, values_in
from raising.affine.polyhedral.scop import accesses, context_set, within_outer


def pruned(program: Program, inside: set[str], renamed: dict[str, str], outputs: set[str]) -> Program:
    """The program with only the stores `inside` and what they need; loads renamed to their version."""
    needed = _needed(program, inside)

    def change(node: Node) -> tuple[Node, ...]:
        match node:
            case Store():
                return (node,) if node.label in inside else ()
            case Load():
                return (replace(node, array=renamed[node.dst]),) if node.dst in needed else ()
            case Compute() | IndexValue():
                return (node,) if node.dst in needed else ()
            case _:
                return (node,) if node.body else ()

    body = rewritten(program.body, change)
    names = {n.array for n in walk(body) if isinstance(n, Load | Store)}
    arrays = {n: replace(program.arrays[_base(n, program)], name=n) for n in sorted(names)}
    scalars = {n: s for n, s in program.scalars.items() if n in needed}
    return replace(program, arrays=arrays, scalars=scalars, body=body, live_out=frozenset(outputs))


def without_idle(program: Program) -> Program:
    """The program without stores that run at no sizes, as in a loop up to `n` under `n < 0`."""
    if not any(isinstance(node, Guard) for node in walk(program.body)):
        return program
    around = within_outer(program)
    context = context_set(around)
    stores = {a.node.label: a.domain for a in accesses(around) if isinstance(a.node, Store)}
    inside = {label for label, domain in stores.items() if not domain.intersect_params(context).is_empty()}
    if len(inside) == len(stores):
        return program
    own = {n.dst: n.array for n in walk(program.body) if isinstance(n, Load)}
    made = pruned(program, inside, own, set(program.live_out))
    return replace(made, arrays=program.arrays, scalars=program.scalars, live_out=program.live_out)


def _base(name: str, program: Program) -> str:
    return name if name in program.arrays else name.rsplit("_", 1)[0]


def _needed(program: Program, inside: set[str]) -> set[str]:
    """The values that the stores `inside` are computed from."""
    stored = [store.value for store in program.stores() if store.label in inside]
    return set(computed_from(stored, values_in(walk(program.body))))
