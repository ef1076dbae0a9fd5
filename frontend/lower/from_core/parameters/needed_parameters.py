"""Which parameters a lowered function needs, and which of them only its conditions ask for."""

from __future__ import annotations

from raising.frontend.lower.ir.nodes import (
    Function,
    If,
    IndexOf,
    Parameter,
    Read,
    Write,
    forms_of,
    used_values,
    walk,
)
from raising.frontend.lower.ir.polynomial import ADDRESS
from raising.frontend.lower.known.state import State


def without_unused(state: State, parameters: tuple[Parameter, ...], result: int | None) -> tuple[Parameter, ...]:
    """The parameters without fields that only code mentioned that is gone; `result` is the value that is returned."""
    used: set[int | str | None] = {result}
    forms = [form for q in state.quotients.values() for form in (q.left, q.right)]
    forms += [form for low, high in state.bounds.values() for form in (*low, *high)]
    forms += [e for a in state.arrays.values() for e in a.shape if e is not None]
    for assumption in state.assumptions:
        forms += [c.form for c in assumption.conds] + [r.form for r in assumption.ranges]
    for node in walk(tuple(state.nodes)):
        forms += forms_of(node)
        used |= {*used_values(node), node.array} if isinstance(node, Read | Write) else {*used_values(node)}
    used |= {name.removeprefix(ADDRESS) for form in forms for name in form.names()}
    read = [p for p in parameters if p.path.isdigit() or p.name in used or (p.value is not None and p.value in used)]
    for parameter in parameters:
        if parameter not in read:
            state.arrays.pop(parameter.name, None)
    return tuple(read)


def flags(function: Function) -> frozenset[str]:
    """The integer parameters that only conditions ask for, and no loop or subscript: they may as well be data."""
    names = {p.name for p in function.parameters if p.value is not None}
    asked, used = set[str](), {n for q in function.quotients for form in (q.left, q.right) for n in form.names()}
    used |= {n for a in function.arrays.values() for e in a.shape if e is not None for n in e.names()}
    for node in walk(function.body):
        for form in () if isinstance(node, IndexOf) else forms_of(node):
            (asked if isinstance(node, If) and form.names() <= names else used).update(form.names())
    return frozenset(asked - used)
