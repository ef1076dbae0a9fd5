"""Rewrites of a kernel's text that leave its meaning alone and need no legality check."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TypeVar

Tree = ast.FunctionDef
Rewrite = Callable[[Tree], Tree]
_Node = TypeVar("_Node", bound=ast.AST)
_Change = Callable[[ast.For, Iterator[str]], tuple[list[ast.stmt], list[ast.stmt]]]


def copied(node: _Node) -> _Node:
    """A copy of a tree, which `copy.deepcopy` makes in ten times the time."""
    new = type(node)()
    for name, value in vars(node).items():
        if isinstance(value, list):
            value = [copied(item) if isinstance(item, ast.AST) else item for item in value]
        setattr(new, name, copied(value) if isinstance(value, ast.AST) else value)
    return new


def loops(tree: ast.AST) -> list[ast.For]:
    """All loops, outer ones first."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.For)]


def blocks(tree: Tree) -> list[list[ast.stmt]]:
    """The function's statements, then those of each loop."""
    return [tree.body, *(loop.body for loop in loops(tree))]


def variable(loop: ast.For) -> str:
    """The name of a loop's variable."""
    assert isinstance(loop.target, ast.Name)
    return loop.target.id


def bounds(loop: ast.For) -> tuple[ast.expr, ast.expr]:
    """The lower and the upper bound of a loop."""
    assert isinstance(loop.iter, ast.Call)
    low, high = [ast.Constant(0), *loop.iter.args][-2:]
    return low, high


def uses(node: ast.AST, name: str) -> bool:
    """Whether a name occurs."""
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node))


def expression(text: str) -> ast.expr:
    """Parse one expression."""
    return ast.parse(text, mode="eval").body


def substitute(node: ast.AST, name: str, text: str) -> None:
    """Put an expression for every occurrence of a name below `node`."""
    for parent in ast.walk(node):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, list):
                value[:] = [expression(text) if _is(item, name) else item for item in value]
            elif _is(value, name):
                setattr(parent, field, expression(text))


