"""Statements, and with them one function of C as a typed program.

`lower` is the entry: it lowers the body with every integer followed symbolically. Where one integer variable cannot be
followed, that variable gets a memory, and lowering starts again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from raising.frontend.c.ir.inequalities import Facts
from raising.frontend.c.ir.module import Refused, place
from raising.frontend.c.ir.nodes import Array, Assumption, For, Function, If, Parameter, Read, Write, walk
from raising.frontend.c.ir.polynomial import const, var
from raising.frontend.c.ir.types import UNTYPED, ArrayOf, Number, Pointer, Void, extents, scalar_of
from raising.frontend.c.known.typed_values import Demote, Entity, Nothing, Ptr, Sym
from raising.frontend.c.lower.calls import Calls, parameters_of
from raising.frontend.c.lower.declarations import is_constant
from raising.frontend.c.lower.syntax_unit import Unit


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
    "Decl": lambda s, node: s.declaration(node),
    "DeclList": Statements._declarations,
    "Typedef": lambda s, node: s.local_typedef(node),
    "EmptyStatement": Statements._nothing,
    "Pragma": Statements._nothing,
    "StaticAssert": Statements._nothing,
}

MAX_ATTEMPTS = 200


def lower(
    unit: Unit, node: Any, whole: frozenset[str] = frozenset(), demoted: frozenset[str] = frozenset()
) -> Function:
    """The typed program of a function definition; `Refused` if it is outside of the subset.

    Parameters in `whole` are known to be arrays of their own, which do not
    overlap one another; variables in `demoted` are data, not sizes.
    """
    last_step = Lowering(unit, demoted).last_step
    for _ in range(MAX_ATTEMPTS):
        lowering = Lowering(unit, demoted)
        lowering.whole, lowering.last_step = whole, last_step
        try:
            return lowering.function(node)
        except Demote as variable:
            if variable.key in demoted:
                break
            demoted |= {variable.key}
        except RecursionError:
            raise Refused(place(node.decl), "it is nested too deeply") from None
    raise Refused(place(node.decl), "its integer variables cannot be followed")


class Lowering(Statements):
    """Lowers a function with what is known of integers followed symbolically."""

    whole: frozenset[str] = frozenset()

    def function(self, node: Any) -> Function:
        """The whole function."""
        loc = place(node.decl)
        if self.unit.constants is None:
            self.unit.constants = self._enumerators()
        self.scopes[0].update(self.unit.constants)
        self._tables(node)
        self.calls = (node.decl.name,)
        parameters = self._parameters(parameters_of(node))
        value = self.body_value(node)
        result = None if isinstance(value, Nothing) else self.data(self.numeric(value, loc), loc)
        return Function(
            name=node.decl.name,
            loc=loc,
            parameters=tuple(p if p.value is not None else self._typed(p) for p in parameters),
            arrays=self.arrays,
            body=tuple(self.nodes),
            result=result.id if result else None,
            result_type=result.type if result else None,
            assumptions=(*self._aliasing(parameters), *dict.fromkeys(self.assumptions)),
            facts=self.facts,
            bounds=self.bounds,
        )

    def _enumerators(self) -> dict[str, Entity]:
        for node in self.unit.enumerators:
            self.enumerators(node)
        names = (item.name for node in self.unit.enumerators for item in node.values.enumerators)
        return {name: self.scopes[0][name] for name in names}

    def _tables(self, node: Any) -> None:
        """Global arrays of constants that the function uses, as arrays of its own."""
        tables = {name for name, table in self.unit.globals.items() if _is_table(table)}
        used, pending = set[str](), [node] if tables else []
        while pending:
            part = pending.pop()
            if isinstance(part, c_ast.ID) and part.name not in used:
                used.add(part.name)
                pending += [self.unit.functions[part.name]] if part.name in self.unit.functions else []
            pending += part
        for name in sorted(used & tables):
            self.declaration(self.unit.globals[name])

    # ---- parameters --------------------------------------------------------------------------------

    def _parameters(self, nodes: list[Any]) -> tuple[Parameter, ...]:
        """Scalars first, because the types of arrays may mention them; the result is in C's order."""
        self.scopes.append({})
        found: dict[int, Parameter] = {}
        for arrays in (False, True):
            for k, node in enumerate(nodes):
                if k not in found and (arrays or _is_scalar(self, node)):
                    found[k] = self._parameter(node)
        return tuple(found[k] for k in range(len(nodes)))

    def _parameter(self, node: Any) -> Parameter:
        t, loc = self.parameter_type(node), place(node)
        if node.name is None:
            raise Refused(loc, "a parameter without a name")
        name = self.unique(node.name)
        if isinstance(t, Number):
            return self._scalar(node.name, name, t, node)
        pointer = t if isinstance(t, Pointer) else Pointer(t.element)
        shape = extents(t) if isinstance(t, ArrayOf) else (None, *extents(t.to))
        element = UNTYPED if isinstance(pointer.to, Void) else scalar_of(t if isinstance(t, ArrayOf) else t.to)
        if element is None:
            raise Refused(loc, f"parameter '{node.name}' points to pointers or structs")
        self.facts = self.facts.with_forms(e - 1 for e in shape[1:] if e is not None)
        flat = len(shape) == 1 and self.unit.has_flat_memory
        self.arrays[name] = Array(name, element, shape, "parameter", loc, flat, pointer.restrict, pointer.constant)
        variable = self.variable(node.name, pointer, loc)
        self.point(variable, Ptr(name, (const(0),), pointer.to), loc)
        self.declare(node.name, variable)
        return Parameter(name, element, loc)

    def _typed(self, parameter: Parameter) -> Parameter:
        return replace(parameter, type=self.arrays[parameter.name].element)

    def _scalar(self, source: str, name: str, t: Number, node: Any) -> Parameter:
        loc, number = place(node), self.number()
        variable = self.variable(source, t, loc)
        if variable.cell is None:
            form = var(name)
            self.facts = Facts(self.facts.free | {name}, (*self.facts.forms, *([] if t.signed else [form])))
            self.limits += (form - t.range[0], const(t.range[1]) - form)
            self.values[variable.key] = Sym(form, t)
        else:
            self.write(variable.cell, (), number, loc)
        self.declare(source, variable)
        return Parameter(name, t, loc, number)

    def _aliasing(self, parameters: tuple[Parameter, ...]) -> list[Assumption]:
        """Pointers that nothing keeps from overlapping, if memory is written through one of them."""
        nodes = list(walk(tuple(self.nodes)))
        written = {n.array for n in nodes if isinstance(n, Write)}
        touched = written | {n.array for n in nodes if isinstance(n, Read)}
        found = []
        arrays = [self.arrays[p.name] for p in parameters if p.name in touched]
        apart = self.whole | {a.name for a in self.arrays.values() if a.kind == "global"}
        outside = [a for a in self.arrays.values() if a.kind == "global" and a.name in touched]
        for k, a in enumerate(arrays):
            candidates = [b for b in (*arrays[k + 1 :], *outside) if {a.name, b.name} & written]
            others = [b for b in candidates if not (a.restrict or b.restrict or {a.name, b.name} <= apart)]
            if others:
                names = ", ".join(f"'{b.name}'" for b in others)
                hint = " (restrict would say so)" if self.unit.language == "C" else ""
                text = f"'{a.name}' does not overlap {names} in memory{hint}"
                found.append(Assumption(a.loc, text, apart=tuple((a.name, b.name) for b in others)))
        return found


def flags(function: Function) -> frozenset[str]:
    """The integer parameters that only conditions ask for, and no loop or subscript: they may as well be data."""
    names = {p.name for p in function.parameters if p.value is not None}
    asked, used = set[str](), {n for a in function.arrays.values() for e in a.shape if e is not None for n in e.names()}
    for node in walk(function.body):
        match node:
            case For():
                used |= {n for form in (*node.lower, *node.upper) for n in form.names()}
            case Read() | Write():
                used |= {n for form in node.subscripts for n in form.names()}
            case If():
                for form in (c.form for conds in node.when for c in conds):
                    (asked if form.names() <= names else used).update(form.names())
    return frozenset(f"{p.name}:{p.loc.line}:{p.loc.col}" for p in function.parameters if p.name in asked - used)


def _is_table(node: Any) -> bool:
    return isinstance(node.type, c_ast.ArrayDecl) and is_constant(node) and node.init is not None


def _is_scalar(lowering: Lowering, node: Any) -> bool:
    return not isinstance(node.type, c_ast.PtrDecl | c_ast.ArrayDecl) and isinstance(
        lowering.parameter_type(node), Number
    )
