"""Names of values in a program: which node defines one, how often it is used, what it is computed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from raising.affine.ir.program import Compute, IndexValue, Load, Loop, Node, Store
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


def uses(name: str, nodes: Iterable[Node]) -> int:
    """How often a value is an operand of these nodes; nested bodies do not count."""
    operands = (n.args if isinstance(n, Compute) else (n.value,) for n in nodes if isinstance(n, Compute | Store))
    return sum(args.count(name) for args in operands)


def computed_from(values: Iterable[str], made: Mapping[str, Node]) -> list[str]:
    """The values that some values are computed from, these included; `made` has the node that defines each."""

    def operands(name: str) -> tuple[str, ...]:
        node = made.get(name)
        return node.args if isinstance(node, Compute) else ()

    return reachable(values, operands)
