"""Arguments that are known before anything runs: None, texts, functions, and default values.

    smooth(x, mode="same", w=None)   ->   _smooth(x), in which `mode` is "same" and `w` is None
    softmax(x, axis=-1)              ->   _softmax(x), which passes -1 on to NumPy

In the function that is called, branches that such an argument decides are taken or left out.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from copy import deepcopy
from typing import Any, NamedTuple

from raising.frontend.python.annotations import parameters
from raising.frontend.python.inner_functions.made_functions import kept
from raising.frontend.python.module import Module, Number
from raising.frontend.python.numpy_library.made_syntax import placed, written

Known = Mapping[str, ast.expr]
"""What parameters are: constants, or names of functions of the file."""


def put_in(module: Module, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function with what is known put in, and such calls of functions replaced, in place."""
    function.body = _block(function.body, {}) or [placed(ast.Pass(), function)]
    _Calls(module).visit(ast.Module(function.body, []))
    return function


def fixed(function: ast.FunctionDef, known: Known) -> ast.FunctionDef:
    """A function for which some parameters are known, without these, changed in place."""
    given = function.args
    for each in (given.posonlyargs, given.args, given.kwonlyargs):
        each[:] = [a for a in each if a.arg not in known]
    given.defaults, given.kw_defaults = [], [None] * len(given.kwonlyargs)
    function.body = _block(function.body, dict(known)) or [placed(ast.Pass(), function)]
    return function


class Parts(NamedTuple):
    """A tuple as an argument: the parameters that its parts are, and what they are called if it is a named tuple."""

    names: tuple[str, ...]
    fields: tuple[str, ...]


def fixed_values(function: ast.FunctionDef, values: Mapping[str, Any]) -> ast.FunctionDef:
    """A function for which some parameters are None, or these texts or integers; each says of which argument it is the
    value. An integer that the function sets is a variable, and is known again where it is set to another one. A tuple
    is its parts, which may be known, too.
    """
    known: dict[str, ast.expr] = {}
    for name, value in values.items():
        if isinstance(value, Parts):
            _open(function, name, value)
            continue
        known[name] = given = placed(ast.Constant(value), function)
        given.argument = name  # type: ignore[attr-defined]
    for name in sorted(known.keys() & set().union(*map(_set, function.body))):
        if isinstance(values[name], int):
            function.body[:0] = written("name = value", function, name=name, value=ast.Constant(values[name]))
    return fixed(function, known)


def _open(function: ast.FunctionDef, name: str, parts: Parts) -> None:
    """A parameter for each part of a tuple, in place."""
    given = function.args
    for each in (given.posonlyargs, given.args, given.kwonlyargs):
        opened = [[placed(ast.arg(p), a) for p in parts.names] if a.arg == name else [a] for a in each]
        each[:] = [a for several in opened for a in several]
    given.defaults, given.kw_defaults = [], [None] * len(given.kwonlyargs)
    is_set = name in set().union(*map(_set, function.body))
    _Parts(name, parts, is_set).visit(ast.Module(function.body, []))
    if is_set:
        made = ast.Tuple([ast.Name(p, ast.Load()) for p in parts.names], ast.Load())
        function.body.insert(0, placed(ast.Assign([ast.Name(name, ast.Store())], made), function))


class _Parts(ast.NodeTransformer):
    """The parts of a tuple in its places, unless it is a variable; `point.x` as `point[0]`."""

    def __init__(self, name: str, parts: Parts, is_set: bool) -> None:
        self.name, self.parts, self.is_set = name, parts, is_set

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=field, ctx=ast.Load()) if name == self.name:
                if field in self.parts.fields:
                    number = ast.Constant(self.parts.fields.index(field))
                    return self.visit_Subscript(placed(ast.Subscript(node.value, number, node.ctx), node))
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        number = evaluated(node.slice)
        if not isinstance(node.value, ast.Tuple) or number is None or isinstance(node.ctx, ast.Store):
            return node
        parts = node.value.elts
        return parts[number] if -len(parts) <= number < len(parts) else node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self.name or self.is_set:
            return node
        return placed(ast.Tuple([ast.Name(p, ast.Load()) for p in self.parts.names], ast.Load()), node)


