"""Names of values in a program: which node defines one, how often it is used, what it is computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from raising.affine.ir.program import Compute, IndexValue, Load, Loop, Node, Program, Store, walk
from raising.affine.ir.rewriting import rewritten
from raising.support.graphs import reachable

Value = Load | Compute | IndexValue


def defined(node: Node) -> tuple[str, ...]:
    """The name that a node itself defines: a loop variable, a label, a value; nothing for a guard."""
    match node:
        case Loop():
            return (node.iv,)
        case Store():
            return (node.label,)
        case Load() | Compute() | IndexValue():
            return (node.dst,)
        case _:
            return ()


def values_in(nodes: Iterable[Node]) -> dict[str, Value]:
    """The nodes that define a value, by its name."""
    return {n.dst: n for n in nodes if isinstance(n, Value)}


def computes_of(program: Program) -> dict[str, Compute]:
    """The scalar operations of a program by the name of their result."""
    return {n.dst: n for n in walk(program.body) if isinstance(n, Compute)}


def operands(node: Node) -> tuple[str, ...]:
    """The values that a node itself uses."""
    match node:
        case Compute():
            return node.args
        case Store():
            return (node.value,)
        case _:
            return ()


def uses(name: str, nodes: Iterable[Node]) -> int:
    """How often a value is an operand of these nodes; nested bodies do not count."""
    return sum(operands(n).count(name) for n in nodes)


def computed_from(values: Iterable[str], made: Mapping[str, Node]) -> list[str]:
    """The values that some values are computed from, these included; `made` has the node that defines each."""
    return reachable(values, lambda name: operands(made[name]) if name in made else ())


def without_unused(nodes: tuple[Node, ...], among: Callable[[Value], bool]) -> tuple[Node, ...]:
    """Nodes without those values `among` them that neither stores nor other values need; loops and guards all stay."""
    made = values_in(walk(nodes))
    ends = [n.value for n in walk(nodes) if isinstance(n, Store)] + [n.dst for n in made.values() if not among(n)]
    used = set(computed_from(ends, made))
    return rewritten(nodes, lambda node: () if isinstance(node, Value) and node.dst not in used else (node,))
