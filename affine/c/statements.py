"""Statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pycparser import c_ast

from affine.c.calls import Calls
from affine.c.errors import Refused, place


class Statements(Calls):
    """The effect of a statement."""

    def statement(self, node: Any) -> None:
        """The effect of a statement."""
        if node is None:
            return
        name = type(node).__name__
        if name in _WHAT:
            raise Refused(place(node), _WHAT[name])
        handler = _HANDLERS.get(name)
        if handler is not None:
            handler(self, node)
        else:
            self.value(node)

    def _compound(self, node: Any) -> None:
        with self.scope():
            self._run(node.block_items or [])

    def _run(self, items: list[Any]) -> None:
        """Statements in order; what follows `if (c) continue;` goes into its other branch."""
        for k, item in enumerate(items):
            if isinstance(item, c_ast.If) and (_continues(item.iftrue) or _continues(item.iffalse)):
                then, orelse = ([*_before(part), *_rest(part, items[k + 1 :])] for part in (item.iftrue, item.iffalse))
                self.branch(item.cond, self._block_of(then), self._block_of(orelse))
                return
            if isinstance(item, c_ast.Continue):
                return
            self.statement(item)

    def _block_of(self, items: list[Any]) -> Callable[[], None]:
        def run() -> None:
            with self.scope():
                self._run(items)

        return run

    def _if(self, node: Any) -> None:
        orelse = None if node.iffalse is None else self._block_of([node.iffalse])
        self.branch(node.cond, self._block_of([node.iftrue]), orelse)

    def _switch(self, node: Any) -> None:
        with self.scope():
            self.statement(self.branches_of(node))

    def _declarations(self, node: Any) -> None:
        for declaration in node.decls:
            self.declaration(declaration)

    def _nothing(self, node: Any) -> None:
        return None


def _items(node: Any) -> list[Any]:
    return list(node.block_items or []) if isinstance(node, c_ast.Compound) else [] if node is None else [node]


def _continues(node: Any) -> bool:
    items = _items(node)
    return bool(items) and isinstance(items[-1], c_ast.Continue)


def _before(node: Any) -> list[Any]:
    return _items(node)[:-1] if _continues(node) else _items(node)


def _rest(node: Any, rest: list[Any]) -> list[Any]:
    return [] if _continues(node) else rest


_WHAT = {
    "Goto": "goto",
    "Label": "a label",
    "Break": "the loop is left early (break)",
    "Continue": "continue in this place",
    "Return": "returns from inside of a loop",
    "StructRef": "a member of a struct or union",
}

_HANDLERS: dict[str, Callable[[Statements, Any], None]] = {
    "Compound": Statements._compound,
    "For": lambda s, node: s.for_loop(node),
    "While": lambda s, node: s.while_loop(node),
    "DoWhile": lambda s, node: s.while_loop(node),
    "If": Statements._if,
    "Switch": Statements._switch,
    "Decl": lambda s, node: s.declaration(node),
    "DeclList": Statements._declarations,
    "Typedef": lambda s, node: s.local_typedef(node),
    "EmptyStatement": Statements._nothing,
    "Pragma": Statements._nothing,
    "StaticAssert": Statements._nothing,
}
