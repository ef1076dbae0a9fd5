"""Index-set splitting: a statement taken apart by where the values that it reads come from.

A statement that reads some of its own results and some older values has a cycle in its dependences,
though its instances may fall into a few sets that only need one another in one order (row and column k
of Floyd and Warshall's algorithm, and the rest).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Store
from raising.affine.ir.rewriting import with_names
from raising.affine.ir.value_names import computed_from, values_in
from raising.affine.polyhedral.loop_reconstruction import instances, renamed
from raising.affine.polyhedral.scop import Scop, Statement, build, conjunctions, cut, dependences

MAX_PIECES = 9  # of one statement


def split(program: Program) -> Program | None:
    """The program with each statement in pieces whose reads come from one place each; None if that changes nothing."""
    scop = build(program)
    pieces: dict[str, tuple[Any, ...]] = {}
    for label, statement in scop.statements.items():
        found = _pieces(scop, statement)
        if len(found) > MAX_PIECES:
            return None
        if len(found) > 1:
            conds = [conjunctions(piece.gist(statement.write.domain), statement.write.ivs) for piece in found]
            if any(len(c) != 1 for c in conds):
                return None
            pieces[label] = tuple(c[0] for c in conds)
    body = _rewritten(program.body, pieces) if pieces else None
    return None if body is None else replace(program, body=body)


def _pieces(scop: Scop, statement: Statement) -> list[Any]:
    """A statement's domain, cut by the domain of each of its dependences, as disjoint convex sets."""
    domain = statement.write.domain.intersect_params(scop.context)
    pieces = [domain]
    for read in statement.reads:
        flow = instances(scop, statement.label, read)
        for _, dependence in dependences(flow):
            pieces = cut(pieces, dependence.domain())
            if len(pieces) > MAX_PIECES:
                return pieces
    found = []
    for piece in pieces:
        basics = piece.coalesce().make_disjoint().get_basic_sets()
        found += [type(piece).from_basic_set(b) for b in basics]
    return found


def _rewritten(nodes: tuple[Node, ...], pieces: dict[str, tuple[Any, ...]]) -> tuple[Node, ...] | None:
    """The nodes with the stores in `pieces` taken apart; None if a load is not beside its store."""
    out: list[Node] = []
    sources = values_in(nodes)
    for position, node in enumerate(nodes):
        if isinstance(node, Store) and node.label in pieces:
            content = _content(node, sources)
            if _disturbed(nodes[:position], content):
                return None
            out += [_piece(node, content, conds, k) for k, conds in enumerate(pieces[node.label])]
        elif isinstance(node, Loop | Guard):
            body = _rewritten(node.body, pieces)
            if body is None:
                return None
            out.append(replace(node, body=body))
        else:
            out.append(node)
    return tuple(out)


def _content(store: Store, sources: dict[str, Load | Compute | IndexValue]) -> list[Load | Compute | IndexValue]:
    """The operations in a store's own block that its value is computed by, in order."""
    needed = set(computed_from([store.value], sources))
    return [n for name, n in sources.items() if name in needed]


def _disturbed(before: tuple[Node, ...], content: list[Load | Compute | IndexValue]) -> bool:
    """True if something between a load and the store writes memory."""
    first = min((before.index(n) for n in content if isinstance(n, Load)), default=len(before))
    return any(isinstance(n, Store | Loop | Guard) for n in before[first:])


def _piece(store: Store, content: list[Load | Compute | IndexValue], conds: Any, number: int) -> Node:
    label = f"{store.label}p{number}"
    own = {n.dst for n in content}

    def name(old: str) -> str:
        return renamed(old, label) if old in own else old

    nodes: list[Node] = [with_names(node, name) for node in content]
    nodes.append(replace(store, label=label, value=name(store.value)))
    return Guard(tuple(conds), tuple(nodes), store.loc)
