"""Ways out of loops and functions in fewer forms: no loop has an `else`, no loop over a few values a
`continue`, and no function ends with two branches.

for x in a:                     left = False
    if x < 0: break             for x in a:
else:                      ->       if x < 0: left = True; break
    total += 1                  if not left: total += 1

for d in (-1, 1):               for d in (-1, 1):
    if x < d: continue              if not x < d: total += d
    total += d             ->

if n == 0: return 0, 1          if n == 0: return 0, 1
else: return a, b          ->   return a, b
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy

from raising.frontend.python.numpy_library.made_syntax import placed, written
from raising.frontend.python.variables.plain_statements import PlainStatements
from raising.frontend.python.variables.scopes import mentioned
from raising.support.source import unused_name

_MOST = 8
"""With more of `continue` than these, the sides of branches could be too many."""


def in_fewer_forms(function: ast.FunctionDef) -> None:
    """The function without such loops, in older statements, and with the last of two returns at its end, in place."""
    PlainStatements(function).visit(function)
    _Loops(function).visit(function)
    while isinstance(last := function.body[-1], ast.If) and last.orelse:
        raised = len(last.orelse) == 1 and isinstance(last.orelse[0], ast.Raise)
        if raised and isinstance(last.body[-1], ast.Return):
            wrong = ast.copy_location(ast.UnaryOp(ast.Not(), last.test), last.test)
            function.body[-1:] = [ast.copy_location(ast.If(wrong, last.orelse, []), last), *last.body]
        elif isinstance(last.body[-1], ast.Return):
            function.body += last.orelse
            last.orelse = []
        else:
            return


class _Loops(ast.NodeTransformer):
    def __init__(self, function: ast.FunctionDef) -> None:
        self.taken = set(mentioned([function]))

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:  # noqa: N802 (the name that ast calls)
        """A loop over something."""
        return self._without_else(node)

    def visit_While(self, node: ast.While) -> ast.stmt | list[ast.stmt]:  # noqa: N802
        """A loop on a condition."""
        return self._without_else(node)

    def visit_Delete(self, node: ast.Delete) -> ast.stmt:  # noqa: N802
        """`del x` of names: nothing may ask for them behind it."""
        names = all(isinstance(t, ast.Name) for t in node.targets)
        return placed(ast.Pass(), node) if names else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:  # noqa: N802
        """`(i, j) == (k, l)` as a comparison of each part."""
        self.generic_visit(node)
        match node:
            case ast.Compare(left=ast.Tuple(elts=[_, *_] as one), ops=[op], comparators=[ast.Tuple(elts=other)]):
                if isinstance(op, ast.Eq | ast.NotEq) and len(one) == len(other):
                    each: list[ast.expr] = [ast.Compare(a, [op], [b]) for a, b in zip(one, other, strict=True)]
                    joined = ast.BoolOp(ast.And() if isinstance(op, ast.Eq) else ast.Or(), each)
                    return placed(joined if len(each) > 1 else each[0], node)
        return node

    def _without_else(self, node: ast.For | ast.While) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        behind, node.orelse = node.orelse, []
        if not behind:
            return node
        self.taken.add(flag := unused_name("left", self.taken))
        if not _mark(node.body, flag):
            return [node, *behind]
        last = written("if not flag: behind", behind[0], flag=flag, behind=behind)
        return [*written("flag = False", node, flag=flag), node, *last]


def _mark(body: list[ast.stmt], flag: str) -> bool:
    """Set a flag in front of each `break` that leaves the loop of a body; False if there is none."""
    found = False
    for number in reversed(range(len(body))):
        match body[number]:
            case ast.Break():
                body[number:number] = written("flag = True", body[number], flag=flag)
                found = True
            case ast.If(body=then, orelse=otherwise):
                found = any([_mark(part, flag) for part in (then, otherwise)]) or found
    return found


def never_ends(body: Sequence[ast.stmt]) -> bool:
    """Whether the last statement is a loop that nothing but `return` leaves."""
    match body[-1]:
        case ast.While(test=ast.Constant(value=True | 1), body=inner):
            return not leaves(inner, ast.Break)
    return False


def leaves(body: Sequence[ast.stmt], *ways: type[ast.stmt]) -> bool:
    """Whether a list of statements has a `break`, say, of the loop around it."""
    parts = [part for s in body if isinstance(s, ast.If) for part in (s.body, s.orelse)]
    return any(isinstance(s, ways) for s in body) or any(leaves(part, *ways) for part in parts)


def without_continue(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function in which loops over a few values, which are written out, have branches for `continue`, in place."""
    for node in ast.walk(function):
        few = sum(isinstance(n, ast.Continue) for n in ast.walk(node)) <= _MOST
        if few and isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple | ast.List):
            node.body = _branched(node.body)
    return function


def _branched(body: list[ast.stmt]) -> list[ast.stmt]:
    """What a round does, up to a `continue`; what is behind a branch that may end it is in both sides of it."""
    for number, node in enumerate(body):
        if isinstance(node, ast.Continue):
            return body[:number] or [placed(ast.Pass(), node)]
        if isinstance(node, ast.If) and leaves([node], ast.Continue):
            sides = [_branched([*part, *deepcopy(body[number + 1 :])]) for part in (node.body, node.orelse)]
            return [*body[:number], ast.copy_location(ast.If(node.test, sides[0], sides[1]), node)]
    return body
