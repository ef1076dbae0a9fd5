"""The state of reading one function: its variables, the statements so far, and the names that are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING, Any

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.read.clang_types import Types
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import Record, Type, innermost
from raising.frontend.lower.ir.module import Refused
from raising.support.record import dataclass
from raising.support.source import Loc

if TYPE_CHECKING:
    from raising.frontend.c.read.file_reader import UnitReader


class Refusal(Refused):
    """Raised for a construct that the core cannot express, with its place."""


class TooLarge(Refusal):
    """The function as a whole takes too long."""


Reader = Callable[..., Any]
VALUES: dict[int, Reader] = {}
"""By the kind of an expression: its value, after its effects have become statements."""
LVALUES: dict[int, Reader] = {}
"""By the kind of an expression: what it designates."""
EFFECTS: dict[int, Reader] = {}
"""By the kind of an expression: its effects, where nobody asks for its value."""
STATEMENTS: dict[int, Reader] = {}
OBJECTS: list[Reader] = []
"""Calls that belong to C++: of constructors, operators and members of classes, and of its library; a value in a tuple,
or None for any other call."""
MAX_DEPTH = 200  # of syntax, nested
MAX_STEPS = 100_000  # nodes of the syntax of a function ...
MAX_ALL_STEPS = 1_500_000  # ... and of a file


@dataclass
class Context:
    """The state of reading one function (or one initial value of the unit)."""

    unit: UnitReader
    result: Type
    name: str = ""
    out: list[st.Stmt] = field(default_factory=list)
    variables: dict[str, st.Variable] = field(default_factory=dict)
    bound: dict[int, st.Variable] = field(default_factory=dict)  # by their declaration
    broken: dict[int, str] = field(default_factory=dict)  # declarations that could not be read, and why
    refusals: list[st.Refused] = field(default_factory=list)
    used: set[str] = field(default_factory=set)  # names
    numbers: dict[str, int] = field(default_factory=dict)  # the last one that was put behind a name
    changing: frozenset[int] | None = None  # declarations that are written to, once somebody asks
    body: Node | None = None
    by_reference: bool = False  # what the function returns is a reference
    depth: int = 0
    last_step: int = MAX_ALL_STEPS  # number of the last node that may be read
    items: int = 0  # values in braces of the current variable

    @property
    def types(self) -> Types:
        """The types of the file."""
        return self.unit.types

    # ---- names -------------------------------------------------------------------------------------

    def unique(self, name: str) -> str:
        """A name that begins with a name of the source, and that nothing else in the function has."""
        if name not in self.used and name not in self.unit.taken:
            self.used.add(name)
            return name
        return self._numbered(name)

    def _numbered(self, name: str) -> str:
        k = self.numbers.get(name, 0) + 1
        while f"{name}.{k}" in self.used:
            k += 1
        self.numbers[name] = k
        self.used.add(f"{name}.{k}")
        return f"{name}.{k}"

    def temporary(self, t: Type, loc: Loc, constant: bool = False) -> st.Variable:
        """A hidden variable."""
        variable = st.Variable(self._numbered("t"), t, "hidden", loc, constant=constant)
        self.variables[variable.name] = variable
        return variable

    # ---- statements --------------------------------------------------------------------------------

    def add(self, stmt: st.Stmt) -> None:
        """The next statement."""
        self.out.append(stmt)

    def declare(self, variable: st.Variable, initial: Any, loc: Loc) -> None:
        """A variable begins."""
        self.variables[variable.name] = variable
        self.add(st.Declare(variable, initial, loc))

    def assign(self, target: ex.Lvalue, value: ex.Expr, loc: Loc) -> None:
        """`target = value`, after conversion."""
        self.add(st.Assign(target, build.convert(value, target.type, loc), loc))

    def branch(self, test: ex.Expr, then: list[st.Stmt], otherwise: list[st.Stmt], loc: Loc) -> None:
        """A branch; nothing if there is nothing in it."""
        if not then and otherwise:
            test, then, otherwise = build.negated(test, loc), otherwise, []
        if then:
            self.add(st.If(test, tuple(then), tuple(otherwise), loc))

    def keep(self, value: ex.Expr, loc: Loc) -> ex.Expr:
        """A value that later statements do not change, as a hidden variable."""
        variable = self.temporary(value.type, loc)
        self.add(st.Declare(variable, value, loc))
        return build.read(variable, loc)

    @contextmanager
    def block(self) -> Iterator[list[st.Stmt]]:
        """A list that takes the statements which are added inside of the context."""
        outer, self.out = self.out, []
        try:
            yield self.out
        finally:
            self.out = outer

    # ---- reading by kind ---------------------------------------------------------------------------

    def value(self, node: Node) -> ex.Expr:
        """The value of an expression."""
        found: ex.Expr = self._read(VALUES, node)
        return found

    def lvalue(self, node: Node) -> ex.Lvalue:
        """What an expression designates."""
        found: ex.Lvalue = self._read(LVALUES, node)
        return found

    def effect(self, node: Node) -> None:
        """The effects of an expression."""
        if node.kind in EFFECTS:
            self._read(EFFECTS, node)
        else:
            self._read(VALUES, node)

    def statement(self, node: Node) -> None:
        """A statement; one that cannot be said is `Refused`."""
        mark, known = len(self.out), dict(self.variables)
        try:
            if kinds.FIRST_EXPR <= node.kind <= kinds.LAST_EXPR:
                self.effect(node)
            else:
                self._read(STATEMENTS, node)
        except TooLarge:
            raise
        except Refusal as refusal:
            del self.out[mark:]
            self.variables = known
            refused = st.Refused(refusal.reason, refusal.loc)
            self.refusals.append(refused)
            self.add(refused)

    def _read(self, table: dict[int, Reader], node: Node) -> Any:
        handler = table.get(node.kind)
        if handler is None:
            raise self.refused(node, _unknown(node, table))
        if self.depth >= MAX_DEPTH:
            raise self.refused(node, "it is nested too deeply")
        self.unit.steps += 1
        if self.unit.steps > self.last_step:
            raise TooLarge(node.loc, f"it takes too long to read, {MAX_STEPS} steps or {MAX_ALL_STEPS} for a file")
        self.depth += 1
        try:
            return handler(self, node)
        finally:
            self.depth -= 1

    def refused(self, node: Node, reason: str) -> Refusal:
        """A refusal at a node."""
        return Refusal(node.loc, reason)

    # ---- variables ---------------------------------------------------------------------------------

    def variable(self, node: Node) -> ex.Name:
        """The variable that a name means."""
        declaration = node.referenced
        if declaration.kind not in (kinds.VARIABLE, kinds.PARAMETER):
            raise self.refused(node, "a name of this kind is not read")
        if declaration.key in self.broken:
            raise self.refused(node, f"it uses '{declaration.spelling}': {self.broken[declaration.key]}")
        found = self.bound.get(declaration.key)
        if found is None and not self.unit.is_shared(declaration):
            raise self.refused(node, f"it uses '{declaration.spelling}', whose declaration is not read")
        found = found or self.unit.variable(declaration)
        return ex.Name(found.name, found.type, node.loc)

    def is_changed(self, declaration: int) -> bool:
        """True if the function may write to a variable after its declaration."""
        if self.changing is None:
            self.changing = frozenset(_written(self.body)) if self.body is not None else frozenset()
        return declaration in self.changing

    def look_into(self, t: Type) -> None:
        """Have the fields of a record read, also of one in an array."""
        inner = innermost(t)
        if isinstance(inner, Record):
            self.types.layout(inner.name)


def _unknown(node: Node, table: dict[int, Reader]) -> str:
    if table is STATEMENTS:
        return _STATEMENT_NAMES.get(node.kind, "a statement of this kind is not read")
    if table is LVALUES and node.kind in VALUES:
        return "a value that has no place in memory is not an lvalue"
    return _EXPRESSION_NAMES.get(node.kind, "an expression of this kind is not read")


_STATEMENT_NAMES = {
    kinds.ASM: "inline assembly",
    kinds.MS_ASM: "inline assembly",
    kinds.TRY: "exceptions are caught",
    kinds.INDIRECT_GOTO: "a goto to a computed label",
}
_EXPRESSION_NAMES = {
    kinds.ADDRESS_OF_LABEL: "the address of a label",
    kinds.GENERIC: "_Generic",
    kinds.THROW: "an exception is thrown",
    kinds.NEW: "new",
    kinds.DELETE: "delete",
    kinds.LAMBDA: "a lambda",
    kinds.INIT_LIST: "an initialiser list in an expression",
}


def _written(node: Node) -> Iterator[int]:
    """The declarations that assignments, steps and `&` in a statement name."""
    pending = [node]
    while pending:
        part = pending.pop()
        if part.kind in (kinds.BINARY, kinds.COMPOUND_ASSIGN, kinds.UNARY) and _changes(part):
            target = part.children[0].bare()
            if target.kind == kinds.DECL_REF:
                yield target.referenced.key
        pending += part.children


def _changes(node: Node) -> bool:
    if node.kind == kinds.UNARY:
        return node.operator in (kinds.ADDRESS, kinds.POST_INC, kinds.POST_DEC, kinds.PRE_INC, kinds.PRE_DEC)
    return node.kind == kinds.COMPOUND_ASSIGN or node.operator == kinds.ASSIGN
