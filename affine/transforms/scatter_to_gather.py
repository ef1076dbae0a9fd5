"""Scattered sums become gathered ones: `y[i + k] += x[i] * w[k]` becomes a loop over the elements that are written.

With `o = i + k` in place of `i`, every element of `y` has its own iterations: those `k` for which `o - k` is in the
range of `i`. Each iteration still runs exactly once; only the order in which an element's terms are added changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Store, forms, walk
from raising.affine.ir.rewriting import with_all_forms
from raising.support.record import dataclass

_SUMS = ("arith.addf", "arith.addi")


def gathered(program: Program) -> Program:
    """The program with its scattered sums gathered; itself if it has none."""
    body = tuple(_nest(node) if isinstance(node, Loop) else node for node in program.body)
    return program if body == program.body else replace(program, body=body)


@dataclass(frozen=True)
class _Exchange:
    """A loop variable, and the subscript that takes its place."""

    iv: str
    subscript: Lin


def _nest(outer: Loop) -> Loop:
    """A nest with the loops of its sum over what it writes; itself if it is no such sum."""
    loops, body = _chain(outer)
    conds: list[Cond] = []
    for _ in loops:
        exchange = next(_exchanges(loops, body), None)
        if exchange is None:
            break
        loops, body, more = _exchanged(loops, body, exchange)
        conds = [Cond(_put(c.form, exchange), c.equality) for c in conds] + more
    if not conds:
        return outer
    body = (Guard(tuple(conds), body, outer.loc),)
    for loop in reversed(loops):
        body = (replace(loop, body=body),)
    (whole,) = body
    assert isinstance(whole, Loop)
    return whole


def _chain(outer: Loop) -> tuple[list[Loop], tuple[Node, ...]]:
    """The loops of a nest from the outermost, and what is inside of all of them, or may as well be."""
    written = {n.array for n in walk((outer,)) if isinstance(n, Store)}
    loops, sunk = [outer], list[Node]()
    while isinstance(inner := loops[-1].body[-1] if loops[-1].body else None, Loop):
        before = loops[-1].body[:-1]
        if not all(_sinks(node, written) for node in before):
            break
        sunk += before
        loops.append(inner)
    return loops, (*sunk, *loops[-1].body)


def _sinks(node: Node, written: set[str]) -> bool:
    return isinstance(node, Compute | IndexValue) or (isinstance(node, Load) and node.array not in written)


def _exchanges(loops: list[Loop], body: tuple[Node, ...]) -> Iterator[_Exchange]:
    """The exchanges that a sum allows: a variable with factor 1 in a subscript whose other variables revisit places."""
    store = _sum(body)
    bounds = {name for loop in loops for form in forms(loop) for name in form.names()}
    by_name = {loop.iv: loop for loop in loops}
    for subscript in store.subscripts if store is not None else ():
        factors = {name: c for name, c in subscript.terms if isinstance(name, str) and name in by_name}
        plain = len(subscript.terms) == len(factors) > 1 and not bounds & by_name.keys()
        counted = all(by_name[n].step == len(by_name[n].lower) == len(by_name[n].upper) == 1 for n in factors)
        if not plain or not counted or any(c < 0 for c in factors.values()):
            continue
        for name in by_name:  # the outermost first
            others = [c for other, c in factors.items() if other != name]
            loop = by_name[name]
            trips = loop.upper[0] - loop.lower[0]
            if factors.get(name) == 1 and not (trips.is_const and trips.const <= min(others)):
                yield _Exchange(name, subscript)


def _sum(body: tuple[Node, ...]) -> Store | None:
    """The one store of a body, if it adds to the place that it writes."""
    stores = [n for n in body if isinstance(n, Store)]
    if len(stores) != 1 or any(isinstance(n, Loop | Guard) for n in body):
        return None
    store = stores[0]
    own = {n.dst for n in body if isinstance(n, Load) and n.array == store.array}
    same = {n.dst for n in body if isinstance(n, Load) and (n.array, n.subscripts) == (store.array, store.subscripts)}
    uses = [(n, a) for n in body if isinstance(n, Compute) for a in n.args if a in own]
    adds = len(own) == 1 and own == same and len(uses) == 1 and uses[0][0].op in _SUMS
    return store if adds and uses[0][0].dst == store.value else None


def _exchanged(
    loops: list[Loop], body: tuple[Node, ...], exchange: _Exchange
) -> tuple[list[Loop], tuple[Node, ...], list[Cond]]:
    """A nest over the subscript, and where its iterations are those of the nest before."""
    by_name = {loop.iv: loop for loop in loops}
    old = by_name[exchange.iv]
    first = exchange.subscript.substitute(lambda n: by_name[n].lower[0] if n in by_name else None)
    last = exchange.subscript.substitute(lambda n: by_name[n].upper[0] - 1 if n in by_name else None)
    before = _put(var(exchange.iv), exchange)
    new = replace(old, lower=(first,), upper=(last + 1,))
    conds = [Cond(before - old.lower[0]), Cond(old.upper[0] - 1 - before)]
    return (
        [new if loop is old else loop for loop in loops],
        with_all_forms(body, lambda form: _put(form, exchange)),
        conds,
    )


def _put(form: Lin, exchange: _Exchange) -> Lin:
    """A form in the old variable, in the new one of the same name."""
    old = var(exchange.iv)
    before = old - (exchange.subscript - old)
    return form.substitute(lambda name: before if name == exchange.iv else None)
