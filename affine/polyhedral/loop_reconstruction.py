"""A program written anew with one loop around all of it, whose variable is a given one of each statement.

Every statement becomes a nest of its own inside of that loop. The result is kept only if it carries the
same values from the same instances as before, and leaves the same ones behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Guard, Loop, Node, Store, walk
from raising.affine.ir.rewriting import with_all_forms, with_names
from raising.affine.ir.value_names import computed_from, values_in
from raising.affine.polyhedral.bounding_box import affine_form
from raising.affine.polyhedral.distribution import last_writes
from raising.affine.polyhedral.scop import Scop, Statement, build, conjunctions, context_set, params
from raising.support.record import dataclass


def rebuilt(scop: Scop, times: Mapping[str, str], order: Sequence[str]) -> Loop | None:
    """The loop over time, with the statements in the order given; None if it would compute anything else."""
    builder = _Builder(scop, times)
    nests = [builder.nest(scop.statements[label]) for label in order]
    bounds = builder.bounds()
    guarded = [builder.guarded(nest) for nest in nests if nest is not None]
    if bounds is None or any(n is None for n in (*nests, *guarded)):
        return None
    body = tuple(node for nodes in guarded for node in nodes or ())
    low, high = bounds
    loop = Loop(builder.time, (low,), (high + 1,), 1, body, scop.statements[order[0]].write.node.loc)
    return loop if builder.same(build(replace(scop.program, body=(loop,)))) else None


@dataclass(frozen=True)
class _Nest:
    """A statement's nest, when the statement runs (isl set of times), and when the nest by itself would."""

    statement: Statement
    nodes: tuple[Node, ...]
    now: Any
    runs: Any


