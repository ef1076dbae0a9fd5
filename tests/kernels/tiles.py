"""Kernels as people tune them by hand: loops in tiles, and unrolled with a remainder."""

from __future__ import annotations

import ast

from tests.kernels.reorder import Legal, chains
from tests.kernels.rewrite import Tree, bounds, copied, expression, loops, substitute, uses, variable

_TRIAL = 3  # the edge of tiles for which it is tried whether they are legal, at sizes that are small


def tiled(tree: Tree, edge: int, legal: Legal) -> Tree:
    """Every loop in strips; the strips of perfect nests in tiles, where that is legal."""
    for place in range(len(chains(tree))):
        hoists = legal(_in_tiles(tree, place, _TRIAL, hoists=True))
        tree = _in_tiles(tree, place, edge, hoists)
    return ast.fix_missing_locations(tree)


def _in_tiles(tree: Tree, place: int, edge: int, hoists: bool) -> Tree:
    """The nest at that place in tiles; its loops each in strips, unless it `hoists` the loops over tiles."""
    made = copied(tree)
    old = chains(made)[place]
    chain = old if hoists else old[-1:]
    names = {variable(loop) for loop in chain}
    free = [loop for loop in chain if not any(uses(loop.iter, name) for name in names)]
    outer = [_over_tiles(loop, edge) for loop in free]
    body = [copied(chain[0])]
    for loop in reversed(outer):
        loop.body, body = list(body), [loop]
    (first,) = body
    chain[0].target, chain[0].iter, chain[0].body = first.target, first.iter, first.body
    return made


def _over_tiles(loop: ast.For, edge: int) -> ast.For:
    """The loop over the tiles of a loop, which becomes the one inside of them."""
    name, (low, high) = variable(loop), map(ast.unparse, bounds(loop))
    tile = f"{name}_tile"
    loop.iter = expression(f"range({tile}, min({tile} + {edge}, {high}))")
    return ast.For(ast.Name(tile, ast.Store()), expression(f"range({low}, {high}, {edge})"), [], [])


def unrolled(tree: Tree, by: int) -> Tree:
    """Every innermost loop unrolled, and a loop for what remains."""
    tree = copied(tree)
    for parent in [tree, *loops(tree)]:
        parent.body = [made for node in parent.body for made in _unrolled(node, by)]
    return ast.fix_missing_locations(tree)


def _unrolled(node: ast.stmt, by: int) -> list[ast.stmt]:
    if not isinstance(node, ast.For) or len(loops(node)) > 1:
        return [node]
    name, (low, high) = variable(node), map(ast.unparse, bounds(node))
    main, rest = copied(node), copied(node)
    main.iter = expression(f"range({low}, {high} - {by - 1}, {by})")
    rest.iter = expression(f"range(({low}) + (({high}) - ({low})) // {by} * {by}, {high})")
    main.body = []
    for k in range(by):
        again = copied(node)
        for statement in again.body if k else ():
            substitute(statement, name, f"{name} + {k}")
        main.body += again.body
    return [main, rest]
