"""The extents of the arrays of a function, over variables that the user has declared."""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.traverse import statements, with_operands
from raising.frontend.core.variable_uses import changed_names, names_in_type
from raising.frontend.lower.ir.module import Refused
from raising.support.source import Loc


class Lengths:
    """The types of a function's variables as a part of it at `loc` can say them."""

    def __init__(self, function: st.Function, loc: Loc) -> None:
        self.loc = loc
        self.changed = changed_names(function.body or ())
        self.variables = function.variables
        found = [s for s in statements(function.body or ()) if isinstance(s, st.Declare)]
        self.hidden = {s.variable.name: s.initial for s in found if s.variable.storage == "hidden"}

    def visible(self, variable: st.Variable) -> st.Variable:
        """A variable whose type mentions no constant that the reader has made."""
        t, extent = self._type(variable.type, variable), variable.length
        shown = extent if extent is None or isinstance(extent, int) else self._expression(extent, variable)
        return variable if t is variable.type and shown is extent else replace(variable, type=t, length=shown)

    def names(self, variable: st.Variable) -> set[str]:
        """The variables that its extents mention."""
        return names_in_type(variable.type, variable.length) & self.variables.keys()

    def _type(self, t: core_types.Type, variable: st.Variable) -> core_types.Type:
        if isinstance(t, core_types.Pointer):
            to = self._type(t.to, variable)
            return t if to is t.to else replace(t, to=to)
        if not isinstance(t, core_types.Array):
            return t
        element, extent = self._type(t.element, variable), t.extent
        shown = extent if extent is None or isinstance(extent, int) else self._expression(extent, variable)
        return t if element is t.element and shown is extent else core_types.Array(element, shown)

    def _expression(self, node: ex.Expr, variable: st.Variable) -> ex.Expr:
        hidden = isinstance(node, ex.Load) and isinstance(node.source, ex.Name)
        initial = self.hidden.get(node.source.name) if hidden else None  # type: ignore[union-attr]
        if initial is not None and not isinstance(initial, ex.Aggregate):
            return self._expression(initial, variable)
        if isinstance(node, ex.Name) and node.name in self.changed:
            raise Refused(self.loc, f"the length of '{variable.source}' is a variable that changes")
        changed: ex.Expr = with_operands(node, lambda part: self._expression(part, variable))
        return changed
