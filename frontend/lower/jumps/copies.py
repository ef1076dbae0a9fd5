"""Copies of statements with variables of their own, and variables that a function does not have yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import Body, map_bodies, replaced, statements, with_expressions
from raising.frontend.core.types import Type
from raising.frontend.core.variable_uses import declared
from raising.support.source import Loc, unused_name

Values = Mapping[str, ex.Expr]


class NewVariables:
    """Variables that were made for a function."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self.made: list[st.Variable] = []

    def variable(self, name: str, t: Type, loc: Loc) -> st.Variable:
        """A hidden variable with a name like this."""
        name = unused_name(name, self._taken)
        self._taken.add(name)
        made = st.Variable(name, t, "hidden", loc, name)
        self.made.append(made)
        return made

    def function(self, function: st.Function, body: Body) -> st.Function:
        """The function with another body, which uses these variables."""
        return replace(function, body=body, variables={**function.variables, **{v.name: v for v in self.made}})

    def copied(self, body: Body) -> tuple[Body, dict[str, st.Variable]]:
        """A copy of statements, and its variables by the names of those that they declare."""
        own = {v.name: v for s in statements(body) if (v := declared(s)) is not None}
        names = {name: self.variable(f"{name}_at", v.type, v.loc) for name, v in own.items()}
        return tuple(renamed_statement(s, names) for s in body), names


def renamed(node: ex.Expr, names: Mapping[str, st.Variable]) -> ex.Expr:
    """An expression with other variables."""
    return replaced(node, lambda part: _renamed(part, names))


def _renamed(node: Any, names: Mapping[str, st.Variable]) -> Any:
    return build.name(names[node.name], node.loc) if isinstance(node, ex.Name) and node.name in names else node


def renamed_statement(stmt: st.Stmt, names: Mapping[str, st.Variable]) -> st.Stmt:
    """A statement, and those in it, with other variables."""
    return _declaring(with_expressions(stmt, lambda part: _renamed(part, names)), names)


def _declaring(stmt: st.Stmt, names: Mapping[str, st.Variable]) -> st.Stmt:
    """The statement, and those in it, with other variables in declarations."""
    if isinstance(stmt, st.Declare) and stmt.variable.name in names:
        return replace(stmt, variable=names[stmt.variable.name])
    if isinstance(stmt, st.Call) and stmt.result is not None and stmt.result.name in names:
        return replace(stmt, result=names[stmt.result.name])
    return map_bodies(stmt, lambda body: tuple(_declaring(s, names) for s in body))


def statement_with(stmt: st.Stmt, values: Values) -> st.Stmt:
    """A statement, and those in it, with values in place of what variables hold."""

    def change(part: Any) -> Any:
        if isinstance(part, ex.Load) and isinstance(part.source, ex.Name) and part.source.name in values:
            return values[part.source.name]
        return part

    return with_expressions(stmt, change)