def _is(node: object, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _each_loop(change: Callable[[ast.For], None], innermost: bool = False) -> Rewrite:
    def rewrite(tree: Tree) -> Tree:
        tree = copied(tree)
        for loop in loops(tree):
            if not innermost or len(loops(loop)) == 1:
                change(loop)
        return tree

    return rewrite


def _span(loop: ast.For, low: str, high: str) -> None:
    loop.iter = expression(f"range({low}, {high})")


# --- loops


def _shift(loop: ast.For) -> None:
    name, (low, high) = variable(loop), map(ast.unparse, bounds(loop))
    for statement in loop.body:
        substitute(statement, name, f"{name} - 1")
    _span(loop, f"({low}) + 1", f"({high}) + 1")


def _one_trip(loop: ast.For) -> None:
    name = variable(loop)
    for statement in loop.body:
        substitute(statement, name, "z")
    loop.body = [_loop("z", name, f"{name} + 1", loop.body)]


def _guard(loop: ast.For) -> None:
    outer, low_high = variable(loop), bounds(loop)
    for inner in (node for node in loop.body if isinstance(node, ast.For)):
        low, high = bounds(inner)
        test = ""
        if ast.unparse(high) == f"{outer} + 1":
            test, high = f"{variable(inner)} <= {outer}", low_high[1]
        elif ast.unparse(low) == outer:
            test, low = f"{outer} <= {variable(inner)}", low_high[0]
        if test:
            _span(inner, ast.unparse(low), ast.unparse(high))
            inner.body = [ast.If(expression(test), inner.body, [])]


shifted = _each_loop(_shift)
one_trip_inside = _each_loop(_one_trip, innermost=True)
guarded = _each_loop(_guard)


def one_trip_outside(tree: Tree) -> Tree:
    """Put a loop that runs once around every nest."""
    tree = copied(tree)
    nests = [_loop("z", "0", "1", [node]) if isinstance(node, ast.For) else node for node in tree.body]
    tree.body = nests
    return tree


def zero_trip(tree: Tree) -> Tree:
    """Add loops that never run, around stores that would spoil the result."""
    tree = copied(tree)
    stored = next(s.targets[0] for s in ast.walk(tree) if isinstance(s, ast.Assign))
    assert isinstance(stored, ast.Subscript)
    zeros = "0, 0, 0" if len(getattr(stored.slice, "elts", "1")) == 3 else "0, 0"
    target = f"{ast.unparse(stored.value)}[{zeros if isinstance(stored.slice, ast.Tuple) else '0'}]"
    spoil = ast.parse(f"{target} = 7.0").body
    for node in [node for node in tree.body if isinstance(node, ast.For)]:
        node.body.append(_loop("z", variable(node), variable(node), [copied(s) for s in spoil]))
    tree.body = [_loop("z", "0", "0", spoil), *tree.body, _loop("z", "5", "2", [copied(s) for s in spoil])]
    return tree


def parallel(tree: Tree) -> Tree:
    """Mark every outermost loop whose iterations touch only their own part of what they store."""
    tree = copied(tree)
    for node in tree.body:
        if isinstance(node, ast.For) and _is_parallel(node):
            node.type_comment = "parallel"
    return tree


def _is_parallel(loop: ast.For) -> bool:
    stores = [target for s in ast.walk(loop) if isinstance(s, ast.Assign) for target in s.targets]
    own = {(ast.unparse(t.value), _axes(t, variable(loop))) for t in stores if isinstance(t, ast.Subscript)}
    accesses = (node for node in ast.walk(loop) if isinstance(node, ast.Subscript))
    stored = [node for node in accesses if ast.unparse(node.value) in {array for array, _ in own}]
    return (
        all(axes for _, axes in own)
        and all((ast.unparse(node.value), _axes(node, variable(loop))) in own for node in stored)
        and len(own) == len(dict(own))
    )


def _axes(node: ast.Subscript, name: str) -> tuple[int, ...]:
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return tuple(axis for axis, item in enumerate(items) if ast.unparse(item) == name)


def _loop(name: str, low: str, high: str, body: list[ast.stmt]) -> ast.For:
    (node,) = ast.parse(f"for {name} in range({low}, {high}): pass").body
    assert isinstance(node, ast.For)
    node.body = body
    return node


# --- expressions


class _Commute(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.BinOp:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add | ast.Mult):
            node.left, node.right = node.right, node.left
        return node


class _Reassociate(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.BinOp:
        self.generic_visit(node)
        match node:
            case ast.BinOp(ast.BinOp(a, ast.Mult(), b), ast.Mult(), c):
                return ast.BinOp(a, ast.Mult(), ast.BinOp(b, ast.Mult(), c))
            case ast.BinOp(ast.BinOp(a, ast.Add(), b), ast.Add(), c):
                return ast.BinOp(a, ast.Add(), ast.BinOp(b, ast.Add(), c))
        return node


def _visited(visitor: type[ast.NodeTransformer]) -> Rewrite:
    def rewrite(tree: Tree) -> Tree:
        body = copied(tree)
        for statement in (node for node in ast.walk(body) if isinstance(node, ast.Assign)):
            statement.value = visitor().visit(statement.value)
        return body

    return rewrite


commuted = _visited(_Commute)
reassociated = _visited(_Reassociate)


# --- memory


class _Hoist(ast.NodeTransformer):
    """Replaces what a loop does not change by names, and keeps the assignments of those."""

    def __init__(self, loop: ast.For, names: Iterator[str]) -> None:
        self.loop, self.names = variable(loop), names
        self.stored = {
            ast.unparse(t.value)
            for s in ast.walk(loop)
            if isinstance(s, ast.Assign)
            for t in s.targets
            if isinstance(t, ast.Subscript)
        }
        self.before: list[ast.stmt] = []

    def visit(self, node: ast.AST) -> ast.AST:
        fixed = not uses(node, self.loop) and not any(uses(node, array) for array in self.stored)
        if isinstance(node, ast.BinOp | ast.Subscript) and fixed:
            name = next(self.names)
            self.before += ast.parse(f"{name} = {ast.unparse(node)}").body
            return ast.Name(name)
        return node if isinstance(node, ast.Subscript) else self.generic_visit(node)


def hoisted(tree: Tree) -> Tree:
    """Move loads and products that an innermost loop does not change in front of it."""
    return _before_innermost(tree, _hoist)


def _hoist(loop: ast.For, names: Iterator[str]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    visitor = _Hoist(loop, names)
    for statement in loop.body:
        assert isinstance(statement, ast.Assign)
        statement.value = visitor.visit(statement.value)  # type: ignore[assignment]
    return visitor.before, []


def accumulated(tree: Tree) -> Tree:
    """Sum in a local variable where an innermost loop adds to one element of memory."""
    return _before_innermost(tree, _accumulate)


def _accumulate(loop: ast.For, names: Iterator[str]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    before: list[ast.stmt] = []
    after: list[ast.stmt] = []
    for statement in loop.body:
        assert isinstance(statement, ast.Assign)
        element = ast.unparse(statement.targets[0])
        reads = [ast.unparse(n) for n in ast.walk(statement.value) if isinstance(n, ast.Subscript)]
        if element in reads and not uses(statement.targets[0], variable(loop)):
            name = next(names)
            before += ast.parse(f"{name} = {element}").body
            after += ast.parse(f"{element} = {name}").body
            text = ast.unparse(statement.value).replace(element, name)
            statement.targets, statement.value = [ast.Name(name)], expression(text)
    return before, after


def _before_innermost(tree: Tree, change: _Change) -> Tree:
    tree = copied(tree)
    names = (f"t{count}" for count in range(100))
    for block in blocks(tree):
        for node in list(block):
            if isinstance(node, ast.For) and len(loops(node)) == 1:
                before, after = change(node, names)
                at = block.index(node)
                block[at : at + 1] = [*before, node, *after]
    return tree