class _Calls(ast.NodeTransformer):
    def __init__(self, module: Module) -> None:
        self.module = module

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call with an argument for each parameter, but for those that are known: these are in the function."""
        self.generic_visit(node)
        name = self.module.dotted(node.func)
        callee = self.module.functions.get(name)
        if (
            callee is None
            or any(isinstance(a, ast.Starred) for a in node.args)
            or not all(k.arg for k in node.keywords)
        ):
            return node
        names = [p.arg for p in parameters(callee)]
        given = dict(zip(names, node.args, strict=False)) | {k.arg or "": k.value for k in node.keywords}
        if len(node.args) + len(node.keywords) != len(given) or given.keys() - {*names}:
            return node
        more = {p: deepcopy(v) for p, v in _defaults(callee).items() if p not in given and self._stands(v)}
        node.keywords += [placed(ast.keyword(p, placed(v, node)), node) for p, v in more.items()]
        passed = _passed_on(callee)
        known = {p: v for p, v in (given | more).items() if self._is_known(v) or p in passed and _is_whole(v)}
        if known and given.keys() | more.keys() == {*names}:
            node.args = [a for p, a in zip(names, node.args, strict=False) if p not in known]
            node.keywords = [k for k in node.keywords if k.arg not in known]
            made = fixed(deepcopy(callee), known)
            own = kept(self.module, made, f"{name}_{'_'.join(known)}", callee)
            node.func = ast.copy_location(ast.Name(own, ast.Load()), node)
        return node

    def _stands(self, value: ast.expr) -> bool:
        """Whether a default value means the same at the call: a constant does."""
        return self._is_known(value) or self.module.number(value) is not None or _is_truth(value)

    def _is_known(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Name):
            return value.id in self.module.functions
        if isinstance(value, ast.Attribute):
            own = self.module.dotted(value).startswith(("numpy.", "math."))
            return own and self.module.number(value) is None
        return isinstance(value, ast.Constant) and (value.value is None or isinstance(value.value, str))


def _passed_on(function: ast.FunctionDef) -> set[str]:
    """The names that a function never sets, and gives to calls as they are: as an axis, it may be."""
    calls = (n for n in ast.walk(function) if isinstance(n, ast.Call))
    given = (a for c in calls for a in (*c.args, *(k.value for k in c.keywords)))
    return {a.id for a in given if isinstance(a, ast.Name)} - set().union(*map(_set, function.body))


def _is_whole(value: ast.expr) -> bool:
    """Whether an argument is written as an integer or a truth value."""
    number = value.operand if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub) else value
    return isinstance(number, ast.Constant) and isinstance(number.value, int)


def _is_truth(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, bool)


def _defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    last = positional[len(positional) - len(given.defaults) :]
    found = {p.arg: v for p, v in zip(last, given.defaults, strict=True)}
    pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return found | {p.arg: v for p, v in pairs if v is not None}


# ---- what is known, in the statements of a function ---------------------------------------------------


def _block(body: Sequence[ast.stmt], known: dict[str, ast.expr]) -> list[ast.stmt]:
    """Statements in which some names are known, until they are set; `known` loses those, but for integers that are set
    to integers.
    """
    found: list[ast.stmt] = []
    waiting = list(body)
    whole = {n for n, value in known.items() if _is_whole(value)}
    while waiting:
        statement = waiting.pop(0)
        if isinstance(statement, ast.If):
            test = _Put(known).visit(statement.test)
            decides = test.value if isinstance(test, ast.Constant) else evaluated(test)
            if isinstance(test, ast.Constant) or decides is not None:
                waiting[:0] = statement.body if decides else statement.orelse
                continue
            statement.test = test
            sides = [dict(known), dict(known)]
            statement.body = _block(statement.body, sides[0]) or [placed(ast.Pass(), statement)]
            statement.orelse = _block(statement.orelse, sides[1])
            for name in [n for n in known if len({ast.dump(s[n]) if n in s else n for s in sides}) > 1]:
                del known[name]
            known.update({n: v for n, v in sides[0].items() if n in known})
        else:
            statement = _as_set(statement, whole)
            for name in _set(statement) & known.keys() if not isinstance(statement, ast.Assign) else ():
                del known[name]
            statement = _Put(known).visit(statement)
            for name in _set(statement) & {*known, *whole}:
                known.pop(name, None)
                if (value := _whole_set(statement, name)) is not None and name in whole:
                    known[name] = placed(ast.Constant(value), statement)
        found.append(statement)
        if isinstance(statement, ast.Return):
            break
    return found


def _as_set(statement: ast.stmt, whole: Set[str]) -> ast.stmt:
    """`n += 1` as `n = n + 1`, for an integer."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if name in whole:
            sum_ = ast.BinOp(ast.Name(name, ast.Load()), op, value)
            return placed(ast.Assign([ast.Name(name, ast.Store())], sum_), statement)
    return statement