class _Builder:
    def __init__(self, scop: Scop, times: Mapping[str, str]) -> None:
        self.scop, self.times = scop, times
        self.program = scop.program
        self.context = context_set(self.program)
        self.time = f"{'_'.join(dict.fromkeys(times.values()))}_t"
        self.sources = values_in(walk(self.program.body))
        self.loops = {n.iv: n for n in walk(self.program.body) if isinstance(n, Loop)}
        self.when: Any = None

    def bounds(self) -> tuple[Lin, Lin] | None:
        """The first and the last time."""
        found = [affine_form(f.gist(self.context)) for f in (self.when.dim_min(0), self.when.dim_max(0))]
        return (found[0], found[1]) if found[0] is not None and found[1] is not None else None

    def order(self, statement: Statement) -> tuple[str, ...]:
        """A statement's loop variables, time first."""
        own = self.times[statement.label]
        return (own, *(iv for iv in statement.write.ivs if iv != own))

    def moved(self, statement: Statement) -> Any:
        """{instance as it is written anew → instance}."""
        old, new = ", ".join(statement.write.ivs), ", ".join(self.order(statement))
        return isl.Map(f"{{ {statement.label}[{new}] -> {statement.label}[{old}] }}")

    def nest(self, statement: Statement) -> _Nest | None:
        """A statement's loops other than time."""
        order = self.order(statement)
        domain = statement.write.domain.intersect_params(self.context).apply(self.moved(statement).reverse())
        now = domain.project_out(isl.dim_type.set, 1, len(order) - 1).reset_tuple_id()
        self.when = now if self.when is None else self.when.union(now).coalesce()
        names = (self.time, *order[1:])
        nodes = self.content(statement)
        inside = []
        for k in range(len(order) - 1, 0, -1):
            outer = domain.project_out(isl.dim_type.set, k + 1, len(order) - k - 1)
            bounds = _bounds(outer, names[: k + 1], self.context)
            if bounds is None:
                return None
            nodes = (replace(self.loops[order[k]], lower=bounds[0], upper=bounds[1], step=1, body=nodes),)
            inside += [f"{f.isl()} <= {order[k]}" for f in bounds[0]] + [f"{order[k]} < {f.isl()}" for f in bounds[1]]
        runs = isl.Set(f"{params(self.program)}{{ [{', '.join(names)}] : {' and '.join(inside) or 'true'} }}")
        return _Nest(statement, nodes, now, runs.project_out(isl.dim_type.set, 1, len(order) - 1))

    def guarded(self, nest: _Nest) -> tuple[Node, ...] | None:
        """A nest where it runs, with the condition on time that its loops do not imply."""
        if nest.runs.intersect(self.when).intersect_params(self.context).is_subset(nest.now):
            return nest.nodes
        alternatives = conjunctions(nest.now.gist(self.when).gist_params(self.context), (self.time,))
        if len(alternatives) != 1:
            return None
        return (Guard(alternatives[0], nest.nodes, nest.statement.write.node.loc),)

    def content(self, statement: Statement) -> tuple[Node, ...]:
        """A store with all that its value is computed from, under names of its own."""
        store = statement.write.node
        assert isinstance(store, Store)
        needed = set(computed_from([store.value], self.sources))
        place = {self.times[statement.label]: var(self.time)}

        def name(old: str) -> str:
            return renamed(old, statement.label) if old in self.sources else old

        nodes: list[Node] = [with_names(n, name) for n in self.sources.values() if n.dst in needed]
        nodes.append(replace(store, value=name(store.value)))
        return with_all_forms(tuple(nodes), lambda form: form.substitute(place.get))

    # ---- the same values ---------------------------------------------------------------------------

    def same(self, new: Scop) -> bool:
        """True if every read sees the value of the same instance as before, and every element ends with the same."""
        back = isl.UnionMap("{ }")
        for s in self.scop.statements.values():
            back = back.union(isl.UnionMap.from_map(self.moved(s)))
        for label, s in self.scop.statements.items():
            for read in s.reads:
                old = instances(self.scop, label, read)
                again = instances(new, label, renamed(read, label)).apply_domain(back).apply_range(back)
                if not self._equal(old, again):
                    return False
        for array, writers in self.scop.writers.items():
            old = last_writes([s.write for s in writers])
            again = last_writes([s.write for s in new.writers[array]]).apply_range(back)
            if not self._equal(old, again):
                return False
        return True

    def _equal(self, old: Any, new: Any) -> bool:
        return bool(old.intersect_params(self.context).is_equal(new.intersect_params(self.context)))


def renamed(value: str, label: str) -> str:
    """The name of a value in the separate nest that a statement gets."""
    return f"{value}_{label}"


def instances(scop: Scop, label: str, read: str) -> Any:
    """{instance of a statement → the instance whose value it reads} for one of its loads."""
    load, write = scop.loads[read], scop.statements[label].write
    near = isl.Map(f"{{ {label}[{', '.join(write.ivs)}] -> {read}[{', '.join(load.ivs)}] }}")
    return isl.UnionMap.from_map(near.intersect_domain(write.domain)).apply_range(scop.flow[read])


def _bounds(domain: Any, names: tuple[str, ...], context: Any) -> tuple[tuple[Lin, ...], tuple[Lin, ...]] | None:
    """Lower and upper (exclusive) bounds of the last dimension by the others; None if they are not affine."""
    alternatives = conjunctions(domain.gist_params(context), names)
    if len(alternatives) != 1:
        return None
    lower: list[Lin] = []
    upper: list[Lin] = []
    for cond in alternatives[0]:
        factor = dict(cond.form.terms).get(names[-1], 0)
        rest = cond.form - var(names[-1]).scaled(factor)
        if names[-1] in rest.names() or factor not in (-1, 0, 1):
            return None
        if factor and (factor > 0 or cond.equality):
            lower.append(rest.scaled(-factor))
        if factor and (factor < 0 or cond.equality):
            upper.append(rest.scaled(-factor) + 1)
    return (tuple(lower), tuple(upper)) if lower and upper else None
