"""Scopes of Python, rewritten for the core.

Python's variables belong to the function; in the core each is declared in the innermost block that holds all its uses,
so that no iteration is taken to depend on the last.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence

from raising.frontend.python.annotations import element_kind
from raising.frontend.python.module import Module, refused
from raising.frontend.python.numpy_library.made_syntax import written


def without_hints(module: Module, function: ast.FunctionDef) -> None:
    """`y: np.ndarray = x` as `y = x`, in place: only types of numbers say what a variable is."""
    fields = (getattr(n, field, None) for n in ast.walk(function) for field in ("body", "orelse"))
    for block in (b for b in fields if isinstance(b, list)):
        for k, node in enumerate(block):
            if isinstance(node, ast.AnnAssign) and node.value and element_kind(module, node.annotation) is None:
                block[k] = ast.copy_location(ast.Assign([node.target], node.value), node)


def name_result(module: Module, function: ast.FunctionDef, unused: Callable[[str], str]) -> None:
    """`return f(...)` of a function of the file, at the end, as `result = f(...); return result`, in place."""
    last = function.body[-1]
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Call):
        return
    if module.dotted(last.value.func) in module.functions:
        name = unused("result")
        function.body[-1:] = written("name = value\nreturn name", last, name=name, value=last.value)


def begin_as(function: ast.FunctionDef, own: str, parameter: str) -> None:
    """A variable in place of a parameter, which it begins as."""
    for node in (n for s in function.body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == parameter):
        node.id = own
    function.body[:0] = written("own = parameter", function, own=own, parameter=parameter)


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


def with_own_names(function: ast.FunctionDef, name: str, unused: Callable[[str], str]) -> bool:
    """Whether a variable is several: each statement of the function that mentions it sets it first. From the second
    one on these get names of their own, in place.
    """
    parameters = {n.arg for n in ast.walk(function.args) if isinstance(n, ast.arg)}
    users = [s for s in function.body if name in mentioned([s])]
    if name in parameters or len(users) < 2 or not all(_starts([s], name) for s in users):
        return False
    for statement in users[1:]:
        own = unused(name)
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id == name:
                node.id = own
    return True


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


def opposites(test: ast.expr) -> list[ast.expr]:
    """What holds where a condition does not."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            return [one for value in values for one in opposites(value)]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return [operand]
        case ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]):
            return [ast.copy_location(ast.Compare(left, [ast.Eq()], [right]), test)]
    return [ast.copy_location(ast.UnaryOp(ast.Not(), test), test)]
