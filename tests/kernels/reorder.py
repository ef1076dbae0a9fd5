"""Rewrites that change the order of a kernel's loops; each step is kept only where it is legal.

Legal means here that the text, run as Python at small distinct sizes, still computes what the
kernel's oracle says. That is a test's notion, not a proof, and owes nothing to the dependence
analysis under test.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp, sqrt
from typing import Any

from tests.kernels import EVERY, arguments, small
from tests.kernels.rewrite import Tree, blocks, bounds, copied, expression, loops, substitute, uses, variable
from tests.oracles import mismatch

Legal = Callable[[Tree], bool]


def legality(name: str) -> Legal:
    """A check for rewrites of one kernel."""
    before = arguments(name, small(name))

    def legal(tree: Tree) -> bool:
        after = [value.copy() for value in before]
        _run(tree, small(name), after)
        return not mismatch(name, before, after)

    return legal


def defined(name: str, sizes: Mapping[str, int]) -> bool:
    """Whether a kernel stays inside of its arrays at these sizes, and divides by none that is zero."""
    try:
        _run(EVERY[name].tree(), sizes, arguments(name, sizes))
    except (IndexError, ZeroDivisionError):
        return False
    return True


def _run(tree: Tree, sizes: Mapping[str, int], values: Sequence[Any]) -> None:
    """The kernel as Python, on these arrays."""
    plain = copied(tree)
    for argument in plain.args.args:
        argument.annotation = None
    module = ast.fix_missing_locations(ast.Module([plain], []))
    scope: dict[str, Any] = {"sqrt": sqrt, "exp": exp, "powf": pow, **sizes}
    exec(compile(module, tree.name, "exec"), scope)  # noqa: S102
    scope[tree.name](*values)


def chains(tree: Tree) -> list[list[ast.For]]:
    """The perfect nests, as long as they go."""
    inner = {id(loop.body[0]) for loop in loops(tree) if len(loop.body) == 1}
    return [list(_chain(loop)) for loop in loops(tree) if id(loop) not in inner]


def _chain(loop: ast.For) -> Iterator[ast.For]:
    yield loop
    if len(loop.body) == 1 and isinstance(loop.body[0], ast.For):
        yield from _chain(loop.body[0])


def interchanged(tree: Tree, order: Sequence[int], legal: Legal) -> Tree:
    """Permute every perfect nest of that depth: place `i` receives loop `order[i]`."""
    for place in range(len(chains(tree))):
        trial = copied(tree)
        chain = chains(trial)[place]
        if len(chain) == len(order) and _permute(chain, order) and legal(trial):
            tree = trial
    return tree


def _permute(chain: list[ast.For], order: Sequence[int]) -> bool:
    ranks = [order.index(place) for place in range(len(order))]
    for end in range(len(ranks) - 1, 0, -1):
        for at in range(end):
            if ranks[at] > ranks[at + 1]:
                ranks[at], ranks[at + 1] = ranks[at + 1], ranks[at]
                if not _swap(chain[at], chain[at + 1]):
                    return False
    return True


def _swap(outer: ast.For, inner: ast.For) -> bool:
    """Exchange two loop headers, triangular bounds included."""
    o, n = variable(outer), variable(inner)
    (first, last), (low, high) = map(ast.unparse, bounds(outer)), map(ast.unparse, bounds(inner))
    if not uses(inner.iter, o):
        outer.iter, inner.iter = inner.iter, outer.iter
    elif high == f"{o} + 1" and low == first:
        outer.iter, inner.iter = expression(f"range({low}, {last})"), expression(f"range({n}, {last})")
    elif low == o and high == last:
        outer.iter, inner.iter = expression(f"range({first}, {last})"), expression(f"range({first}, {n} + 1)")
    else:
        return False
    outer.target, inner.target = inner.target, outer.target
    return True


def descending(tree: Tree, legal: Legal) -> Tree:
    """Run each loop backwards whose order does not matter."""
    for place in range(len(loops(tree))):
        trial = copied(tree)
        _descend(loops(trial)[place])
        tree = trial if legal(trial) else tree
    return tree


def _descend(loop: ast.For) -> None:
    name, (low, high) = variable(loop), map(ast.unparse, bounds(loop))
    for statement in loop.body:
        substitute(statement, name, f"({high}) - 1 - {name}")
    loop.iter = expression(f"range(({high}) - ({low}))")


def split(tree: Tree, legal: Legal) -> Tree:
    """Give each statement a nest of its own, as far as that is legal."""
    return _repeat(tree, _cuts, legal)


def fused(tree: Tree, legal: Legal) -> Tree:
    """Merge neighbouring loops over the same range, as far as that is legal."""
    return _repeat(tree, _merges, legal)


def _repeat(tree: Tree, steps: Callable[[Tree], Iterator[Tree]], legal: Legal) -> Tree:
    while following := next(filter(legal, steps(tree)), None):
        tree = following
    return tree


def _cuts(tree: Tree) -> Iterator[Tree]:
    for place, block in enumerate(blocks(tree)):
        for at, node in enumerate(block):
            for cut in range(1, len(node.body)) if isinstance(node, ast.For) else ():
                trial = copied(tree)
                body = blocks(trial)[place]
                first, second = body[at], copied(body[at])
                assert isinstance(first, ast.For) and isinstance(second, ast.For)
                first.body, second.body = first.body[:cut], second.body[cut:]
                body.insert(at + 1, second)
                yield trial


def _merges(tree: Tree) -> Iterator[Tree]:
    bare = copied(tree)
    bare.body = [node for node in bare.body if not isinstance(node, ast.Expr)]
    for place, block in enumerate(blocks(bare)):
        for at in range(len(block) - 1):
            trial = copied(bare)
            body = blocks(trial)[place]
            first, second = body[at], body[at + 1]
            if isinstance(first, ast.For) and isinstance(second, ast.For) and _same(first, second):
                for statement in second.body:
                    substitute(statement, variable(second), variable(first))
                first.body += second.body
                del body[at + 1]
                yield trial


def _same(first: ast.For, second: ast.For) -> bool:
    return ast.unparse(first.iter) == ast.unparse(second.iter)
