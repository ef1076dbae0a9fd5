"""What may change while a part of a function runs: by stores through pointers, and by functions that it calls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.known_callees import called
from raising.frontend.core.traverse import Body, Node, operands, own_expressions, statements
from raising.frontend.core.variable_uses import addressed, changed_names


class PossibleWrites:
    """The memory of a file that its functions may write, by the rules of C for types and addresses."""

    def __init__(self, unit: st.Unit) -> None:
        self.unit = unit

    def run_by(self, body: Body) -> list[Body]:
        """Statements, and the bodies of all functions that they may call."""
        return [body, *(f.body or () for f in called(self.unit, body))]

    def may_store(self, body: Body, t: core_types.Type) -> bool:
        """Whether statements, or what they call, may store to memory that holds a value of a type (C11 6.5p7)."""
        return any(_may_store(self.unit, part, t) for part in self.run_by(body))

    @cached_property
    def never_written(self) -> set[str]:
        """The variables of the file that nothing writes: no other file sees them, and nothing points to them."""
        routines = self.unit.routines
        changed = set().union(*(changed_names(f.body or ()) | addressed(f.body or ()) for f in routines.values()))
        for node in self.unit.globals.values():
            changed |= addressed((st.Declare(node.variable, node.initial, node.variable.loc),))
        incomplete = {name for name, f in routines.items() if f.refusals}

        def is_read(name: str) -> bool:
            """Whether all functions that can name it were read completely: of a static variable, its function."""
            function = name.partition(".")[0]
            return function not in incomplete if function in routines and function != name else not incomplete

        hidden = (n for n, g in self.unit.globals.items() if not g.external and g.defined and n not in changed)
        return {n for n in hidden if is_read(n)}


def _may_store(unit: st.Unit, body: Body, t: core_types.Type) -> bool:
    for item in statements(body):
        if isinstance(item, st.Call) and not (isinstance(item.callee, str) and unit.routines[item.callee].body):
            return True
        if isinstance(item, st.Assign) and not isinstance(item.target, ex.Name) and _may_alias(item.target.type, t):
            return True
    return False


def _may_alias(written: core_types.Type, t: core_types.Type) -> bool:
    match written, t:
        case core_types.Pointer(), core_types.Pointer():
            return True
        case core_types.Int(), core_types.Int():
            return written.width in (8, t.width)
        case core_types.Float(), core_types.Float():
            return written.width == t.width
        case (core_types.Int(width=8), _) | (core_types.Float(), core_types.Complex()):
            return True
    return written == t or isinstance(written, core_types.Array | core_types.Record | core_types.Complex)


def copied_pointers(body: Body) -> set[str]:
    """The pointers whose value goes elsewhere, so that another pointer may be based on them (C11 6.7.3.1)."""
    return {name for s in statements(body) for e in own_expressions(s) for name in _values(e, False)}


def _values(node: Node, dereferenced: bool) -> Iterator[str]:
    """The pointer variables in an expression whose value is not only followed or compared."""
    if isinstance(node, ex.Load) and isinstance(node.source, ex.Name):
        if isinstance(node.type, core_types.Pointer) and not dereferenced:
            yield node.source.name
        return
    for part in operands(node):
        follows = isinstance(node, ex.Deref | ex.Compare | ex.Distance)
        stays = dereferenced and isinstance(node, ex.Offset) and part is node.pointer
        yield from _values(part, follows or stays)
