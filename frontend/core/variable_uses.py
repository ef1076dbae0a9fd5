"""Which variables statements and expressions mention, declare, assign, and take the address of."""

from __future__ import annotations

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import Body, Node, inside, nodes_of, own_expressions, statements
from raising.frontend.core.types import Array, Pointer, Type, is_scalar


def names_in(node: Node) -> set[str]:
    """The variables that an expression mentions."""
    return {part.name for part in inside(node) if isinstance(part, ex.Name)}


def names_in_type(t: Type, *extents: int | ex.Expr | None) -> set[str]:
    """The variables that the extents of arrays in a type, and further extents, mention."""
    found = set[str]()
    for extent in extents:
        found |= names_in(extent) if isinstance(extent, ex.Expr) else set()
    if isinstance(t, Array):
        return found | names_in_type(t.element, t.extent)
    return found | names_in_type(t.to) if isinstance(t, Pointer) else found


def declared(stmt: st.Stmt) -> st.Variable | None:
    """The variable that a statement declares: that of a `Declare`, or the result of a `Call`."""
    if isinstance(stmt, st.Declare):
        return stmt.variable
    return stmt.result if isinstance(stmt, st.Call) else None


def declared_names(body: Body) -> set[str]:
    """The variables that statements declare."""
    return {v.name for s in statements(body) if (v := declared(s)) is not None}


def assigned_names(body: Body) -> set[str]:
    """The variables that assignments in statements name as their targets, not elements or fields of them."""
    return {s.target.name for s in statements(body) if isinstance(s, st.Assign) and isinstance(s.target, ex.Name)}


def written_by(stmt: st.Stmt) -> set[str]:
    """The variable that a statement itself assigns or declares, not those that statements inside of it do."""
    target = stmt.target if isinstance(stmt, st.Assign) else declared(stmt)
    return {target.name} if isinstance(target, ex.Name | st.Variable) else set()


def written_names(body: Body) -> set[str]:
    """The variables that statements assign or declare."""
    return set[str]().union(*map(written_by, statements(body)))


def changed_names(body: Body) -> set[str]:
    """The variables that statements assign, or take the address of: afterwards they may hold other values."""
    taken = (node.target for node in nodes_of(body) if isinstance(node, ex.AddressOf))
    return assigned_names(body) | {target.name for target in taken if isinstance(target, ex.Name)}


def addressed(body: Body) -> set[str]:
    """The variables that a pointer may point to, or to a part of them; arrays only if their address is taken."""
    found: set[str] = set()
    for node in nodes_of(body):
        target = node.target if isinstance(node, ex.AddressOf) else node.array if isinstance(node, ex.Decay) else None
        while isinstance(target, ex.Member | ex.Half):
            target = target.base
        if isinstance(target, ex.Name) and not (isinstance(node, ex.Decay) and isinstance(target.type, Array)):
            found.add(target.name)
    return found


def mentioned(body: Body) -> set[str]:
    """The variables that statements read, assign or declare, also in the extents of types that they declare."""
    return set[str]().union(*(read_names(s) | overwritten(s) for s in statements(body)))


def read_names(stmt: st.Stmt) -> set[str]:
    """The variables that a statement itself reads; a scalar that it assigns is not read."""
    if isinstance(stmt, st.Assign) and isinstance(stmt.target, ex.Name) and is_scalar(stmt.target.type):
        return names_in(stmt.value)
    found = names_in_type(stmt.variable.type) if isinstance(stmt, st.Declare) else set[str]()
    return found.union(*map(names_in, own_expressions(stmt)))


def overwritten(stmt: st.Stmt) -> set[str]:
    """The variable that has a new value behind a statement, none of the old one; empty for most statements."""
    if isinstance(stmt, st.Assign) and isinstance(stmt.target, ex.Name) and is_scalar(stmt.target.type):
        return {stmt.target.name}
    variable = declared(stmt)
    return set() if variable is None else {variable.name}
