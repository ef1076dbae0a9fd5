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
from raising.validate.proof.values.cells import Cells, split_by_cells
from raising.validate.proof.values.closed_forms import Statements, closed
from raising.validate.proof.values.copy_propagation import past_copies
from raising.validate.proof.values.reduction_chains import along_chains
from raising.validate.proof.values.value_expressions import NO_LEAVES, Expressions, Scope
from raising.validate.proof.values.wavefronts import wavefronts

END = "end"
NO_CELLS: Cells = {}


class Flows:
    """The sums of one program, values in `cells` as leaves; `side` tells its undefined values from the other's."""

    def __init__(self, scop: Scop, algebra: Algebra, side: str, cells: Cells = NO_CELLS) -> None:
        self.scop, self.algebra, self.side, self.cells = scop, algebra, side, cells
        self.program = scop.program
        self.expressions = Expressions(scop.program, algebra, self._loaded, self._in_cells)
        self.statements = Statements(scop, algebra, self.expressions)
        self.cell_stores = {s.value: s.write for label, s in scop.statements.items() if label in cells}
        self.sums: dict[str, Sum] = {}  # of all instances of a statement, by its label
        self.reductions: dict[str, MinMax | Multiset] = {}  # the same where the value is a reduction and no sum
        self.sources = {label: self._sources(label) for label in scop.statements}
        edges = {label: {k for k, needed in self.sources.items() if label in needed} for label in self.sources}
        groups = components(list(scop.statements), edges)
        self.group = {label: frozenset(g) for g in groups for label in g}

    def _sources(self, label: str) -> set[str]:
        """The statements whose values, outside of cells, are part of what a statement stores."""
        sources = set[str]()
        for read in self.expressions.loads(self.scop.statements[label].value, self.statements.scope(label)):
            for source, dependence in dependences(self.scop.flow[read]):
                instances = anonymous(dependence.range())
                for piece in self.cells.get(source, ()):
                    instances = instances.subtract(piece.relation.domain())
                if not self.algebra.sizes.void(instances):
                    sources.add(source)
        return sources

    # ---- statements ------------------------------------------------------------------------------

    def stored(self, label: str, instances: Any) -> Sum:
        """The value that a statement stores in instance f(z), for a single-valued map f: {[z] → [iterators]}.

        Where it is no recurrence, it is worked out over z, so that both sides of a comparison have the same points.
        """
        if self._recurs(label):
            return self._solved(label, instances)
        iterators = self.scop.statements[label].write.ivs
        return self._worked_out(label, Scope(iterators, instances.domain(), instances))

    def _solved(self, label: str, instances: Any) -> Sum:
        """The same, from the value of all instances of the statement, which is worked out once."""
        if label not in self.sums and label not in self.reductions:
            if self._recurs(label):
                self._solve(self.group[label])
            else:
                self.sums[label] = self._worked_out(label, self.statements.scope(label))
        if label in self.reductions:
            return self.reductions[label].at(self.algebra, instances)
        return pulled(self.sums[label], instances)

    def _recurs(self, label: str) -> bool:
        """True if the value of a statement depends on what it, or its group, stores."""
        return len(self.group[label]) > 1 or label in self.sources[label]

    def _worked_out(self, label: str, scope: Scope) -> Sum:
        """The value that a statement stores, over a scope; where it has cells, what these are defined to be."""
        value = self.expressions.definition if label in self.cells else self.expressions.value
        return value(self.scop.statements[label].value, scope)

    def _solve(self, group: frozenset[str]) -> None:
        """The statements of a cycle: by reductions or sums along chains, or layer by layer where chains are short."""
        try:
            self.reductions |= along_chains(self.statements, group)
            self.sums |= {} if group <= self.reductions.keys() else closed(self.statements, group)
        except Unprovable:
            layers = wavefronts(self.scop, self.algebra.sizes, group, self.cells)
            if layers is None:
                raise
            self._solve_by_layers(group, layers)

    def _solve_by_layers(self, group: frozenset[str], layers: list[dict[str, Any]]) -> None:
        """The statements of a cycle, each layer of instances from the values of the layers before it."""
        self.sums |= dict.fromkeys(group, ())
        try:
            for layer in layers:
                scopes = {label: self.statements.scope(label).on(domain) for label, domain in layer.items()}
                values = {label: self._worked_out(label, scope) for label, scope in scopes.items()}
                self.sums |= {label: added(self.sums[label], value) for label, value in values.items()}
        except Unprovable:
            for label in group:
                del self.sums[label]  # half a value must not be taken for one
            raise

    def _in_cells(self, name: str, scope: Scope) -> tuple[Sum, Any]:
        """A scalar as far as a statement stores it to a cell, and the points of the scope where none does."""
        write = self.cell_stores.get(name)
        if write is None or scope.iterators[: len(write.ivs)] != write.ivs:
            return (), scope.domain
        instances = scope.outer(self.algebra.sizes, len(write.ivs))
        products, others = split_by_cells(self.algebra, instances, self.cells[write.name])
        return merged(products), others.domain()

    # ---- loads -----------------------------------------------------------------------------------

    def _loaded(self, name: str, scope: Scope) -> Sum:
        """The value of a load over a scope."""
        access = self.scop.loads[name]
        instances = scope.outer(self.algebra.sizes, len(access.ivs))
        return self._read(access, dependences(self.scop.flow[name]), instances, scope.leaves)

    def _read(
        self, access: Access, flow: list[tuple[str, Any]], instances: Any, leaves: Mapping[str, str] = NO_LEAVES
    ) -> Sum:
        """The value that an access reads in instance f(z): what was stored there last, or else the initial one."""
        context = self.algebra.sizes.context
        initial = anonymous(access.relation)
        products: list[Product] = []
        for label, dependence in flow:
            initial = initial.subtract_domain(anonymous(dependence).domain())
            sources = instances.apply_range(anonymous(dependence)).intersect_params(context)
            in_cells, sources = split_by_cells(self.algebra, sources, self.cells.get(label, ()))
            products += in_cells
            if sources.is_empty():
                continue
            products += leaf(self.algebra, leaves[label], sources) if label in leaves else self._solved(label, sources)
        elements = instances.apply_range(initial).intersect_params(context)
        if not elements.is_empty():
            products += self._initial(access.node.array, elements)
        return merged(products)

    def _initial(self, array: str, elements: Any) -> Sum:
        """The initial contents of an array at the elements of {[z] → [indices]}."""
        mark = TRUTH if self.program.arrays[array].element == "i1" else ""
        if self.program.arrays[array].kind == "argument":
            return leaf(self.algebra, mark + array, elements)
        self.algebra.undefined += 1
        return leaf(self.algebra, f"{mark}undefined {self.side} {array} {self.algebra.undefined}", elements)

    # ---- outputs ---------------------------------------------------------------------------------

    def contents(self, array: str) -> Sum:
        """The array at the end, over its elements."""
        rank = len(self.program.arrays[array].shape)
        elements = self.algebra.sizes.pick(rank, range(rank))
        if array not in self.scop.writers:
            return self._initial(array, elements.intersect_domain(anonymous(self.scop.box(array))))
        access, flow = final_flow(self.scop, self.algebra, array)
        return self._read(access, dependences(flow), elements.intersect_domain(anonymous(access.domain)))


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
    """The pairs of instances in one iteration of that many loops: they agree in so many first coordinates."""
    same = isl.Map.universe(anonymous(dependence).get_space())
    for k in range(depth):
        same = same.equate(IN, k, OUT, k)
    return same
