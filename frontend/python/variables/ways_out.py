"""Ways out of loops and functions in fewer forms: no loop has an `else`, and no function ends with two branches.

for x in a:                     left = False
    if x < 0: break             for x in a:
else:                      ->       if x < 0: left = True; break
    total += 1                  if not left: total += 1

if n == 0: return 0, 1          if n == 0: return 0, 1
else: return a, b          ->   return a, b
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from raising.frontend.python.numpy_library.made_syntax import placed
from raising.frontend.python.variables.scopes import mentioned
from raising.support.source import unused_name


def in_fewer_forms(function: ast.FunctionDef) -> None:
    """The function without such loops, and with the last of two returns at its end, in place."""
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

    def _without_else(self, node: ast.For | ast.While) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        behind, node.orelse = node.orelse, []
        if not behind:
            return node
        self.taken.add(flag := unused_name("left", self.taken))
        if not _mark(node.body, flag):
            return [node, *behind]
        first = ast.Assign([ast.Name(flag, ast.Store())], ast.Constant(False))
        last = ast.If(ast.UnaryOp(ast.Not(), ast.Name(flag, ast.Load())), behind, [])
        return [placed(first, node), node, placed(last, behind[0])]


def _mark(body: list[ast.stmt], flag: str) -> bool:
    """Set a flag in front of each `break` that leaves the loop of a body; False if there is none."""
    found = False
    for number in reversed(range(len(body))):
        match body[number]:
            case ast.Break():
                left = ast.Assign([ast.Name(flag, ast.Store())], ast.Constant(True))
                body.insert(number, placed(left, body[number]))
                found = True
            case ast.If(body=then, orelse=otherwise):
                found = any([_mark(part, flag) for part in (then, otherwise)]) or found
    return found


def never_ends(body: Sequence[ast.stmt]) -> bool:
    """Whether the last statement is a loop that nothing but `return` leaves."""
    match body[-1]:
        case ast.While(test=ast.Constant(value=True | 1), body=inner):
            return not _breaks(inner)
    return False


def _breaks(body: Sequence[ast.stmt]) -> bool:
    parts = [part for s in body if isinstance(s, ast.If) for part in (s.body, s.orelse)]
    return any(isinstance(s, ast.Break) for s in body) or any(map(_breaks, parts))