def _whole_set(statement: ast.stmt, name: str) -> int | None:
    """The integer that a statement sets a name to, as far as it is known."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=set_)], value=value) if set_ == name:
            return evaluated(value)
    return None


def evaluated(node: ast.expr) -> int | None:
    """The value of an expression of integers, or whether it is true; None for others."""
    value = known_value(node, _written_number)
    return value if isinstance(value, int) else None


def _written_number(node: ast.expr) -> Number | None:
    named = any(isinstance(n, ast.Name) for n in ast.walk(node))
    return None if named else Module("").number(node)


def known_value(node: ast.expr, number: Callable[[ast.expr], Number | None]) -> Any:
    """The number, the truth value or the tuple that an expression of constants is; None for others.

    `number` tells what is a constant number.
    """

    def of_known(function: Callable[..., Any], *parts: ast.expr) -> Any:
        values = [known_value(part, number) for part in parts]
        with suppress(TypeError):
            return None if any(value is None for value in values) else function(*values)

    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Tuple(elts=parts):
            return of_known(lambda *values: values, *parts)
        case ast.BoolOp(op=op, values=parts):
            return of_known(lambda *values: (all if isinstance(op, ast.And) else any)(values), *parts)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return of_known(operator.not_, part)
        case ast.Compare(
            left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Tuple() | ast.Set() | ast.List() as x]
        ):
            return of_known(lambda one, *others: (one in others) == isinstance(op, ast.In), left, *x.elts)
        case ast.Compare(left=left, ops=ops, comparators=rights) if all(type(op) in _RELATIONS for op in ops):
            pairs = zip(ops, [left, *rights], rights, strict=False)
            each = [of_known(_RELATIONS[type(op)], *sides) for op, *sides in pairs]
            return None if None in each else all(each)
        case ast.Call(func=ast.Name(id="min" | "max" | "int" | "abs" as called), args=[_, *_] as given, keywords=[]):
            whole = all(isinstance(known_value(g, number), int) for g in given)
            several = (len(given) > 1) == (called in ("min", "max"))
            return of_known(_FUNCTIONS[called], *given) if whole and several else None
    return number(node)


_FUNCTIONS: dict[str, Callable[..., int]] = {"min": min, "max": max, "int": int, "abs": abs}
_RELATIONS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip


def _set(statement: ast.stmt) -> set[str]:
    names = (n for n in ast.walk(statement) if isinstance(n, ast.Name))
    return {n.id for n in names if not isinstance(n.ctx, ast.Load)}


class _Put(ast.NodeTransformer):
    """What names are in their places, and what follows of that."""

    def __init__(self, known: Known) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name that is known."""
        if node.id not in self.known or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(deepcopy(self.known[node.id]), node)

    def visit_If(self, node: ast.If) -> Any:
        """A branch inside of a loop."""
        node.test = self.visit(node.test)
        body, orelse = ([s for part in side for s in _several(self.visit(part))] for side in (node.body, node.orelse))
        if isinstance(node.test, ast.Constant):
            return (body if node.test.value else orelse) or placed(ast.Pass(), node)
        node.body, node.orelse = body, orelse
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """A choice."""
        self.generic_visit(node)
        return (node.body if node.test.value else node.orelse) if isinstance(node.test, ast.Constant) else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """`and` and `or`: what is behind a part that decides is gone."""
        ends, kept_ = isinstance(node.op, ast.Or), list[ast.expr]()
        for part in map(self.visit, node.values):
            if not isinstance(part, ast.Constant) or not isinstance(part.value, bool):
                kept_.append(part)
            elif part.value == ends:
                kept_.append(part)
                break
        if not kept_:
            return ast.copy_location(ast.Constant(not ends), node)
        plain = isinstance(kept_[0], ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant)
        node.values = kept_ if len(kept_) > 1 or plain else node.values
        return node if len(node.values) > 1 else node.values[0]

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """`not` of what is known."""
        self.generic_visit(node)
        decided = isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant)
        return ast.copy_location(ast.Constant(not node.operand.value), node) if decided else node  # type: ignore[attr-defined]

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """`x is None`, `mode == "same"` and `mode in ("same", "full")`: something that may be known is neither."""
        self.generic_visit(node)
        if len(node.ops) != 1:
            return node
        told = _told(node.ops[0], node.left, node.comparators[0])
        return node if told is None else ast.copy_location(ast.Constant(told), node)


def _several(found: Any) -> list[ast.stmt]:
    return found if isinstance(found, list) else [found]


def _told(op: ast.cmpop, left: ast.expr, right: ast.expr) -> bool | None:
    """Whether a comparison holds, as far as that is known; what is no constant is not None: no variable can be."""
    if isinstance(op, ast.In | ast.NotIn) and isinstance(right, ast.Tuple | ast.List | ast.Set):
        each = [_told(ast.Eq(), left, part) for part in right.elts]
        return None if None in each else any(each) == isinstance(op, ast.In)
    if not isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
        return None
    values = [part.value if isinstance(part, ast.Constant) else part for part in (left, right)]
    texts = [value is None or isinstance(value, str) for value in values]
    if isinstance(op, ast.Is | ast.IsNot) and None in values and not all(texts):
        return isinstance(op, ast.IsNot)
    if not all(texts):
        return None
    return (values[0] == values[1]) == isinstance(op, ast.Is | ast.Eq)
