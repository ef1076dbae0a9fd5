"""Reads the operations of a loop nest into `Program` nodes.

Upstream's raising passes rewrite a module in place; here `scf` loops and `memref` accesses with affine subscripts are
read directly, so that what is not raised stays untouched in the user's module, with its own locations.

    before  affine.for %i { affine.for %j = 0 to %i + 1 { affine.store %x, %a[%i, 7 - %j] } }
    after   for i = 0 to 8: for j = 0 to i + 1: a[i][-1*j + 7] = x
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Cond, Lin, const, var
from raising.affine.ir.constraints import Alternatives, Conds, either, negation, possible
from raising.affine.ir.program import Array, Compute, Guard, IndexValue, Load, Loop, Node, Scalar, Store
from raising.affine.ir.value_names import without_unused
from raising.frontend.lower.ir.polynomial import Poly
from raising.frontend.mlir.attributes import Refusal, compared, literal, location, map_forms, set_conds
from raising.frontend.mlir.flat_rows import FlatMemory, polynomial
from raising.frontend.mlir.gathers import Position, gathering
from raising.support.record import dataclass
from raising.support.source import Loc

MAX_DEPTH = 12  # beyond it the polyhedral analysis takes minutes
MAX_ALTERNATIVES = 16  # of one condition
MOST_TIMES = 1 << 31  # of a position that is below 2^32, in 64 bits
INDEX_AS = "i64"  # what an index is that loops carry, or that data chooses
_ELEMENTS = ("f64", "f32", "f16", "bf16", "i1", "i8", "i16", "i32", "i64")


def as_data(kind: Any) -> str:
    """The type of a scalar as data."""
    return INDEX_AS if str(kind) == "index" else str(kind)


@dataclass(frozen=True)
class Extremum:
    """An index value that is the max or min of forms; only a loop bound may use it."""

    kind: str
    forms: tuple[Lin, ...]


class NestReader:
    """Reads operations one by one; holds what is known of each SSA value.

    The caller gives values their meaning before (`bind_*`) and takes `nodes` after. `read_op` reads one operation into
    it. A piece outside of the subset raises `Refusal`.
    """

    def __init__(self, read_op: Callable[[NestReader, Any], None]) -> None:
        self._read_op = read_op
        self.index: dict[Any, Lin | Extremum] = {}
        self.data: dict[Any, str] = {}
        self.truth: dict[Any, Alternatives] = {}
        self.memory: dict[Any, str] = {}
        self.views: dict[Any, Callable[[Sequence[Lin]], list[Lin]]] = {}  # from their subscripts to those of the memory
        self.arrays: dict[str, Array] = {}
        self.untold: set[str] = set()  # extents of memory whose length no caller tells
        self.positive: tuple[Lin, ...] = ()  # lengths of rows, and other forms, that are known to be at least 1
        self.scalars: dict[str, Scalar] = {}
        self.values: dict[str, Any] = {}
        self.nodes: list[Node] = []
        self.unsigned: list[Loc] = []  # where an integer that may be negative is read without its sign
        self.signs: dict[str, set[str]] = {}  # of sizes that are integers: the operations that make positions of them
        self.reduced: list[list[str]] = []  # the cells of what each `scf.parallel` around reduces
        self.depth = 0
        self.known: Conds = ()  # what the loops and conditions around say
        self.loaded: dict[str, Position] = {}  # the values of integers of arrays, widened or not
        self.positions: dict[str, Position] = {}  # those that are subscripts, by the names they have there
        self.integers: dict[Any, tuple[Any, bool]] = {}  # what they are made of, and whether without its sign
        self.gathers: dict[tuple[object, ...], str] = {}
        self.flat = FlatMemory()
        self._count = 0

    def read(self, op: Any) -> None:
        """Read one operation."""
        self._read_op(self, op)

    def fresh(self, prefix: str) -> str:
        """A name that no other node has."""
        self._count += 1
        return f"{prefix}{self._count}"

    # ---- values ----------------------------------------------------------------------------------

    def bind_scalar(self, value: Any, attr: Any = None) -> None:
        """An SSA value from outside of the nests: an index name, a constant or a data scalar."""
        element = str(value.type)
        text = literal(attr) if attr is not None else None
        if element == "index":
            self.index[value] = const(int(text)) if text is not None else self._size(value)
        elif element in _ELEMENTS:
            name = self.fresh("x")
            self.data[value] = name
            self.values[name] = value
            self.scalars[name] = Scalar(name, element, text)

    def _size(self, value: Any) -> Lin:
        name = self.fresh("n")
        self.values[name] = value
        return var(name)

    def bind_iterator(self, value: Any) -> str:
        """The variable of a loop that stays, as a size of what is inside."""
        form = self._size(value)
        self.index[value] = form
        return str(form)

    def sizes(self) -> frozenset[str]:
        """The names of sizes that the function is given: arguments, and extents of arguments."""
        given = {n: v for n, v in self.values.items() if isinstance(v, ir.BlockArgument)}
        outside = {n: v for n, v in given.items() if v.owner.owner.operation.name == "func.func"}
        extents = {f"{n}_{d}" for n in outside.keys() & self.arrays.keys() for d in range(len(self.arrays[n].shape))}
        return frozenset(outside.keys() - self.arrays.keys() | extents)

    def size_from_scalar(self, value: Any) -> Lin:
        """A size name for an integer argument that is cast to index."""
        return self._size(value)

    def bind_array(self, value: Any, kind: str, sizes: Sequence[Lin | None] = ()) -> None:
        """A memref; its `?` extents are those of `sizes`, which has one for each extent, or else names of their own."""
        memref = ir.MemRefType(value.type)
        name = self.fresh("A")
        given = sizes or [None] * memref.rank
        shape = tuple(
            const(memref.shape[d]) if not memref.is_dynamic_dim(d) else var(f"{name}_{d}") if size is None else size
            for d, size in enumerate(given)
        )
        self.memory[value] = name
        self.values[name] = value
        self.arrays[name] = Array(name, str(memref.element_type), shape, kind)

    def form_of(self, value: Any, op: Any) -> Lin:
        """The affine form of an index value."""
        found = self.index.get(value)
        if isinstance(found, Lin) and not (self.positions and found.names() & self.positions.keys()):
            return found
        if (name := self.data.get(value)) in self.scalars and isinstance(value.type, ir.IntegerType):
            text = self.scalars[str(name)].literal  # an integer that bounds a loop
            if text is not None or name in self.values:
                return self.index.setdefault(value, const(int(text)) if text is not None else self._size(value))  # type: ignore[return-value]
        raise Refusal(location(op), "a subscript or bound is not an affine function of loop variables and sizes")

    def constant(self, text: str, element: str) -> str:
        """The data name of a constant."""
        name = self.fresh("x")
        self.scalars[name] = Scalar(name, element, text)
        return name

    def forms_of(self, values: Sequence[Any], op: Any) -> list[Lin]:
        """The affine forms of index values."""
        return [self.form_of(v, op) for v in values]

    def places_of(self, values: Sequence[Any], op: Any) -> list[Lin]:
        """The forms of the subscripts of a load, which may be over positions that are data."""
        found = [self.index.get(v) for v in values]
        return [f if isinstance(f, Lin) else self.form_of(v, op) for f, v in zip(found, values, strict=True)]

    def bind_position(self, value: Any, source: Any, unsigned: bool) -> None:
        """An integer of an array as an index, if it is one."""
        position = self.loaded.get(self.data.get(source, ""))
        if position is not None:
            name = self.fresh("p")
            self.positions[name] = replace(position, unsigned=position.unsigned or unsigned)
            self.index[value] = var(name)
            self.integers[value] = source, unsigned

    def bind_index(self, value: Any, memory: Any, forms: Sequence[Lin]) -> None:
        """An index of an array, which is of use as a position only."""
        if memory in self.memory:
            name = self.fresh("p")
            self.positions[name] = Position(self.memory[memory], tuple(forms))
            self.index[value] = var(name)

    def name_of(self, value: Any, op: Any) -> str:
        """The data name of a scalar value; index values and index tests become data here."""
        form = self.index.get(value)
        named = isinstance(form, Lin) and not form.names() & self.positions.keys()  # computed outside of the nests, too
        if value in self.data and not (named and str(value.type) == "index"):
            return self.data[value]
        if value in self.truth:
            return self._truth_as_data(value, op)
        if value in self.index:
            name = self.fresh("v")
            self.nodes.append(IndexValue(name, self.form_of(value, op), str(value.type), location(op)))
            return name
        raise Refusal(location(op), f"operand of type {value.type} comes from outside of the subset")

    def number_of(self, value: Any, op: Any) -> str:
        """The data name of a scalar value; an index is a number of 64 bits."""
        form = self.index.get(value)
        if str(value.type) != "index" or not isinstance(form, Lin):
            return self.name_of(value, op)
        if form.is_const:
            return self.constant(str(form.const), INDEX_AS)
        cast = "arith.index_cast"
        if value in self.integers:
            value, unsigned = self.integers[value]
            cast = "arith.extui" if unsigned else "arith.extsi"
        source = self.name_of(value, op)
        return source if str(value.type) == INDEX_AS else self.computed(cast, (source,), INDEX_AS, op)

    def array_of(self, value: Any, op: Any) -> str:
        """The array that a memref value names."""
        if value in self.views:
            raise Refusal(location(op), f"memory of type {value.type} is a view")
        return self.array_behind(value, op)

    def array_behind(self, value: Any, op: Any) -> str:
        """The array that a memref value, or what it is a view of, names."""
        name = self.flat.strided[value].array if value in self.flat.strided else self.memory.get(value)
        if name is None:
            raise Refusal(location(op), f"memory of type {value.type} is a view or comes from an unknown operation")
        if self.arrays[name].element not in _ELEMENTS:
            raise Refusal(location(op), f"element type {self.arrays[name].element} is not supported")
        return name

    def placed(self, memory: Any, forms: Sequence[Lin]) -> list[Lin]:
        """Subscripts of a view as those of its memory."""
        view = self.views.get(memory)
        return view(forms) if view is not None else list(forms)

    def note_view(self, result: Any, source: Any, placed: Callable[[Sequence[Lin]], list[Lin]]) -> None:
        """`result` is the memory behind `source` at other subscripts, which `placed` makes those of `source`."""
        if source in self.memory:
            self.memory[result] = self.memory[source]
            self.views[result] = lambda forms: self.placed(source, placed(forms))

    def polynomial(self, value: Any) -> Poly | None:
        """An index value as a polynomial over loop variables and sizes."""
        form = self.index.get(value)
        if value in self.flat.products or not isinstance(form, Lin) or form.names() & self.positions.keys():
            return self.flat.products.get(value)
        return polynomial(form)

    def affine(self, value: Any, op: Any) -> Lin | None:
        """The affine form of an index, if it has one."""
        try:
            return self.form_of(value, op)
        except Refusal:
            return None

    # ---- stores and loop-carried scalars ---------------------------------------------------------

    def store(self, array: str, subscripts: Sequence[Lin], value: str, loc: Loc) -> None:
        """Append a store."""
        self.nodes.append(Store(self.fresh("S"), array, tuple(subscripts), value, loc))

    def load(self, array: str, subscripts: Sequence[Lin], loc: Loc) -> str:
        """Append a load and give its name."""
        name = self.fresh("v")
        self.nodes.append(Load(name, array, tuple(subscripts), loc))
        held = self.arrays[array]
        if held.kind != "scalar" and held.element in ("i8", "i16", "i32", "i64"):
            self.loaded[name] = Position(array, tuple(subscripts))
        return name

    def read_at(self, array: str, subscripts: Sequence[Lin], op: Any) -> str:
        """A load whose subscripts may be over positions that are data."""
        if not any(f.names() & self.positions.keys() for f in subscripts):
            return self.load(array, subscripts, location(op))
        access = gathering(self.arrays[array], subscripts, self.positions, self.arrays)
        if access is None:
            raise Refusal(location(op), "a subscript or bound is not an affine function of loop variables and sizes")
        gathered = access.gathered
        key = gathered.array, gathered.positions, gathered.forms
        name = self.gathers[key] = self.gathers.get(key) or self.fresh("G")
        self.arrays[name] = Array(name, self.arrays[array].element, access.extents, "gathered", gathered=gathered)
        return self.load(name, access.subscripts, location(op))

    def carried(self, element: str, op: Any) -> str:
        """A rank-0 memory for a value that loops or branches carry."""
        element = as_data(element)
        if element not in _ELEMENTS:
            raise Refusal(location(op), f"a value of type {element} is carried by a loop or branch")
        name = self.fresh("c")
        self.arrays[name] = Array(name, element, (), "scalar")
        return name

    def _truth_as_data(self, value: Any, op: Any) -> str:
        cell, loc = self.carried("i1", op), location(op)
        for text, alternatives in (("0", ((),)), ("1", self.truth[value])):
            name = self.constant(text, "i1")
            self.guarded(alternatives, lambda name=name: self.store(cell, (), name, loc), loc)  # type: ignore[misc]
        return self.load(cell, (), loc)

    # ---- structure -------------------------------------------------------------------------------

    def negated(self, alternatives: Alternatives) -> Alternatives:
        """Disjoint alternatives for where none of these holds here."""
        return negation(alternatives, self.known)

    def within(self, conds: Conds, emit: Callable[[], None]) -> tuple[Node, ...]:
        """The nodes that `emit` appends, taken off; conditions hold around them."""
        outer, self.known = self.known, (*self.known, *conds)
        try:
            return self.collected(emit)
        finally:
            self.known = outer

    def collected(self, emit: Callable[[], None]) -> tuple[Node, ...]:
        """The nodes that `emit` appends, taken off."""
        outer, self.nodes = self.nodes, []
        try:
            emit()
            return self._pruned(tuple(self.nodes)) if not self.depth else tuple(self.nodes)
        finally:
            self.nodes = outer

    def _pruned(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """Nodes without the loads of positions that are no data beside."""
        if not self.positions:
            return nodes
        return without_unused(nodes, lambda n: n.dst in self.loaded and not isinstance(n, IndexValue))

    def guarded(self, alternatives: Alternatives, emit: Callable[[], None], loc: Loc) -> None:
        """`emit` once under each alternative that may hold."""
        for conds in possible(alternatives, self.known):
            body = self.within(conds, emit)
            if conds and body:
                self.nodes.append(Guard(conds, body, loc))
            else:
                self.nodes.extend(body)

    def loop(
        self,
        iv: Any,
        bounds: tuple[Sequence[Lin], Sequence[Lin], int],
        emit: Callable[[], None],
        op: Any,
        parallel: str = "",
    ) -> None:
        """A loop whose body `emit` appends; one of the `parallel` operation of that name, if there is one."""
        lower, upper, step = bounds
        loc = location(op)
        if step <= 0:
            raise Refusal(loc, f"loop step {step} is not positive")
        if self.depth >= MAX_DEPTH:
            raise Refusal(loc, f"loops are nested deeper than {MAX_DEPTH}")
        if step > 1 and len(lower) > 1:
            raise Refusal(loc, "a strided loop starts at a maximum of several bounds")
        name = self.fresh("i")
        self.index[iv] = var(name)
        self.depth += 1
        self.flat.uncertain += step > 1
        inside = tuple(Cond(var(name) - f) for f in lower) + tuple(Cond(f - 1 - var(name)) for f in upper)
        body = self.within(inside, emit)
        self.depth -= 1
        self.flat.uncertain -= step > 1
        self.nodes.append(Loop(name, tuple(lower), tuple(upper), step, body, loc, parallel))

    def carry(self, inits: Sequence[Any], op: Any) -> list[str]:
        """Cells for `iter_args`, filled with their initial values."""
        cells = []
        for value in inits:
            cells.append(self.carried(str(value.type), op))
            self.store(cells[-1], (), self.number_of(value, op), location(op))
        return cells

    def block(self, block: Any, cells: Sequence[str], carried: Sequence[Any] = ()) -> None:
        """The operations of a block; its carried arguments are read from and yielded to `cells`."""
        for argument, cell in zip(carried, cells, strict=True) if carried else ():
            self.data[argument] = self.load(cell, (), location(block.owner))
        for op in block.operations:
            operation = op.operation
            if operation.name.endswith(".yield"):
                names = [self.number_of(v, operation) for v in operation.operands]
                for cell, name in zip(cells, names, strict=True):
                    self.store(cell, (), name, location(operation))
            else:
                self.read(operation)

    def results(self, op: Any, cells: Sequence[str]) -> None:
        """Bind an operation's results to what its cells hold after it."""
        for result, cell in zip(op.results, cells, strict=True):
            self.data[result] = self.load(cell, (), location(op))

    def compute(self, op: Any, attrs: tuple[tuple[str, str], ...], called: str = "") -> None:
        """A scalar operation on data, under its own name or another one."""
        result = op.results[0]
        data = any(str(v.type) == "index" and v in self.data and v not in self.index for v in op.operands)
        named = self.number_of if data or str(result.type) == "index" else self.name_of
        args = tuple(named(v, op) for v in op.operands)
        self.data[result] = self.computed(called or op.name, args, as_data(result.type), op, attrs)

    def computed(
        self, operation: str, args: tuple[str, ...], element: str, op: Any, attrs: tuple[tuple[str, str], ...] = ()
    ) -> str:
        """Append a scalar operation at the place of `op`; the name of its result."""
        name = self.fresh("v")
        self.nodes.append(Compute(name, operation, args, attrs, element, location(op)))
        return name

    def same(self, result: Any, source: Any) -> None:
        """A value that is data under another name."""
        self.data[result] = self.data[source]

    def note_truth(self, op: Any) -> bool:
        """Record comparisons of indices, and what `and` and `or` make of them, as a condition; False if it is none."""
        if op.name == "arith.cmpi" and all(isinstance(self.index.get(v), Lin) for v in op.operands):
            a, b = self.forms_of(list(op.operands), op)
            if max(sum(abs(c) for _, c in f.terms) for f in (a, b)) >= MOST_TIMES:
                return False  # a number that may be none of 64 bits: it is compared as data
            alternatives = possible(compared(ir.IntegerAttr(op.attributes["predicate"]).value, a, b), self.known)
        elif op.name == "arith.andi" and all(v in self.truth for v in op.operands):
            left, right = (self.truth[v] for v in op.operands)
            alternatives = possible((x + y for x in left for y in right), self.known)
        elif op.name == "arith.ori" and all(v in self.truth for v in op.operands):
            left, right = (self.truth[v] for v in op.operands)
            alternatives = either(left, right, self.known)
            if len(alternatives) > MAX_ALTERNATIVES:
                return False
        else:
            return False
        self.truth[op.results[0]] = alternatives
        return True

    def is_natural(self, value: Any) -> bool:
        """Whether an index is known not to be negative, by the loops and conditions around."""
        form = self.index.get(value)
        return isinstance(form, Lin) and not possible(((Cond(-form - 1),),), self.known)

    def truth_of_integers(self, value: Any) -> Alternatives | None:
        """The condition of an integer comparison outside of all loops; None for other operations, and unsigned ones."""
        op = value.owner
        if getattr(op, "name", "") != "arith.cmpi" or (number := ir.IntegerAttr(op.attributes["predicate"]).value) >= 6:
            return None
        try:
            return possible(compared(number, *self.forms_of(list(op.operands), op)), self.known)
        except Refusal:
            return None

    def set_alternatives(self, op: Any) -> Alternatives:
        """The condition of an `affine.if`."""
        return (set_conds(op.attributes["condition"], self.forms_of(list(op.operands), op)),)

    def map_bound(self, attr: Any, operands: Sequence[Any], kind: str, op: Any) -> tuple[Lin, ...]:
        """A loop bound: the forms of its map, where an operand may itself be an extremum of that kind."""
        affine_map = ir.AffineMapAttr(attr).value
        if len(operands) == 1 and len(affine_map.results) == 1:
            found = self.index.get(operands[0])
            if isinstance(found, Extremum) and found.kind == kind:
                return tuple(map_forms(affine_map, [f])[0] for f in found.forms)
        return map_forms(affine_map, self.forms_of(operands, op))
