"""Statements of newer Python as older ones: `match` as branches, `:=` as an assignment in front of its statement.

match x, y:                 one, other = x, y
    case 0, 1 | 2: f()      if one == 0 and (other == 1 or other == 2): f()
    case k, _ if k > 3: g() elif one > 3: k = one; g()
    case _: h()             else: h()

if (d := x[i]) > 0: s += d  ->  d = x[i]; if d > 0: s += d
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from itertools import chain

from raising.frontend.python.numpy_library.made_syntax import placed, with_meanings, written
from raising.frontend.python.variables.scopes import mentioned
from raising.support.source import unused_name

_NOT_ALWAYS = (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)


class _NotPlain(Exception):
    """A pattern that is no comparison."""


class PlainStatements(ast.NodeTransformer):
    """Takes `match` and `:=` out of the functions it visits, where they are read; others stay as they are."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.taken = set(mentioned([function]))

    def visit_Match(self, node: ast.Match) -> ast.stmt | list[ast.stmt]:  # noqa: N802 (the name that ast calls)
        """A chain of branches."""
        self.generic_visit(node)
        parts = node.subject.elts if isinstance(node.subject, ast.Tuple) else [node.subject]
        kept, subjects = list[ast.stmt](), list[ast.expr]()
        for part in parts:
            if not isinstance(part, ast.Name | ast.Constant):
                self.taken.add(name := unused_name("subject", self.taken))
                kept += written("name = part", part, name=name, part=part)
                part = placed(ast.Name(name, ast.Load()), part)
            subjects.append(part)
        try:
            return [*kept, *_branches(node, subjects)]
        except _NotPlain:
            return node

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:  # noqa: N802
        """A branch whose condition assigns; of `and` without an `else`, a branch in a branch."""
        match node:
            case ast.If(test=ast.BoolOp(op=ast.And(), values=[first, *rest]), orelse=[]) if any(map(_assigns, rest)):
                inner = ast.copy_location(ast.If(_both(rest), node.body, []), rest[0])
                node = ast.copy_location(ast.If(first, [placed(inner, rest[0])], []), node)
        self.generic_visit(node)
        return [*_assigned(node), node]

    visit_Assign = visit_AugAssign = visit_Return = visit_Expr = visit_If  # type: ignore[assignment]  # they may, too

    def visit_While(self, node: ast.While) -> ast.stmt:  # noqa: N802
        """A loop whose condition assigns, as one that is left in front of its body."""
        self.generic_visit(node)
        before = _assigned(node)
        if before and not node.orelse:
            node.body = [*before, *written("if not test: break", node.test, test=node.test), *node.body]
            node.test = placed(ast.Constant(True), node.test)
        return node


def _branches(node: ast.Match, subjects: list[ast.expr]) -> list[ast.stmt]:
    """The cases as branches, the last one innermost."""
    found = list[ast.stmt]()
    for case in reversed(node.cases):
        names = dict[str, ast.expr]()
        tests = list(_tests(case.pattern, subjects, names))
        if case.guard is not None:
            tests.append(with_meanings(case.guard, names))
        sets = (written("name = value", case.pattern, name=n, value=deepcopy(v)) for n, v in names.items())
        body = [*chain(*sets), *case.body]
        if tests:
            text = "if test: body\nelse: found"
            body = written(text, case.pattern, test=_both(tests), body=body, found=found)
        found = body
    return found


def _both(tests: list[ast.expr]) -> ast.expr:
    """What holds where several do, of which there is one."""
    return ast.BoolOp(ast.And(), tests) if len(tests) > 1 else tests[0]


def _tests(pattern: ast.pattern, subjects: list[ast.expr], names: dict[str, ast.expr]) -> Iterator[ast.expr]:
    """What holds where a pattern matches; the names that it sets go into `names`."""
    match pattern:
        case ast.MatchSequence(patterns=parts) if len(parts) == len(subjects) > 1:
            for part, subject in zip(parts, subjects, strict=True):
                yield from _tests(part, [subject], names)
        case ast.MatchAs(pattern=inner, name=name) if name is None or len(subjects) == 1:
            yield from _tests(inner, subjects, names) if inner is not None else ()
            names |= {name: subjects[0]} if name is not None else {}
        case ast.MatchOr(patterns=parts):
            if any(isinstance(p, ast.MatchAs) and p.name for part in parts for p in ast.walk(part)):
                raise _NotPlain  # another name in each
            each = [[*_tests(part, subjects, names)] for part in parts]
            if all(each):
                yield placed(ast.BoolOp(ast.Or(), [*map(_both, each)]), pattern)
        case ast.MatchValue(value=value) if len(subjects) == 1:
            yield placed(ast.Compare(deepcopy(subjects[0]), [ast.Eq()], [value]), pattern)
        case ast.MatchSingleton(value=value) if len(subjects) == 1:
            yield placed(ast.Compare(deepcopy(subjects[0]), [ast.Is()], [ast.Constant(value)]), pattern)
        case _:
            raise _NotPlain


def _assigns(node: ast.expr) -> bool:
    return any(isinstance(n, ast.NamedExpr) for n in ast.walk(node))


def _assigned(node: ast.stmt) -> list[ast.stmt]:
    """The assignments that a statement's own expression begins with, which has the names in their place."""
    found, where = list[ast.stmt](), "test" if isinstance(node, ast.If | ast.While) else "value"
    value = getattr(node, where)
    if value is None or not _assigns(value):
        return []
    read = list(mentioned([node.target])) if isinstance(node, ast.AugAssign) else list[str]()
    for part in _in_order(value):
        if isinstance(part, ast.NamedExpr):
            name = part.target.id
            if read.count(name) > sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(part.value)):
                return []  # what was in it before is read first
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            read.append(part.id)
    setattr(node, where, _Taken(found).visit(value))
    return found


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression, in the order in which Python has their values."""
    parts = [*ast.iter_child_nodes(node)]
    if isinstance(node, ast.IfExp):
        parts = [node.test, node.body, node.orelse]
    for part in parts:
        yield from _in_order(part)
    yield node


class _Taken(ast.NodeTransformer):
    """Takes the assignments out of an expression that it has in any case, the first one first."""

    def __init__(self, found: list[ast.stmt]) -> None:
        self.found = found

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:  # noqa: N802
        """The name in place of the assignment."""
        self.generic_visit(node)
        self.found += written("name = value", node, name=node.target.id, value=node.value)
        return placed(ast.Name(node.target.id, ast.Load()), node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """All parts, but only the first of those that may not be reached."""
        if isinstance(node, ast.IfExp):
            node.test = self.visit(node.test)
        elif isinstance(node, ast.BoolOp):
            node.values[0] = self.visit(node.values[0])
        elif isinstance(node, ast.Compare):
            node.left, node.comparators[0] = self.visit(node.left), self.visit(node.comparators[0])
        elif not isinstance(node, _NOT_ALWAYS):
            super().generic_visit(node)
        return node
