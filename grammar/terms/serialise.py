"""Terms as data: lists, names and numbers that JSON holds, each distinct node once."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from raising.affine.ir.affine_expr import Cond, Floor, Lin
from raising.grammar.terms.structured_op import Body, Instr
from raising.grammar.terms.term import (
    Apply,
    Either,
    Input,
    Insert,
    Literal,
    Mask,
    Position,
    Reverse,
    TensorType,
    Term,
    Undefined,
    Window,
)

_TERMS = (Apply, Either, Input, Insert, Literal, Mask, Position, Reverse, Undefined, Window)
_CLASSES: dict[str, Any] = {c.__name__: c for c in (*_TERMS, Body, Cond, Floor, Instr, Lin, TensorType)}


def saved(term: Term) -> list[Any]:
    """A term as a list of its nodes, operands before users: a node is its class and its fields."""
    numbers: dict[bytes, int] = {}
    found = []
    for node in term.nodes():
        found.append(_plain(node, numbers))
        numbers[node.digest] = len(numbers)
    return found


def _plain(value: Any, numbers: dict[bytes, int]) -> Any:
    if isinstance(value, Term) and value.digest in numbers:
        return {"node": numbers[value.digest]}
    if type(value).__name__ in _CLASSES:
        return {"is": type(value).__name__, "with": [_plain(getattr(value, f.name), numbers) for f in fields(value)]}
    return [_plain(v, numbers) for v in value] if isinstance(value, tuple) else value


def restored(data: Any) -> Term:
    """The term that `saved` made a list of; ValueError for anything that it cannot have made."""
    nodes: list[Any] = []
    try:
        for entry in data:
            nodes.append(_value(entry, nodes))
        term = nodes[-1]
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(f"no saved term: {error}") from None
    if not isinstance(term, Term):
        raise ValueError(f"no saved term: {type(term).__name__}")
    return term


def _value(data: Any, nodes: list[Any]) -> Any:
    if isinstance(data, list):
        return tuple(_value(d, nodes) for d in data)
    if not isinstance(data, dict):
        return data
    if "node" in data:
        return nodes[data["node"]]
    kind = _CLASSES[data["is"]]
    values = [_value(d, nodes) for d in data["with"]]
    if len(values) != len(fields(kind)):
        raise ValueError(f"no saved term: {data['is']} with {len(values)} fields")
    return kind(*values)
