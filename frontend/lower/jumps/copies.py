"""Copies of statements with variables of their own, and variables that a function does not have yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import bodies, statements, with_bodies, with_expressions, with_operands
from raising.frontend.core.types import Type
from raising.support.source import Loc

Values = Mapping[str, ex.Expr]


class NewVariables:
    """Variables that were made for a function."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self.made: list[st.Variable] = []

    def variable(self, name: str, t: Type, loc: Loc) -> st.Variable:
        """A hidden variable with a name like this."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        made = st.Variable(name, t, "hidden", loc, name)
        self.made.append(made)
        return made

    def copied(self, body: tuple[st.Stmt, ...]) -> tuple[tuple[st.Stmt, ...], dict[str, st.Variable]]:
        """A copy of statements, and its variables by the names of those that they declare."""
        own = {v.name: v for s in statements(body) if (v := declared(s)) is not None}
        names = {name: self.variable(f"{name}_at", v.type, v.loc) for name, v in own.items()}
        return tuple(renamed_statement(s, names) for s in body), names


def declared(stmt: st.Stmt) -> st.Variable | None:
    """The variable that a statement declares."""
    if isinstance(stmt, st.Declare):
        return stmt.variable
    return stmt.result if isinstance(stmt, st.Call) else None


def renamed(node: ex.Expr, names: Mapping[str, st.Variable]) -> ex.Expr:
    """An expression with other variables."""

    def change(part: Any) -> Any:
        if isinstance(part, ex.Name):
            return build.name(names[part.name], part.loc) if part.name in names else part
        return with_operands(part, change)

    return cast(ex.Expr, change(node))


def renamed_statement(stmt: st.Stmt, names: Mapping[str, st.Variable]) -> st.Stmt:
    """A statement, and those in it, with other variables."""

    def change(part: Any) -> Any:
        return build.name(names[part.name], part.loc) if isinstance(part, ex.Name) and part.name in names else part

    made = with_expressions(stmt, change)
    if isinstance(made, st.Declare) and made.variable.name in names:
        made = replace(made, variable=names[made.variable.name])
    if isinstance(made, st.Call) and made.result is not None and made.result.name in names:
        made = replace(made, result=names[made.result.name])
    new = tuple(tuple(renamed_statement(s, names) for s in part) for part in bodies(made))
    return with_bodies(made, new) if new else made


def statement_with(stmt: st.Stmt, values: Values) -> st.Stmt:
    """A statement, and those in it, with values in place of what variables hold."""

    def change(part: Any) -> Any:
        if isinstance(part, ex.Load) and isinstance(part.source, ex.Name) and part.source.name in values:
            return values[part.source.name]
        return part

    return with_expressions(stmt, change)
