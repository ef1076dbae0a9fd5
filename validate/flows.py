"""The value of every statement and array of a program as a sum of products, by value-based flow.

A load takes the value of the statement instance that wrote the element last, or the array's initial contents. A
statement in a cycle of the flow graph is a recurrence (`validate.recurrences`).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import islpy as isl

from affine.order import components
from affine.program import Program
from affine.scop import Access, Scop, build, dependences, value_flow
from validate.layers import layers
from validate.products import OWN, TRUTH, Algebra, Product, Sum, Unprovable, added, constant, leaf, merged, pulled
from validate.recurrences import Recurrence, closed, stored
from validate.spaces import IN, OUT, anonymous, names
from validate.values import Expressions, Place

END = "end"


class Flows:
    """The sums of one program; `side` tells its undefined values from those of the other.

    `initial` names the leaf that each array's contents are at the start (one that is missing has none that are
    defined), or the one number they are; without it, arguments are their own.
    """

    def __init__(
        self,
        program: Program,
        algebra: Algebra,
        scopes: Mapping[str, int],
        side: str,
        initial: Mapping[str, str | Fraction] | None = None,
    ) -> None:
        self.program, self.algebra, self.side = program, algebra, side
        arguments: dict[str, str | Fraction] = {n: n for n, a in program.arrays.items() if a.kind == "argument"}
        self.initial = arguments if initial is None else initial
        self.scop: Scop = build(program)
        self.expressions = Expressions(program, algebra, self._load)
        self.sums: dict[str, Sum] = {}
        self.working: frozenset[str] = frozenset()
        _check_scopes(self.scop, algebra, scopes)
        groups = components(list(self.scop.statements), self._edges())
        self.group = {label: frozenset(g) for g in groups for label in g}

    def _edges(self) -> dict[str, set[str]]:
        edges: dict[str, set[str]] = {label: set() for label in self.scop.statements}
        for statement in self.scop.statements.values():
            for read in statement.reads:
                for source, _ in dependences(self.scop.flow[read]):
                    edges[source].add(statement.label)
        return edges

    # ---- statements ------------------------------------------------------------------------------

    def statement(self, label: str) -> Sum:
        """What a statement stores, over its iteration domain."""
        if label not in self.sums:
            group = self.group[label]
            store = self.scop.statements[label].write
            if len(group) == 1 and label not in self._sources(label):
                self.sums[label] = self._value(stored(store), self._place(label), frozenset())
            else:
                self._close(group)
        return self.sums[label]

    def _close(self, group: frozenset[str]) -> None:
        """The statements of a cycle: as sums or extremes along chains, or layer by layer where chains are short."""
        recurrence = Recurrence(self.scop, self.algebra, self.expressions, self._place, self._value)
        try:
            self.sums |= closed(recurrence, group)
        except Unprovable:
            found = layers(self.scop, self.algebra.sizes, group)
            if found is None:
                raise
            self._by_layers(group, found)

    def _by_layers(self, group: frozenset[str], found: list[dict[str, Any]]) -> None:
        self.sums |= dict.fromkeys(group, ())
        try:
            for layer in found:
                parts = {label: self._on(label, domain) for label, domain in layer.items()}
                self.sums |= {label: added(self.sums[label], part) for label, part in parts.items()}
        except Unprovable:
            for label in group:
                del self.sums[label]  # half a value must not be taken for one
            raise

    def _on(self, label: str, domain: Any) -> Sum:
        """What a statement stores on a part of its domain, from values that are known by now."""
        access = self.scop.statements[label].write
        return self._value(stored(access), Place(access.ivs, domain), frozenset())

    def _sources(self, label: str) -> set[str]:
        reads = self.scop.statements[label].reads
        return {source for r in reads for source, _ in dependences(self.scop.flow[r])}

    def _place(self, label: str) -> Place:
        access = self.scop.statements[label].write
        return Place(access.ivs, anonymous(access.domain).intersect_params(self.algebra.sizes.context))

    def _value(self, name: str, place: Place, group: frozenset[str]) -> Sum:
        """A scalar at a place; the values of statements in `group` stay leaves."""
        before, self.working = self.working, group
        try:
            return self.expressions.value(name, place)
        finally:
            self.working = before

    # ---- loads -----------------------------------------------------------------------------------

    def _load(self, name: str, place: Place) -> Sum:
        access = self.scop.loads[name]
        flow = dependences(self.scop.flow[name])
        prefix = self.algebra.sizes.pick(len(place.iterators), range(len(access.ivs)))
        return self._read(access, flow, prefix.intersect_domain(place.domain))

    def _read(self, access: Access, flow: list[tuple[str, Any]], prefix: Any) -> Sum:
        """The value of an access at the points that `prefix` gives: written before, or initial."""
        array = self.program.arrays[access.node.array]
        initial = anonymous(access.relation)
        products: list[Product] = []
        for label, dependence in flow:
            initial = initial.subtract_domain(anonymous(dependence).domain())
            moved = prefix.apply_range(anonymous(dependence)).intersect_params(self.algebra.sizes.context)
            if moved.is_empty():
                continue
            if label in self.working:
                products += leaf(self.algebra, OWN + label, moved)
            else:
                products += pulled(self.statement(label), moved)
        moved = prefix.apply_range(initial).intersect_params(self.algebra.sizes.context)
        if not moved.is_empty():
            products += self._initial(array.name, moved)
        return merged(products)

    def _initial(self, array: str, access: Any) -> Sum:
        """What an array holds at the start, at the elements of {[z] → [indices]}."""
        held = self.initial.get(array)
        if isinstance(held, Fraction):
            return constant(self.algebra, held, access.domain())
        return leaf(self.algebra, self._initial_name(array), access)

    def _initial_name(self, array: str) -> str:
        mark = TRUTH if self.program.arrays[array].element == "i1" else ""
        if array in self.initial:
            return f"{mark}{self.initial[array]}"
        self.algebra.undefined += 1
        return f"{mark}undefined {self.side} {array} {self.algebra.undefined}"

    # ---- outputs ---------------------------------------------------------------------------------

    def contents(self, array: str) -> Sum:
        """The array at the end, over its elements."""
        rank = len(self.program.arrays[array].shape)
        if array not in self.scop.writers:
            return self._initial(array, _box(self, array, rank))
        access = _final(self, array, rank)
        stores = [s.write for s in self.scop.statements.values()]
        (flow,) = value_flow([access], stores).values()
        box = self.algebra.sizes.pick(rank, range(rank)).intersect_domain(anonymous(access.domain))
        return self._read(access, dependences(flow), box)


def _box(flows: Flows, array: str, rank: int) -> Any:
    whole = anonymous(flows.scop.box(array))
    return flows.algebra.sizes.pick(rank, range(rank)).intersect_domain(whole)


def _final(flows: Flows, array: str, rank: int) -> Access:
    """A read of the whole array after everything else."""
    box = flows.scop.box(array)
    some = next(iter(flows.scop.statements.values())).write
    depth = some.schedule.dim(OUT)
    late = [str(len(flows.program.body) + 1), *["0"] * (depth - 1)]
    relation = flows.algebra.sizes.map(f"{{ {END}[{names(rank)}] -> {array}[{names(rank)}] }}").intersect_range(box)
    domain = relation.domain()
    text = f"{{ {END}[{names(rank)}] -> [{', '.join(late)}] }}"
    schedule = flows.algebra.sizes.map(text).intersect_domain(domain)
    node = flows.scop.writers[array][0].write.node
    return Access(node, END, (), domain, relation, schedule)


def _check_scopes(scop: Scop, algebra: Algebra, scopes: Mapping[str, int]) -> None:
    """Memory that an iteration allocates must not carry values to the next."""
    for access in scop.loads.values():
        depth = scopes.get(access.node.array, 0)
        for _, dependence in dependences(scop.flow[access.name]) if depth else ():
            across = anonymous(dependence).subtract(_within(dependence, depth))
            if not algebra.sizes.void(across):
                raise Unprovable("memory allocated in a loop is read in a later iteration")


def reads_defined(program: Program, context: Any, scopes: Mapping[str, int]) -> bool:
    """True if every element of its own memories that a program reads was written before, at all sizes of a context."""
    scop = build(program)
    for access in scop.loads.values():
        if program.arrays[access.node.array].kind == "argument":
            continue
        unknown = anonymous(access.domain).intersect_params(context)
        for _, dependence in dependences(scop.flow[access.name]):
            within = _within(dependence, scopes.get(access.node.array, 0))
            unknown = unknown.subtract(anonymous(dependence).intersect(within).domain())
        if not unknown.is_empty():
            return False
    return True


def _within(dependence: Any, depth: int) -> Any:
    """The pairs of a space that agree in their first coordinates: in one iteration of that many loops."""
    same = isl.Map.universe(anonymous(dependence).get_space())
    for k in range(depth):
        same = same.equate(IN, k, OUT, k)
    return same
