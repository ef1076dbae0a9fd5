"""A typed program as text, as it is between two passes."""

from __future__ import annotations

from collections.abc import Iterator

from raising.frontend.lower.ir.nodes import (
    Alternatives,
    Array,
    Choose,
    For,
    Function,
    If,
    IndexOf,
    Let,
    Node,
    Own,
    Read,
    While,
    Write,
)
from raising.frontend.lower.ir.polynomial import Poly


def function_text(function: Function) -> str:
    """Parameters, memory, statements, and what is assumed."""
    lines = [f"{p.name}: {p.type.mlir}{f' = %{p.value}' if p.value else ''}" for p in function.parameters]
    lines = [f"parameters {', '.join(lines)}", *map(_array, function.arrays.values()), *_block(function.body, "")]
    lines += [f"return %{function.result}"] if function.result is not None else []
    return "\n".join([*lines, *(f"assumed {a.text}" for a in function.assumptions)])


def _array(array: Array) -> str:
    shape = "".join(f"[{'?' if extent is None else extent}]" for extent in array.shape)
    return f"{array.kind} {array.name}: {array.element.mlir}{shape}{' flat' if array.flat else ''}"


def _block(nodes: tuple[Node, ...], tab: str) -> Iterator[str]:
    for node in nodes:
        yield from (tab + line for line in _node(node))


def _place(array: str, subscripts: tuple[Poly, ...]) -> str:
    return array + "".join(f"[{s}]" for s in subscripts)


def _node(node: Node) -> Iterator[str]:
    match node:
        case Let():
            yield f"%{node.dst} = {node.text.format(*(f'%{a}' for a in node.args))} : {node.type}"
        case IndexOf():
            yield f"%{node.dst} = {node.form} as {node.type}"
        case Read():
            yield f"%{node.dst} = {_place(node.array, node.subscripts)}"
        case Write():
            yield f"{_place(node.array, node.subscripts)} = %{node.value}"
        case For():
            low, high = _bound("max", node.lower), _bound("min", node.upper)
            yield f"for {node.iv} = {low} to {high}" + (f" step {node.step}" if node.step != 1 else "")
            yield from _block(node.body, "  ")
        case If():
            yield f"if {_when(node.when)}"
            yield from _sides(node.then, node.orelse)
        case Choose():
            yield f"choose %{node.cond}"
            yield from _sides(node.then, node.orelse)
        case While():
            yield "while"
            yield from _sides((*node.test,), node.body)
        case Own():
            yield f"own {node.array}"
            yield from _block(node.body, "  ")


def _bound(name: str, forms: tuple[Poly, ...]) -> str:
    return f"{forms[0]}" if len(forms) == 1 else f"{name}({', '.join(map(str, forms))})"


def _when(when: Alternatives) -> str:
    return " or ".join(" and ".join(f"{c.form} {'==' if c.equality else '>='} 0" for c in conds) for conds in when)


def _sides(then: tuple[Node, ...], otherwise: tuple[Node, ...]) -> Iterator[str]:
    yield from _block(then, "  ")
    if otherwise:
        yield "else"
        yield from _block(otherwise, "  ")
