"""Loops and scopes of Python, rewritten for the core.

A loop over the elements of an array becomes a loop that counts. Python's variables belong to the function; in the core
each is declared in the innermost block that holds all its uses, so that no iteration is taken to depend on the last.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence

from raising.frontend.python.module import Module, refused


def with_counters(module: Module, function: ast.FunctionDef, unused: Callable[[str], str]) -> None:
    """`for v in x` as `for at in range(len(x)): v = x[at]`, and `for i, v in enumerate(x)` likewise, in place.

    `unused` makes a name that the function does not have.
    """
    _Counted(module, unused).visit(function)


def name_result(module: Module, function: ast.FunctionDef, unused: Callable[[str], str]) -> None:
    """`return f(...)` of a function of the file, at the end, as `result = f(...); return result`, in place."""
    last = function.body[-1]
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Call):
        return
    if module.dotted(last.value.func) in module.functions:
        name = unused("result")
        parts = ast.Assign([ast.Name(name, ast.Store())], last.value), ast.Return(ast.Name(name, ast.Load()))
        function.body[-1:] = [ast.fix_missing_locations(ast.copy_location(part, last)) for part in parts]


def begin_as(function: ast.FunctionDef, own: str, parameter: str) -> None:
    """A variable in place of a parameter, which it begins as."""
    for node in (n for s in function.body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == parameter):
        node.id = own
    first = ast.Assign([ast.Name(own, ast.Store())], ast.Name(parameter, ast.Load()))
    function.body.insert(0, ast.fix_missing_locations(ast.copy_location(first, function)))


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


Block = Sequence[ast.stmt]


def blocks(node: ast.stmt) -> tuple[Block, ...]:
    """The blocks inside of a statement."""
    if isinstance(node, ast.For | ast.While | ast.If):
        return node.body, node.orelse
    return ()


def heads(node: ast.stmt) -> tuple[ast.expr, ...]:
    """The expressions of a statement that has blocks."""
    if isinstance(node, ast.For):
        return node.target, node.iter
    return (node.test,) if isinstance(node, ast.While | ast.If) else ()


def mentioned(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Every name in some syntax."""
    return frozenset(n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name))


def assigned(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names that some syntax assigns."""
    return frozenset(
        n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    )


def counters(target: ast.expr) -> tuple[str, ...]:
    """The names that a loop counts with."""
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return tuple(p.id for p in parts if isinstance(p, ast.Name))


def sinking(block: Block, names: frozenset[str]) -> Iterator[tuple[Block, str]]:
    """Each variable with the innermost block that it can be declared in.

    It goes into a block inside if nothing outside of it mentions the variable
    and the first statement there that does assigns it, so that no iteration
    of a loop sees what the one before left.
    """
    for name in sorted(names & mentioned(block)):
        users = [s for s in block if name in mentioned([s])]
        inside = [b for b in blocks(users[0]) if name in mentioned(b)] if len(users) == 1 else []
        if len(inside) == 1 and name not in mentioned(heads(users[0])) and _starts(inside[0], name):
            yield from sinking(inside[0], frozenset([name]))
        else:
            yield block, name


def _starts(block: Block, name: str) -> bool:
    """Whether the first use of a variable in a block assigns it, whatever happens."""
    first = next(s for s in block if name in mentioned([s]))
    if isinstance(first, ast.For | ast.While | ast.If):
        inside = [b for b in blocks(first) if name in mentioned(b)]
        alone = not any(name in mentioned([s]) for s in block if s is not first)
        return alone and name not in mentioned(heads(first)) and all(_starts(b, name) for b in inside)
    if isinstance(first, ast.AnnAssign):
        return isinstance(first.target, ast.Name) and first.value is not None and name not in mentioned([first.value])
    return (
        isinstance(first, ast.Assign)
        and name not in mentioned([first.value, *(t for t in first.targets if not isinstance(t, ast.Name))])
        and any(isinstance(t, ast.Name) and t.id == name for t in first.targets)
    )


def sets(block: Block, name: str) -> bool:
    """Whether the first statement of a block that mentions a variable is an assignment to it."""
    first = next(s for s in block if name in mentioned([s]))
    if isinstance(first, ast.AnnAssign):
        return isinstance(first.target, ast.Name) and first.value is not None and name not in mentioned([first.value])
    if not isinstance(first, ast.Assign) or name in mentioned([first.value]):
        return False
    targets = [t for one in first.targets for t in (one.elts if isinstance(one, ast.Tuple) else [one])]
    others = [t for t in targets if not isinstance(t, ast.Name)]
    return name not in mentioned(others)


def check_counters(module: Module, function: ast.FunctionDef) -> frozenset[str]:
    """The names of loop counters; `Refused` where one is used outside of its loops."""
    found = frozenset(
        name for node in ast.walk(function) if isinstance(node, ast.For) for name in counters(node.target)
    )
    _check(module, function.body, found, frozenset())
    return found


def _check(module: Module, block: Block, names: frozenset[str], bound: frozenset[str]) -> None:
    for node in block:
        head, inner = heads(node) if blocks(node) else (node,), bound
        if isinstance(node, ast.For):
            head, inner = (node.iter,), bound | frozenset(counters(node.target))
        for part in head:
            _check_part(module, part, names - bound)
        for inside in blocks(node):
            _check(module, inside, names, inner)


def _check_part(module: Module, part: ast.AST, outside: frozenset[str]) -> None:
    for n in ast.walk(part):
        if isinstance(n, ast.Name) and n.id in outside:
            raise refused(module, n, f"'{n.id}' counts a loop, and is used outside of it, too")
