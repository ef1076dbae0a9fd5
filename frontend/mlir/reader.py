"""The reader of modules: which operations of each function are loop nests, and what they compute.

The operations at the top of a function become items: `nest` (read as a program), `plain` (allocations, constants,
index arithmetic; the order of these does not matter), `barrier` (touches memory or control, and keeps its place),
`refused` (a loop that stays as it is, with the reason). Arguments keep the names that C gave them, if the function was
read from C: then extents written `?` are the integer parameters that C names.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.c_parameters import UNBOUNDED, declared, linear, names_in, positive
from raising.affine.ir.program import Load, Loop, Node, Store, walk
from raising.frontend.lower.ir.polynomial import Poly
from raising.frontend.mlir.attributes import Refusal, location
from raising.frontend.mlir.flat_rows import FlatMemory, Rows, affine, polynomial, rows_of
from raising.frontend.mlir.loop_nest import NestReader
from raising.frontend.mlir.memory_views import VIEWS
from raising.frontend.mlir.ops import FOR_LOOPS, for_bounds, read_op
from raising.frontend.mlir.parse_module import make_context, parse_module
from raising.frontend.mlir.variables import as_arguments
from raising.support.errors import InputError as InputError
from raising.support.mlir.inline import inline_calls
from raising.support.record import dataclass
from raising.support.source import Loc


def bind_arguments(reader: NestReader, op: Any, arguments: Sequence[Any], constants: Sequence[Any] = ()) -> None:
    """Name the arguments of a function; open extents that C gives by integer parameters are those sizes.

    `constants` are what further arguments of the block stand for.
    """
    given = arguments[: len(arguments) - len(constants)]
    told = declared(op, len(given))
    named = {row[1]: value for row, value in zip(told, given, strict=False) if not row[2]}
    for number, (value, constant) in enumerate(zip(arguments, [*[None] * len(given), *constants], strict=True)):
        if isinstance(value.type, ir.MemRefType):
            extents = told[number][2] if number < len(told) else ()
            reader.bind_array(value, "argument", [_form(reader, each, named) for each in extents])
            array = reader.memory[value]
            reader.untold |= {f"{array}_{d}" for d, extent in enumerate(extents) if extent == UNBOUNDED}
        else:
            reader.bind_scalar(value, constant)
    lengths = (_form(reader, each, named) for each in positive(op, len(given)))
    reader.positive = tuple(form for form in lengths if form is not None)


def _form(reader: NestReader, extent: str, named: dict[str, Any]) -> Lin | None:
    """An extent as a form over sizes, which the integer parameters in it become; None if it is none."""
    values = {name: named[name] for name in names_in(extent) if name in named}
    if not all(isinstance(value.type, ir.IntegerType | ir.IndexType) for value in values.values()):
        return None
    for value in values.values():
        if value not in reader.index:
            reader.index[value] = reader.size_from_scalar(value)
    return linear(
        extent, {name: form for name, value in values.items() if isinstance(form := reader.index[value], Lin)}
    )


def again(
    first: NestReader, second: NestReader, op: Any, arguments: Sequence[Any], constants: Sequence[Any] = ()
) -> NestReader:
    """The reader of a second reading of a function, which has flat memory in the rows that the first one found."""
    bind_arguments(second, op, arguments, constants)
    found = {}
    for array, rows in rows_of(first.flat, first.sizes()).items():

        def renamed(form: Poly) -> Poly:
            named = {n: _size_of(second, first.values[n]) for n in form.names() if n in first.values}
            return polynomial(affine(form).substitute(named.get))

        inner = tuple(renamed(e) for e in rows.extents if e is not None)
        assumed = tuple(map(renamed, rows.assumed))
        found[array] = Rows((None, *inner), None if rows.least is None else renamed(rows.least), assumed)
        second.arrays[array] = replace(second.arrays[array], shape=(var(f"{array}_0"), *map(affine, inner)))
        second.positive += tuple(affine(form) + 1 for form in assumed)
    second.flat = FlatMemory(found, first=False)
    return second


def _size_of(reader: NestReader, value: Any) -> Lin:
    """An argument as a size."""
    if not isinstance(reader.index.get(value), Lin):
        reader.index[value] = reader.size_from_scalar(value)
    return reader.form_of(value, value.owner)


MAX_RANK = 24  # of arrays that are raised: NumPy, which the search computes with, has at most 64 dimensions
MAX_OUTER = 4  # loops that stay around a body that is still looked into


@dataclass(frozen=True)
class Item:
    """One top-level operation of a function; `cells` are (memory, result) of values that a loop yields.

    A barrier that is a store has its nodes, too. A branch on data with loops in it that are read is a `branch`, and its
    sides are `blocks`.
    """

    kind: str
    position: int
    loc: Loc
    nodes: tuple[Node, ...] = ()
    reason: str = ""
    cells: tuple[tuple[str, Any], ...] = ()
    blocks: tuple[Function, ...] = ()


@dataclass
class Function:
    """A function as items, with the meaning of every name the items use.

    The body of a loop that stays, and a `side` of a branch on data, is treated as a function of its own; `outer`
    then holds the loops around it, without their bodies.
    """

    name: str
    loc: Loc
    op: Any
    reader: NestReader
    items: list[Item] = field(default_factory=list)
    outer: tuple[Loop, ...] = ()
    side: int = 0

    @property
    def block(self) -> Any:
        """The block that holds the items."""
        return self.op.regions[self.side].blocks[0]

    @property
    def everything(self) -> list[Item]:
        """The items, with those of the sides of branches in place of these."""
        return [inner for i in self.items for inner in ([x for b in i.blocks for x in b.everything] or [i])]

    def operations(self) -> list[Any]:
        """The top-level operations, in order."""
        return [op.operation for op in self.block.operations]

    def read(self) -> None:
        """Make an item of every top-level operation."""
        for position, op in enumerate(self.operations()):
            item = _item(self.reader, op, position)
            blocks = self._sides(op) if item.kind == "refused" and op.name in _BRANCHES else ()
            self.items.append(replace(item, kind="branch", blocks=blocks) if blocks else item)

    def _sides(self, op: Any) -> tuple[Function, ...]:
        """The sides of a branch, if one of them has a nest that is read."""
        sides = [k for k, region in enumerate(op.regions) if len(region.blocks)]
        found = [Function(self.name, location(op), op, self.reader, outer=self.outer, side=k) for k in sides]
        for each in found:
            each.read()
        return tuple(found) if any(i.kind == "nest" for each in found for i in each.everything) else ()


def loop_body(function: Function, item: Item) -> Function | None:
    """The body of a loop that stays, read as a function; None if it is no `for` with loops inside."""
    op = function.operations()[item.position]
    if op.name not in FOR_LOOPS or len(function.outer) >= MAX_OUTER:
        return None
    try:
        lower, upper, step, _ = for_bounds(function.reader, op)
    except (Refusal, ValueError):
        return None
    block = op.regions[0].blocks[0]
    iv, *carried = block.arguments
    name = function.reader.bind_iterator(iv)
    for value in carried:
        function.reader.bind_scalar(value)
    loop = Loop(name, lower, upper, step, (), location(op))
    body = Function(function.name, location(op), op, function.reader, outer=(*function.outer, loop))
    body.read()
    return body if any(i.kind in ("nest", "refused") for i in body.everything) else None


@dataclass
class Source:
    """A parsed module; the context must be entered to change it."""

    context: Any
    module: Any
    functions: list[Function]
    remarks: list[tuple[Loc, str]]


def parse(text: str | bytes, file: str = "-", functions: bool = True) -> Source:
    """Parse and verify MLIR text (or bytecode); `InputError` with the place if it is not valid.

    Without `functions`, these are not read. Variables of the module are arguments of functions then, see
    `raising.frontend.mlir.variables`; constants only where functions are read. Calls in loops are the bodies of the
    functions that they call.
    """
    context = make_context()
    with context:
        module = parse_module(text, file)
        with ir.Location.unknown():
            as_arguments(module, constants=functions)
            if functions:
                inline_calls(module, ir, inner=True)
        source = Source(context, module, [], [])
        for op in module.body.operations if functions else ():
            _function(source, op.operation)
        return source


def _function(source: Source, op: Any) -> None:
    if op.name != "func.func":
        return
    blocks = list(op.regions[0].blocks)
    if not blocks:
        return
    if len(blocks) > 1:
        name = ir.StringAttr(op.attributes["sym_name"]).value
        source.remarks.append((location(op), f"function '{name}' has unstructured control flow"))
        return
    source.functions.append(read_function(op))


def read_function(op: Any) -> Function:
    """Read a function of a parsed module, of one block."""
    name, arguments = ir.StringAttr(op.attributes["sym_name"]).value, list(op.regions[0].blocks[0].arguments)
    function = Function(name, location(op), op, NestReader(read_op))
    bind_arguments(function.reader, op, arguments)
    function.read()
    if function.reader.flat.to_read_again:
        function = Function(name, location(op), op, again(function.reader, NestReader(read_op), op, arguments))
        function.read()
    return function


_LOOPS = ("affine.for", "affine.parallel", "affine.if", "scf.for", "scf.parallel", "scf.if", "scf.while")
_BRANCHES = ("affine.if", "scf.if")
_SILENT = (
    *("affine.yield", "scf.yield", "func.return", "memref.dealloc"),
    *("memref.load", "memref.store", "affine.load", "affine.store"),
)
STORES = ("affine.store", "memref.store")
LOADS = ("affine.load", "memref.load")
_PLAIN = (
    *("arith.", "math.", "memref.alloc", "memref.dim", "affine.apply", "affine.min", "affine.max"),
    *VIEWS,
)


def _item(reader: NestReader, op: Any, position: int) -> Item:
    loc = location(op)
    if op.name in _LOOPS:
        return _nest(reader, op, position)
    if op.name == "arith.constant":
        reader.bind_scalar(op.results[0], op.attributes["value"])
        return Item("plain", position, loc)
    if op.name.startswith(_PLAIN) and op.name not in _SILENT:
        _plain(reader, op)
        return Item("plain", position, loc)
    if op.name in STORES:
        return Item("barrier", position, loc, _store_nodes(reader, op))
    _bind_results(reader, op)
    looping = len(op.regions) > 0 and not op.name.startswith("linalg.")
    reason = "it is not a static-control loop (" + op.name + ")" if looping else ""
    return Item("refused" if looping else "barrier", position, loc, reason=reason)


def _store_nodes(reader: NestReader, op: Any) -> tuple[Node, ...]:
    """A store outside of loops as nodes, for those who take it along; none if it is not affine."""
    try:
        return reader.collected(lambda: read_op(reader, op))
    except Refusal:
        return ()


def _nest(reader: NestReader, op: Any, position: int) -> Item:
    try:
        nodes = reader.collected(lambda: read_op(reader, op))
    except Refusal as refusal:
        reader.depth = 0
        _bind_results(reader, op)
        return Item("refused", position, refusal.loc, reason=refusal.reason)
    ranks = [len(n.subscripts) for n in walk(nodes) if isinstance(n, Load | Store)]
    if max(ranks, default=0) > MAX_RANK:
        _bind_results(reader, op)
        return Item(
            "refused", position, location(op), reason=f"it works on an array of more than {MAX_RANK} dimensions"
        )
    loads = [n for n in nodes if isinstance(n, Load)]
    cells = tuple((n.array, r) for r in op.results for n in loads if n.dst == reader.data.get(r))
    told = [result for _, result in cells]
    if any(list(r.uses) for r in op.results if r not in told):  # as where a branch on data chooses a number
        _bind_results(reader, op)
        looping = any(isinstance(n, Loop) for n in walk(nodes))
        reason = "a value that it yields is used, and is none of its memory" if looping else ""
        return Item("refused" if looping else "barrier", position, location(op), reason=reason)
    return Item("nest", position, location(op), nodes, cells=cells)


def _plain(reader: NestReader, op: Any) -> None:
    """Index values and memories keep their meaning; other scalars are named where they stand."""
    on_index = all(str(r.type) == "index" or isinstance(r.type, ir.MemRefType) for r in op.results)
    if on_index and len(op.results):
        with suppress(Refusal):
            read_op(reader, op)
        if all(r in reader.index or r in reader.memory for r in op.results):
            return
    _bind_results(reader, op)


def _bind_results(reader: NestReader, op: Any) -> None:
    for result in op.results:
        reader.truth.pop(result, None)  # as a loop around it had it, which is read as a function of its own now
        if not isinstance(result.type, ir.MemRefType):
            reader.bind_scalar(result)
