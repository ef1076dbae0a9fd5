"""A part of a program as a program of its own."""

from __future__ import annotations

from dataclasses import replace

from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Node, Program, Store, walk
from raising.affine.polyhedral.scop import accesses, context_set, within_outer


def pruned(program: Program, inside: set[str], renamed: dict[str, str], outputs: set[str]) -> Program:
    """The program with only the stores `inside` and what they need; loads renamed to their version."""
    needed = _needed(program, inside)

    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        out: list[Node] = []
        for node in nodes:
            match node:
                case Store():
                    if node.label in inside:
                        out.append(node)
                case Load():
                    if node.dst in needed:
                        out.append(replace(node, array=renamed[node.dst]))
                case Compute() | IndexValue():
                    if node.dst in needed:
                        out.append(node)
                case _:
                    body = visit(node.body)
                    if body:
                        out.append(replace(node, body=body))
        return tuple(out)

    body = visit(program.body)
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
    sources = {n.dst: n for n in walk(program.body) if isinstance(n, Compute | Load | IndexValue)}
    pending = [n.value for n in walk(program.body) if isinstance(n, Store) and n.label in inside]
    needed: set[str] = set()
    while pending:
        name = pending.pop()
        if name in needed:
            continue
        needed.add(name)
        node = sources.get(name)
        if isinstance(node, Compute):
            pending += node.args
    return needed
