"""Loops over the elements of an array as loops that count."""

from __future__ import annotations

import ast
from collections.abc import Callable

from affine.python.module import Module


def with_counters(module: Module, function: ast.FunctionDef, unused: Callable[[str], str]) -> None:
    """`for v in x` as `for at in range(len(x)): v = x[at]`, and `for i, v in enumerate(x)` likewise, in place.

    `unused` makes a name that the function does not have.
    """
    _Counted(module, unused).visit(function)


class _Counted(ast.NodeTransformer):
    def __init__(self, module: Module, unused: Callable[[str], str]) -> None:
        self.module, self.unused = module, unused
        self.made = 0

    def visit_For(self, node: ast.For) -> ast.For:  # noqa: N802 (the name that ast calls)
        """The loop, and those in it."""
        self.generic_visit(node)
        counter, array, target = self._over(node)
        if array is None or not isinstance(target, ast.Name):
            return node
        name = counter if isinstance(counter, str) else self._counter()
        length = ast.Call(ast.Name("len", ast.Load()), [ast.Name(array, ast.Load())], [])
        element = ast.Subscript(ast.Name(array, ast.Load()), ast.Name(name, ast.Load()), ast.Load())
        first = ast.Assign([ast.Name(target.id, ast.Store())], element)
        for made in (length, first):
            for part in ast.walk(ast.copy_location(made, node.iter)):
                ast.copy_location(part, node.iter)
        node.iter = ast.copy_location(ast.Call(ast.Name("range", ast.Load()), [length], []), node.iter)
        node.target = ast.copy_location(ast.Name(name, ast.Store()), node.target)
        node.body = [first, *node.body]
        ast.fix_missing_locations(node)
        return node

    def _over(self, node: ast.For) -> tuple[str | None, str | None, ast.expr]:
        """The counter that a loop has, the array whose elements it goes through, and what is set to them."""
        source, target = node.iter, node.target
        if isinstance(source, ast.Name):
            return None, source.id, target
        plain = isinstance(source, ast.Call) and not source.keywords and len(source.args) == 1
        if not plain or not isinstance(target, ast.Tuple) or len(target.elts) != 2:
            return None, None, target
        array, counter = source.args[0], target.elts[0]  # type: ignore[attr-defined]
        if self.module.dotted(source.func) != "enumerate":  # type: ignore[attr-defined]
            return None, None, target
        if not isinstance(array, ast.Name) or not isinstance(counter, ast.Name):
            return None, None, target
        return counter.id, array.id, target.elts[1]

    def _counter(self) -> str:
        self.made += 1
        return self.unused(f"at_{self.made}")
