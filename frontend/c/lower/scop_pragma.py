"""Regions between `#pragma scop` and `#pragma endscop`, as functions of their own.

What a region uses of the function around it becomes parameters: arrays and
pointers as they are, numbers by value. A number that the region changes and
that is used after it is passed by address, as `NAME_at`. All of it is syntax;
what the region computes is read like any other function.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from raising.frontend.c.ir.module import Refused, place
from raising.frontend.c.lower.calls import first_return, parameters_of
from raising.frontend.c.lower.induction_variables import assigned_names
from raising.frontend.c.syntax.parse import Unit
from raising.frontend.c.syntax.switch import jump
from raising.support.record import dataclass

_LOOPS = c_ast.For | c_ast.While | c_ast.DoWhile


@dataclass(frozen=True)
class Region:
    """The statements of a region, and the declarations that it sees.

    `again` says that it is in a loop, `after` are the names that the function
    uses behind it; if it is in a loop, anywhere outside of it.
    """

    pragma: Any
    items: tuple[Any, ...]
    scope: dict[str, Any]
    after: frozenset[str]
    again: bool


def regions(function: Any) -> list[Region]:
    """The regions of a function definition, in order; `Refused` if one is not closed in its block."""
    if not _marked(function.body):
        return []
    scope = {p.name: p for p in parameters_of(function) if p.name}
    return list(_inside(function.body, scope, (), function.body, False))


def _marked(node: Any) -> bool:
    return isinstance(node, c_ast.Pragma) or any(map(_marked, node))


def outlined(unit: Unit, function: Any, region: Region, name: str) -> tuple[Any, frozenset[str]]:
    """A region as the definition of a function of this name, and those of its parameters that are own objects."""
    body = c_ast.Compound(list(region.items), coord=region.pragma.coord)
    _stays_inside(body)
    names = _names(body) & region.scope.keys()
    changed = assigned_names(function.body)
    for array in [n for n in names if not _is_number(unit, region.scope[n])]:
        lengths = _names(region.scope[array].type) & region.scope.keys()
        if lengths & changed:
            raise Refused(place(region.pragma), f"the length of '{array}' is a variable that changes")
        names |= lengths
    ordered = [n for n in region.scope if n in names]
    passed = [_passed(unit, region, body, n) for n in ordered]
    before = [s for p in passed for s in p.before]
    behind = [s for p in passed for s in p.behind]
    whole = c_ast.Compound([*before, body, *behind], coord=region.pragma.coord)
    parameters = [p.parameter for p in passed if p.parameter is not None]
    inside = [n for n in ordered if not any(p.name == n for p in parameters_of(function))]
    own = {n for n in inside if isinstance(region.scope[n].type, c_ast.ArrayDecl)}
    own |= {f"{n}_at" for n in inside if n not in _addressed(function.body)}
    return _definition(name, parameters, whole, region.pragma.coord), frozenset(own)


# ---- where regions are ---------------------------------------------------------------------------


def _inside(node: Any, scope: dict[str, Any], after: tuple[Any, ...], body: Any, again: bool) -> Iterator[Region]:
    """The regions in a statement; `after` are the statements that follow it."""
    if node is None:
        return
    if isinstance(node, c_ast.Compound):
        yield from _block(node.block_items or [], scope, after, body, again)
        return
    repeated = again or isinstance(node, _LOOPS)
    inner = dict(scope)
    if isinstance(node, c_ast.For) and isinstance(node.init, c_ast.DeclList):
        inner |= {d.name: d for d in node.init.decls}
    for _, child in node.children():
        if isinstance(child, c_ast.Compound | c_ast.If | _LOOPS):
            yield from _inside(child, inner, after, body, repeated)


def _block(items: list[Any], scope: dict[str, Any], after: tuple[Any, ...], body: Any, again: bool) -> Iterator[Region]:
    scope = dict(scope)
    start = None
    for k, item in enumerate(items):
        word = item.string.split()[:1] if isinstance(item, c_ast.Pragma) else []
        if word == ["scop"]:
            if start is not None:
                raise Refused(place(item), "a '#pragma scop' inside of another")
            start = k
        elif word == ["endscop"]:
            if start is None:
                raise Refused(place(item), "a '#pragma endscop' without a '#pragma scop' in its block")
            inside = items[start + 1 : k]
            names = _names(body, but=frozenset(map(id, inside))) if again else _names(*items[k + 1 :], *after)
            yield Region(items[start], tuple(inside), scope, frozenset(names), again)
            start = None
        elif start is None:
            if isinstance(item, c_ast.Compound | c_ast.If | _LOOPS):
                yield from _inside(item, scope, (*items[k + 1 :], *after), body, again)
            if isinstance(item, c_ast.Decl) and item.name:
                scope = {n: d for n, d in scope.items() if n != item.name} | {item.name: item}
    if start is not None:
        raise Refused(place(items[start]), "a '#pragma scop' without a '#pragma endscop' in its block")


# ---- what a region needs -------------------------------------------------------------------------


@dataclass(frozen=True)
class _Passed:
    """How a variable comes into a region: its parameter, and statements before and behind."""

    parameter: Any
    before: tuple[Any, ...] = ()
    behind: tuple[Any, ...] = ()


def _passed(unit: Unit, region: Region, body: Any, name: str) -> _Passed:
    declared = region.scope[name]
    parameter = _declaration(name, declared.type, declared)
    changes = name in assigned_names(body)
    needed, is_set = _needs(body, name, False)
    used_after = name in region.after or (region.again and needed)
    if not _is_number(unit, declared):
        if changes and used_after:
            raise Refused(place(region.pragma), f"pointer '{name}' changes in the region and is used after it")
        return _Passed(parameter)
    local = (_declaration(name, declared.type, declared),)
    if not changes or not used_after:
        return _Passed(parameter) if needed or not changes else _Passed(None, local)
    at = f"{name}_at"
    address = _declaration(at, c_ast.PtrDecl([], _renamed(declared.type, at), coord=declared.coord), declared)
    target = c_ast.UnaryOp("*", c_ast.ID(at, coord=declared.coord), coord=declared.coord)
    variable = c_ast.ID(name, coord=declared.coord)
    fetch = () if is_set and not needed else (c_ast.Assignment("=", variable, target, coord=declared.coord),)
    return _Passed(address, (*local, *fetch), (c_ast.Assignment("=", target, variable, coord=declared.coord),))


def _needs(node: Any, name: str, is_set: bool) -> tuple[bool, bool]:
    """Whether a statement may read a variable before it is set, and whether it is set behind it in any case."""
    if node is None:
        return False, is_set
    match node:
        case c_ast.ID():
            return node.name == name and not is_set, is_set
        case c_ast.Assignment(op="=", lvalue=c_ast.ID()) if node.lvalue.name == name:
            return _needs(node.rvalue, name, is_set)[0], True
        case c_ast.If() | c_ast.TernaryOp():
            (first, is_set), arms = _needs(node.cond, name, is_set), (node.iftrue, node.iffalse)
            found = [_needs(arm, name, is_set) for arm in arms]
            return first or any(n for n, _ in found), all(known for _, known in found)
        case c_ast.For() | c_ast.While():
            before, is_set = _in_order([getattr(node, "init", None), node.cond], name, is_set)
            inside, _ = _in_order([node.stmt, getattr(node, "next", None)], name, is_set)
            return before or inside, is_set
        case c_ast.DoWhile():
            return _in_order([node.stmt, node.cond], name, is_set)
        case c_ast.BinaryOp(op="&&" | "||"):
            first, is_set = _needs(node.left, name, is_set)
            return first or _needs(node.right, name, is_set)[0], is_set
    return _in_order([child for _, child in node.children()], name, is_set)


def _in_order(nodes: list[Any], name: str, is_set: bool) -> tuple[bool, bool]:
    needed = False
    for node in nodes:
        needs, is_set = _needs(node, name, is_set)
        needed |= needs
    return needed, is_set


def _stays_inside(body: Any) -> None:
    """`Refused` if control leaves the region other than at its end."""
    leaving = first_return(body) or jump(body)
    if leaving is not None:
        raise Refused(place(leaving), "control leaves the region before its end")


def _names(*nodes: Any, but: frozenset[int] = frozenset()) -> set[str]:
    """The identifiers in pieces of syntax, not those of members of structs; `but` are parts to leave out."""
    found: set[str] = set()
    pending = list(nodes)
    while pending:
        part = pending.pop()
        if id(part) in but:
            continue
        if isinstance(part, c_ast.ID):
            found.add(part.name)
        pending += [part.name] if isinstance(part, c_ast.StructRef) else [child for _, child in part.children()]
    return found


def _is_number(unit: Unit, declared: Any) -> bool:
    """True if a variable is no array and no pointer, also under the name of a type."""
    t = declared.type
    while isinstance(t, c_ast.TypeDecl) and isinstance(t.type, c_ast.IdentifierType):
        named = unit.typedefs.get(t.type.names[0]) if len(t.type.names) == 1 else None
        if named is None:
            return True
        t = named
    return isinstance(t, c_ast.TypeDecl)


def _addressed(node: Any) -> set[str]:
    """The variables whose address is taken."""
    found: set[str] = set()
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, c_ast.UnaryOp) and part.op == "&" and isinstance(part.expr, c_ast.ID):
            found.add(part.expr.name)
        pending += [child for _, child in part.children()]
    return found


# ---- syntax --------------------------------------------------------------------------------------


def _declaration(name: str, type_: Any, like: Any) -> Any:
    quals = [q for q in like.quals if q != "const"]
    return c_ast.Decl(name, quals, [], [], [], _renamed(type_, name), None, None, coord=like.coord)


def _renamed(type_: Any, name: str) -> Any:
    """The type of a declaration of another name."""
    if isinstance(type_, c_ast.PtrDecl):
        return c_ast.PtrDecl(type_.quals, _renamed(type_.type, name), coord=type_.coord)
    if isinstance(type_, c_ast.ArrayDecl):
        return c_ast.ArrayDecl(_renamed(type_.type, name), type_.dim, type_.dim_quals, coord=type_.coord)
    if isinstance(type_, c_ast.TypeDecl):
        return c_ast.TypeDecl(name, type_.quals, type_.align, type_.type, coord=type_.coord)
    return type_


def _definition(name: str, parameters: list[Any], body: Any, coord: Any) -> Any:
    nothing = c_ast.TypeDecl(name, [], None, c_ast.IdentifierType(["void"], coord=coord), coord=coord)
    type_ = c_ast.FuncDecl(c_ast.ParamList(parameters, coord=coord), nothing, coord=coord)
    return c_ast.FuncDef(c_ast.Decl(name, [], [], [], [], type_, None, None, coord=coord), None, body, coord=coord)
