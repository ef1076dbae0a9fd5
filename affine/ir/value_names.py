"""Names of values in a program: which node defines one, how often it is used, what it is computed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from raising.affine.ir.program import Compute, IndexValue, Load, Loop, Node, Program, Store, walk
from raising.support.graphs import reachable


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


def values_in(nodes: Iterable[Node]) -> dict[str, Load | Compute | IndexValue]:
    """The nodes that define a value, by its name."""
    return {n.dst: n for n in nodes if isinstance(n, Load | Compute | IndexValue)}


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
