"""The value of every statement and array of a program as a sum of products, by value-based flow.

A load takes the value of the statement instance that wrote the element last, or the array's initial contents. A
statement in a cycle of the flow graph is a recurrence (`raising.validate.proof.values.closed_forms`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import islpy as isl

from raising.affine.ir.program import Program
from raising.affine.polyhedral.scop import Access, Scop, build, dependences, value_flow
from raising.support.graphs import components
from raising.validate.normal_form.isl_spaces import IN, OUT, Sizes, anonymous, names
from raising.validate.normal_form.min_max import MinMax
from raising.validate.normal_form.multisets import Multiset
from raising.validate.normal_form.sum_of_products import (
    TRUTH,
    Algebra,
    Product,
    Sum,
    Unprovable,
    added,
    leaf,
    merged,
    pulled,
)
from raising.validate.proof.values.cells import Cells, Piece
from raising.validate.proof.values.closed_forms import Recurrence, closed, stored
from raising.validate.proof.values.copy_propagation import past_copies
from raising.validate.proof.values.reduction_chains import along_chains
from raising.validate.proof.values.value_expressions import Expressions, Scope
from raising.validate.proof.values.wavefronts import wavefronts

END = "end"
NO_CELLS: Cells = {}


class Flows:
    """The sums of one program, values in `cells` as leaves; `side` tells its undefined values from the other's."""

    def __init__(self, scop: Scop, algebra: Algebra, side: str, cells: Cells = NO_CELLS) -> None:
        self.scop, self.algebra, self.side, self.cells = scop, algebra, side, cells
        self.program = program = scop.program
        self.expressions = Expressions(program, algebra, self._load, self._held)
        self.keepers = {stored(s.write): s.write for label, s in self.scop.statements.items() if label in cells}
        self.sums: dict[str, Sum] = {}
        self.extremes: dict[str, MinMax | Multiset] = {}
        self.working: Mapping[str, str] = {}
        self.sources = {label: self._sources(label) for label in self.scop.statements}
        edges = {label: {k for k, found in self.sources.items() if label in found} for label in self.sources}
        groups = components(list(self.scop.statements), edges)
        self.group = {label: frozenset(g) for g in groups for label in g}

    def _sources(self, label: str) -> set[str]:
        """The statements whose values are part of what a statement stores."""
        place, found = self._place(label), set[str]()
        for read in self.expressions.loads(stored(self.scop.statements[label].write), place):
            for source, dependence in dependences(self.scop.flow[read]):
                left = anonymous(dependence.range())
                for piece in self.cells.get(source, ()):
                    left = left.subtract(piece.relation.domain())
                if not self.algebra.sizes.void(left):
                    found.add(source)
        return found

    # ---- statements ------------------------------------------------------------------------------

    def at(self, label: str, function: Any) -> Sum:
        """The value that a statement stores in iteration f(z), for a single-valued map f: {[z] → [iterators]}.

        Where it can be, it is worked out there, so that both sides of a comparison have the same points.
        """
        if self._recurs(label):
            return self._known(label, function)
        access = self.scop.statements[label].write
        return self._stored(label, Scope(access.ivs, function.domain(), function))

    def _known(self, label: str, function: Any) -> Sum:
        """The same, from what was worked out once for all instances of the statement."""
        if label not in self.sums and label not in self.extremes:
            if self._recurs(label):
                self._close(self.group[label])
            else:
                self.sums[label] = self._stored(label, self._place(label))
        if label in self.extremes:
            return self.extremes[label].at(self.algebra, function)
        return pulled(self.sums[label], function)

    def _recurs(self, label: str) -> bool:
        """True if the value of a statement depends on what it, or its group, stores."""
        return len(self.group[label]) > 1 or label in self.sources[label]

    def _stored(self, label: str, place: Scope) -> Sum:
        """The value that a statement stores at a place; a value with a cell of its own is that cell's definition."""
        name = stored(self.scop.statements[label].write)
        if label in self.cells:
            return self._value(name, place, {})
        before, self.working = self.working, {}
        try:
            return self.expressions.value(name, place)
        finally:
            self.working = before

    def _close(self, group: frozenset[str]) -> None:
        """The statements of a cycle: as sums or extremes along chains, or layer by layer where chains are short."""
        recurrence = Recurrence(self.scop, self.algebra, self.expressions, self._place, self._value)
        try:
            self.extremes |= along_chains(recurrence, group)
            self.sums |= {} if group <= self.extremes.keys() else closed(recurrence, group)
        except Unprovable:
            ordered = wavefronts(self.scop, self.algebra.sizes, group, self.cells)
            if ordered is None:
                raise
            self._by_layers(group, ordered)

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
        """The value that a statement stores on a part of its domain, from values that are known already."""
        return self._stored(label, Scope(self.scop.statements[label].write.ivs, domain))

    def _place(self, label: str) -> Scope:
        access = self.scop.statements[label].write
        return Scope(access.ivs, anonymous(access.domain).intersect_params(self.algebra.sizes.context))

    def _value(self, name: str, place: Scope, group: Mapping[str, str]) -> Sum:
        """A scalar at a place; the values of statements in `group` stay leaves, called as that says."""
        before, self.working = self.working, group
        try:
            return self.expressions.definition(name, place)
        finally:
            self.working = before

    def _held(self, name: str, place: Scope) -> tuple[Sum, Any]:
        """A value that a statement stores, at the points of a place where that is in a cell; and the other points."""
        access = self.keepers.get(name)
        if access is None or place.iterators[: len(access.ivs)] != access.ivs:
            return (), place.domain
        held, left = self._in_cells(place.outer(self.algebra.sizes, len(access.ivs)), self.cells[access.name])
        return merged(held), left.domain()

    def _in_cells(self, moved: Any, pieces: tuple[Piece, ...]) -> tuple[list[Product], Any]:
        """The part of a value at {[z] → [instance]} that is in cells, and the instances that are not."""
        found: list[Product] = []
        for piece in pieces:
            hit = moved.apply_range(piece.relation)
            if not hit.is_empty():
                found += leaf(self.algebra, piece.leaf, hit)
                moved = moved.subtract_range(piece.relation.domain())
        return found, moved

    # ---- loads -----------------------------------------------------------------------------------

    def _load(self, name: str, place: Scope) -> Sum:
        access = self.scop.loads[name]
        flow = dependences(self.scop.flow[name])
        return self._read(access, flow, place.outer(self.algebra.sizes, len(access.ivs)))

    def _read(self, access: Access, flow: list[tuple[str, Any]], prefix: Any) -> Sum:
        """The value of an access at the points that `prefix` gives: written before, or initial."""
        array = self.program.arrays[access.node.array]
        initial = anonymous(access.relation)
        products: list[Product] = []
        for label, dependence in flow:
            initial = initial.subtract_domain(anonymous(dependence).domain())
            moved = prefix.apply_range(anonymous(dependence)).intersect_params(self.algebra.sizes.context)
            held, moved = self._in_cells(moved, self.cells.get(label, ()))
            products += held
            if moved.is_empty():
                continue
            if label in self.working:
                products += leaf(self.algebra, self.working[label], moved)
            else:
                products += self._known(label, moved)
        moved = prefix.apply_range(initial).intersect_params(self.algebra.sizes.context)
        if not moved.is_empty():
            products += self._initial(array.name, moved)
        return merged(products)

    def _initial(self, array: str, access: Any) -> Sum:
        """The initial contents of an array at the elements of {[z] → [indices]}."""
        mark = TRUTH if self.program.arrays[array].element == "i1" else ""
        if self.program.arrays[array].kind == "argument":
            return leaf(self.algebra, mark + array, access)
        self.algebra.undefined += 1
        return leaf(self.algebra, f"{mark}undefined {self.side} {array} {self.algebra.undefined}", access)

    # ---- outputs ---------------------------------------------------------------------------------

    def contents(self, array: str) -> Sum:
        """The array at the end, over its elements."""
        rank = len(self.program.arrays[array].shape)
        if array not in self.scop.writers:
            return self._initial(array, _box(self, array, rank))
        access, flow = final_flow(self.scop, self.algebra, array)
        box = self.algebra.sizes.pick(rank, range(rank)).intersect_domain(anonymous(access.domain))
        return self._read(access, dependences(flow), box)


