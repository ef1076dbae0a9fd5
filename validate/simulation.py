"""Loops that no closed form has: equal because both sides run the same loop over equal states.

A loop whose values depend on each other in sequence stays a loop on both sides. If the arrays of a relation hold the
same at the start of an iteration implies that they hold the same at its end, and they do at the start of the loop,
then they do after it (induction over iterations). The relation is found by leaving out what fails: all pairs that
agree when the loop starts, less those that one iteration does not keep, until all stay. An iteration is compared as
any other program is, with the contents of related arrays as inputs; loops in it are treated in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import islpy as isl

from affine.expr import Cond, var
from affine.program import Compute, IndexValue, Load, Loop, Node, Program, Store, walk
from validate.flows import Flows, reads_defined
from validate.pair import Assumptions, Pair
from validate.products import Algebra, Unprovable
from validate.renaming import with_forms
from validate.spaces import Sizes
from validate.states import Contents, End, Numbers, Relation, State, same, without


@dataclass(frozen=True)
class _Level:
    """Where a comparison stands: inside of how many loops, their variables as sizes, and the sizes that can be."""

    depth: int
    sizes: tuple[str, ...]
    context: Any


@dataclass
class Simulation:
    """Compares the two programs of a pair loop by loop; `used` collects what had to be assumed."""

    pair: Pair
    assumed: Assumptions
    used: dict[str, None] = field(default_factory=dict)
    _states: int = 0
    _defined: bool = False

    def equal(self, context: Any) -> bool:
        """True if all outputs are equal at all sizes of a context; `Unprovable` says what has no counterpart."""
        one, other = self.pair.source, self.pair.target
        self._defined = all(reads_defined(p, context, self.pair.scopes) for p in self._programs)
        arguments = {n: n for n, a in one.arrays.items() if a.kind == "argument" and n in other.arrays}
        local = [frozenset(n for n, a in p.arrays.items() if a.kind != "argument") for p in self._programs]
        free = self._free(local[0], local[1])
        source: dict[str, Contents] = {**{n: _kind(one, n) for n, _ in free}, **arguments}
        target: dict[str, Contents] = {**{n: _kind(other, n) for _, n in free}, **arguments}
        state = State(free | frozenset(arguments.items()), source, target)
        final = self._run(one.body, other.body, state, _Level(0, one.sizes, context))
        return all(p in final.relation for p in self.pair.outputs)

    def _free(self, one: frozenset[str], other: frozenset[str]) -> Relation:
        """Pairs of memories that nothing has written and that may be taken to hold the same.

        If neither program reads anything unwritten, the results do not depend on what memories held before. Then it
        is enough to compare runs in which all of one type held the same.
        """
        if not self._defined:
            return frozenset()
        programs = self._programs
        return frozenset((n, p) for n in one for p in other if _kind(programs[0], n) == _kind(programs[1], p))

    # ---- runs of nodes ---------------------------------------------------------------------------

    def _run(self, one: tuple[Node, ...], other: tuple[Node, ...], state: State, level: _Level) -> State:
        """The state after both runs of nodes: plain parts by their closed forms, the loops between them in pairs."""
        cuts = [self._sequential(p, nodes, level) for p, nodes in zip(self._programs, (one, other), strict=True)]
        if len(cuts[0]) != len(cuts[1]):
            raise Unprovable("a sequential loop of one side has no counterpart on the other")
        start = (0, 0)
        for ends in zip(*cuts, strict=True):
            state = self._plain(one, other, (start, ends), state, level)
            loops = one[ends[0]], other[ends[1]]
            assert isinstance(loops[0], Loop) and isinstance(loops[1], Loop)
            before = _pure(one[: ends[0]], loops[0]), _pure(other[: ends[1]], loops[1])
            state = self._loop(loops[0], loops[1], before, state, level)
            start = (ends[0] + 1, ends[1] + 1)
        return self._plain(one, other, (start, (len(one), len(other))), state, level)

    @property
    def _programs(self) -> tuple[Program, Program]:
        return self.pair.source, self.pair.target

    def _sequential(self, program: Program, nodes: tuple[Node, ...], level: _Level) -> list[int]:
        """The positions of loops without a closed form."""
        return [
            k
            for k, node in enumerate(nodes)
            if isinstance(node, Loop) and not self._has_form(program, (*_pure(nodes[:k]), node), level)
        ]

    def _has_form(self, program: Program, nodes: tuple[Node, ...], level: _Level) -> bool:
        names = {n: n for n in program.arrays}
        flows = self._flows(
            program, nodes, names, "one", Algebra(Sizes(level.sizes, level.context), self.assumed), level
        )
        try:
            for label in flows.scop.statements:
                flows.statement(label)
        except Unprovable:
            return False
        return True

    def _flows(
        self,
        program: Program,
        nodes: tuple[Node, ...],
        initial: Mapping[str, Contents],
        side: str,
        algebra: Algebra,
        level: _Level,
    ) -> Flows:
        scopes = {n: d - level.depth for n, d in self.pair.scopes.items() if d > level.depth}
        return Flows(replace(program, body=nodes, sizes=level.sizes), algebra, scopes, side, initial)

    # ---- plain parts -----------------------------------------------------------------------------

    def _plain(
        self,
        one: tuple[Node, ...],
        other: tuple[Node, ...],
        span: tuple[tuple[int, int], tuple[int, int]],
        state: State,
        level: _Level,
    ) -> State:
        """The state after a part that has closed forms on both sides."""
        parts = [
            (*_pure(nodes[:start]), *nodes[start:end])
            for nodes, start, end in zip((one, other), span[0], span[1], strict=True)
        ]
        if not any(isinstance(n, Store) for part in parts for n in walk(part)):
            return state
        algebra = Algebra(Sizes(level.sizes, level.context), self.assumed)
        ends = [
            End(self._flows(p, part, leaves, side, algebra, level))
            for p, part, leaves, side in zip(
                self._programs, parts, (state.source, state.target), ("source", "target"), strict=True
            )
        ]
        found = frozenset(same(ends[0], ends[1], algebra))
        self.used |= algebra.assumed
        fixed = ends[0].numbers(), ends[1].numbers()
        return self._named(found, state, (_written(parts[0]), _written(parts[1])), fixed)

    def _named(
        self, relation: Relation, state: State, written: tuple[set[str], set[str]], fixed: tuple[Numbers, Numbers]
    ) -> State:
        """A state with that relation; contents that nobody has written since keep their leaves."""
        source: dict[str, Contents] = dict(fixed[0])
        target: dict[str, Contents] = dict(fixed[1])
        for name, partner in sorted(relation):
            leaf = source.get(name, target.get(partner))
            if leaf is None and name not in written[0] and partner not in written[1]:
                before = state.source.get(name)
                leaf = before if state.target.get(partner) == before else None
            if leaf is None:
                self._states += 1
                leaf = f"state {self._states}"
            source.setdefault(name, leaf)
            target.setdefault(partner, leaf)
        return State(frozenset((n, p) for n, p in relation if source[n] == target[p]), source, target, fixed)

    # ---- loops -----------------------------------------------------------------------------------

    def _loop(
        self, one: Loop, other: Loop, before: tuple[tuple[Node, ...], tuple[Node, ...]], state: State, level: _Level
    ) -> State:
        """The state after a loop that both sides run: the largest part of the relation that an iteration keeps."""
        body = _with_iterator(other, one)
        inner = _inside(one, other, level)
        written = _written(one.body), _written(other.body)
        fresh = frozenset(n for n, depth in self.pair.scopes.items() if depth >= inner.depth)
        relation = frozenset((n, p) for n, p in state.relation if n not in fresh and p not in fresh)
        new = self._free(fresh & self.pair.source.arrays.keys(), fresh & self.pair.target.arrays.keys())
        kept_numbers = without(state.fixed[0], written[0] | fresh), without(state.fixed[1], written[1] | fresh)
        while True:
            start = self._named(relation | new, state, written, kept_numbers)
            end = self._run((*before[0], *one.body), (*before[1], *body), start, inner)
            kept = relation & start.relation & end.relation
            if kept == relation:
                return self._named(relation, state, written, kept_numbers)
            relation = kept


def _written(nodes: tuple[Node, ...]) -> set[str]:
    return {n.array for n in walk(nodes) if isinstance(n, Store)}


def _pure(nodes: tuple[Node, ...], *later: Node) -> tuple[Node, ...]:
    """The nodes whose values are the same if they run again after all of these, and in the course of `later`."""
    found: list[Node] = []
    written = _written(later)
    for node in reversed(nodes):
        if isinstance(node, Compute | IndexValue) or (isinstance(node, Load) and node.array not in written):
            found.append(node)
        written |= _written((node,))
    return tuple(reversed(found))


def _kind(program: Program, name: str) -> str:
    """A leaf that all unwritten memories of one type share."""
    array = program.arrays[name]
    return f"unwritten {array.element} {'x'.join(map(str, array.shape))}"


def _with_iterator(loop: Loop, like: Loop) -> tuple[Node, ...]:
    """A loop's body over the iterator of another loop that starts elsewhere."""
    gap = loop.lower[0] - like.lower[0] if len(loop.lower) == len(like.lower) == 1 else None
    form = var(like.iv) if gap is None else var(like.iv) + gap
    return with_forms(loop.body, {loop.iv: form})


def _inside(one: Loop, other: Loop, level: _Level) -> _Level:
    """The level of a loop's body; `Unprovable` if the other loop does not run the same iterations."""
    gap = other.lower[0] - one.lower[0] if len(one.lower) == len(other.lower) == 1 else one.lower[0].scaled(0)
    sizes = (*level.sizes, one.iv)
    contexts = []
    for loop, shift in ((one, one.lower[0].scaled(0)), (other, gap)):
        position = var(one.iv) + shift
        conds = [Cond(position - f) for f in loop.lower] + [Cond(f - position - 1) for f in loop.upper]
        text = " and ".join(c.isl() for c in conds)
        if loop.step > 1:
            text += f" and ({(position - loop.lower[0]).isl()}) mod {loop.step} = 0"
        region = isl.Set(f"[{', '.join(sizes)}] -> {{ : {text} }}")
        contexts.append(region.intersect(level.context))
    if one.step != other.step or not contexts[0].is_equal(contexts[1]):
        raise Unprovable("two sequential loops do not run the same iterations")
    return _Level(level.depth + 1, sizes, contexts[0])
