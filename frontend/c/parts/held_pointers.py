"""Pointers that lie in memory and stay the same while a part runs: rows of `double **`, pointers in arrays of structs.

`for (j = 0; j < m; j++) y[j] += a[i][j]` needs nothing of `a` but `a[i]`: the part takes that as a parameter. It stays
the same if the part changes no variable in it and stores to no type that may lie where it is read (C11 6.5p7).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.traverse import Body, Node, bodies, inside, operands, own_expressions, statements
from raising.support.record import dataclass
from raising.support.source import unused_name

_JUMPS = (st.Break, st.Continue, st.Goto, st.Label, st.Return, st.Refused)
_SIGNS: dict[str, str] = {"add": "+", "sub": "-", "mul": "*"}


@dataclass(frozen=True)
class HeldPointer:
    """A pointer in memory: the parameter that it becomes, and its text in C."""

    variable: st.Variable
    text: str


def held_pointers(
    body: Body, variables: dict[str, st.Variable], is_unchanged: Callable[[ex.Load], bool], taken: set[str]
) -> tuple[HeldPointer, ...]:
    """The pointers to numbers that statements read from memory in any case, if they loop at all.

    `variables` are those that C sees there, `is_unchanged` says whether all that an expression reads stays the same,
    and `taken` are names that a parameter may not have.
    """
    if any(isinstance(item, _JUMPS) for item in statements(body)):
        return ()
    found: dict[str, HeldPointer] = {}
    for load in _loads(body):
        text = c_text(load, variables)
        if text is None or text in found or not is_unchanged(load):
            continue
        name = unused_name(re.sub(r"\W+", "_", text).strip("_"), taken)
        taken.add(name)
        found[text] = HeldPointer(st.Variable(name, load.type, "parameter", load.loc, name, constant=True), text)
    return tuple(found.values())


def replaced(node: ex.Expr | ex.Lvalue, pointers: dict[str, st.Variable], seen: dict[str, st.Variable]) -> ex.Expr:
    """A pointer in memory as its parameter; any other node as it is."""
    if _is_held(node):
        variable = pointers.get(c_text(node, seen) or "")
        if variable is not None:
            return ex.Load(ex.Name(variable.name, variable.type, node.loc), variable.type, node.loc)
    return node  # type: ignore[return-value]


def _is_held(node: Node) -> bool:
    if (
        not isinstance(node, ex.Load)
        or not isinstance(node.type, core_types.Pointer)
        or isinstance(node.source, ex.Name)
    ):
        return False
    to = core_types.innermost(node.type.to)
    return isinstance(to, core_types.Int | core_types.Float | core_types.Bool)


def _loads(body: Body) -> Iterator[ex.Load]:
    """The outermost pointers in memory that statements read, without those that only a condition asks for."""
    for item in body:
        for expression in own_expressions(item):
            yield from _always(expression)
        if not isinstance(item, st.If | st.Switch):
            for inner in bodies(item):
                yield from _loads(inner)


def _always(node: Node) -> Iterator[ex.Load]:
    if _is_held(node):
        assert isinstance(node, ex.Load)
        yield node
    elif isinstance(node, ex.Select):
        yield from _always(node.condition)
    elif isinstance(node, ex.Logical):
        yield from _always(node.left)
    else:
        for part in operands(node):
            yield from _always(part)


def loads_in(load: ex.Load) -> list[ex.Load]:
    """The loads in a load of a pointer, itself included."""
    return [part for part in inside(load) if isinstance(part, ex.Load)]


def c_text(node: Node, variables: dict[str, st.Variable]) -> str | None:
    """An expression without effects as C has it; None if it has parts that this does not write."""
    match node:
        case ex.Name():
            variable = variables.get(node.name)
            return None if variable is None or variable.reference else variable.source or None
        case ex.Load():
            return c_text(node.source, variables)
        case ex.Decay():
            return c_text(node.array, variables)
        case ex.Literal() if isinstance(node.type, core_types.Int):
            return f"{node.value}"
        case ex.Convert() if _widens(node):
            return c_text(node.operand, variables)
        case ex.Binary() if node.op in _SIGNS:
            sides = c_text(node.left, variables), c_text(node.right, variables)
            return None if None in sides else f"({sides[0]} {_SIGNS[node.op]} {sides[1]})"
        case ex.Deref():
            return _element(node.pointer, variables)
        case ex.Member() if node.field.isidentifier():
            base = c_text(node.base, variables)
            return None if base is None else f"{base}.{node.field}"
    return None


def _element(pointer: ex.Expr, variables: dict[str, st.Variable]) -> str | None:
    base, index = (pointer.pointer, pointer.index) if isinstance(pointer, ex.Offset) else (pointer, None)
    start = c_text(base, variables)
    at = "0" if index is None else c_text(index, variables)
    return None if start is None or at is None else f"{start}[{at}]"


def _widens(node: ex.Convert) -> bool:
    """True for a conversion of an integer that keeps its value, as C's subscripts do."""
    t, old = node.type, node.operand.type
    if not isinstance(t, core_types.Int) or not isinstance(old, core_types.Int):
        return False
    return t.signed and (t.width > old.width or (old.signed and t.width >= old.width))