def _box(flows: Flows, array: str, rank: int) -> Any:
    whole = anonymous(flows.scop.box(array))
    return flows.algebra.sizes.pick(rank, range(rank)).intersect_domain(whole)


def final_flow(scop: Scop, algebra: Algebra, array: str) -> tuple[Access, Any]:
    """A read of the whole of an array that statements write, after everything else, and where its values come from."""
    rank, box = len(scop.program.arrays[array].shape), scop.box(array)
    depth = scop.writers[array][0].write.schedule.dim(OUT)
    late = [str(len(scop.program.body) + 1), *["0"] * (depth - 1)]
    relation = algebra.sizes.map(f"{{ {END}[{names(rank)}] -> {array}[{names(rank)}] }}").intersect_range(box)
    text = f"{{ {END}[{names(rank)}] -> [{', '.join(late)}] }}"
    schedule = algebra.sizes.map(text).intersect_domain(relation.domain())
    access = Access(scop.writers[array][0].write.node, END, (), relation.domain(), relation, schedule)
    (flow,) = value_flow([access], [s.write for s in scop.statements.values()]).values()
    return access, flow


def checked(program: Program, sizes: Sizes, scopes: Mapping[str, int]) -> Scop:
    """A program's flow; `Unprovable` if memory that an iteration allocates carries values to the next."""
    scop = build(program)
    for access in scop.loads.values():
        depth = scopes.get(access.node.array, 0)
        for _, dependence in dependences(scop.flow[access.name]) if depth else ():
            across = anonymous(dependence).subtract(_within(dependence, depth))
            if not sizes.void(across):
                raise Unprovable("memory allocated in a loop is read in a later iteration")
    return past_copies(scop)


def _within(dependence: Any, depth: int) -> Any:
    """The pairs of a space that agree in their first coordinates: in one iteration of that many loops."""
    same = isl.Map.universe(anonymous(dependence).get_space())
    for k in range(depth):
        same = same.equate(IN, k, OUT, k)
    return same
