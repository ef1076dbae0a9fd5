"""One function as a loop program: loops as they are, tensors through bufferization and affine loops.

Whatever a module is written in, its function ends as one `raising.affine.ir.program.Program`: a dialect of tensors goes
through its own lowering (`grammar/targets`), tensors through one-shot bufferization, structured operations to affine
loops, and the loops through the reader that `raise` starts from. So nothing here knows an operation of a target, and
the compared program is the one that would run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import field, replace
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Cond, Lin
from raising.affine.ir.c_parameters import declared_rows, declared_truths
from raising.affine.ir.program import Array, Loop, Node, Program, extents_known, forms, walk
from raising.frontend.mlir.attributes import Refusal, location
from raising.frontend.mlir.flat_rows import affine, polynomial
from raising.frontend.mlir.loop_nest import NestReader
from raising.frontend.mlir.ops import read_op
from raising.frontend.mlir.reader import InputError, again, bind_arguments, parse
from raising.frontend.mlir.variables import argument_symbols, variables
from raising.grammar.dialects.target_dialect import read_target, targets
from raising.support.mlir.inline import inline_calls, keep_only
from raising.support.mlir.walk import operations
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.validate.base.assumption import Assumption
from raising.validate.reading.bufferised import CLAMPED, first_line, hide_constants, is_structured, lower
from raising.validate.reading.index_arithmetic import NamedSizes, fold_indices
from raising.validate.reading.memory_use import Extent, cast_extents, check_lifetimes, promises
from raising.validate.reading.while_to_for import Settled, counted, is_counted

MOST_OPERATIONS = 20_000
MOST_STORES = 5_000


_UNSIGNED = "what arith.index_castui takes is not negative"


class Unreadable(Exception):
    """A function outside of what can be compared, and where; it is no error of the user's."""

    def __init__(self, reason: str, loc: Loc | None = None) -> None:
        super().__init__(f"{loc}: {reason}" if loc is not None and loc.line else reason)


@dataclass(frozen=True)
class Side:
    """A function as a program.

    `arguments` are the names of arrays and scalars by position, `types` their (element, extents or None for a
    scalar; an extent is None for `?`), `results` the arrays that hold what it returns (each of `result_types`),
    `written` the positions of arguments that it stores to. `scopes` gives, for an array allocated inside of loops,
    the number of loops around its allocation. `assumed` is what reading it took for granted, `extents` are what it
    takes open extents of arguments to be, and `promises` what flags of its operations say. `variables` are arguments
    that stand for variables of the module, by position: the symbol, and the first contents (empty if another file has
    them). `rows` are the extents of an array that a C function declares, but for the first one, `truths` the arguments
    of C's `_Bool`. `computed` says whether there are sizes that it computes of others. Arguments in `flat` are memory
    of one dimension that is read in rows, with the inner extents.
    """

    program: Program
    arguments: tuple[str, ...]
    types: tuple[SlotType, ...]
    results: tuple[str, ...]
    result_types: tuple[SlotType, ...]
    written: frozenset[int]
    on_tensors: bool
    scopes: dict[str, int]
    assumed: tuple[Assumption, ...] = ()
    extents: tuple[Extent, ...] = ()
    promises: tuple[tuple[str, Loc], ...] = ()
    variables: dict[int, tuple[str, str]] = field(default_factory=dict)
    rows: dict[str, tuple[Hashable, ...]] = field(default_factory=dict)
    truths: frozenset[str] = frozenset()
    computed: bool = False
    flat: dict[int, tuple[Lin, ...]] = field(default_factory=dict)


SlotType = tuple[str, tuple[int | None, ...] | None]


ReadOp = Callable[[NestReader, Any], None]


def read_side(
    text: str | bytes, function: str | None, file: str, read: ReadOp = read_op, computed: bool = False
) -> Side:
    """The function of that name (or the only one); `InputError` or `Unreadable` if there is none to read.

    `read` reads an operation. Sizes that are `computed` of others in front of the loops are refused, or sizes of their
    own.
    """
    module = _upstream_text(text, function, file, "none")
    try:
        return _side(module, text, function, file, read, computed)
    except Unreadable as refused:
        reason = refused
    again: tuple[Settled, ...] = ("all", "new") if module is not text else ()
    for settled in again:
        other = _upstream_text(text, function, file, settled)
        if other == module:
            break
        try:
            return _side(other, text, function, file, read, computed)
        except Unreadable as refused:
            reason = refused
    raise reason


def _side(
    module: str | bytes, text: str | bytes, function: str | None, file: str, read: ReadOp, computed: bool
) -> Side:
    """The function of a module of upstream's dialects; `text` is what the user gave."""
    try:
        source = parse(module, file, functions=False)
    except InputError as error:
        if module is text:
            raise
        raise Unreadable(f"its dialect's lowering leaves operations of its own: {error.message}") from None
    with source.context, ir.Location.unknown():
        inline_calls(source.module, ir)
        keep_only(source.module, function, ir)
        op = function_of(source.module, function, file)
        types, results = _signature(op)
        symbols, rows = _variables(source.module, op), declared_rows(op, len(types))
        on_tensors = any(isinstance(t, ir.RankedTensorType) for t in (*types, *results))
        name = str(ir.StringAttr(op.attributes["sym_name"]).value)
        try:
            check_lifetimes(op)
            extents, promised = cast_extents(op), promises(op)
            hidden: list[Any] = []
            tied: tuple[Assumption, ...] = ()
            if is_structured(source.module):
                hidden = hide_constants(source.module, op)
                tied = lower(source.module, location(op))
                op = function_of(source.module, name, file)
            slots = tuple(map(_slot, types)), tuple(map(_slot, results))
            side = _read(NestReader(named := NamedSizes(read, computed)), op, slots, on_tensors, hidden, named)
            assumed = side.assumed + tuple(a for a in tied if not _is_given(side, a.condition))
            told = {side.arguments[k]: inner for k, inner in rows.items()}
            truths = frozenset(side.arguments[k] for k in declared_truths(op, len(types)))
            found = replace(side, assumed=assumed, extents=extents, promises=promised, variables=symbols)
            return replace(found, rows=told, truths=truths)
        except Refusal as refusal:
            raise Unreadable(refusal.reason, replace(refusal.loc, file=file)) from None


def _variables(module: Any, op: Any) -> dict[int, tuple[str, str]]:
    """The variables that arguments of a function stand for, and their first contents as text."""
    known = variables(module)
    contents = {symbol: str(variable.initial or "") for symbol, variable in known.items()}
    return {k: (symbol, contents.get(symbol, "")) for k, symbol in argument_symbols(op).items()}


def _is_given(side: Side, tie: str) -> bool:
    """True if two extents are the same by what is known of the arguments."""
    known = [_known_extent(side, text) for text in tie.split(" = ")]
    return known[0] == known[1]


def _known_extent(side: Side, text: str) -> str:
    """An extent, or a number, as a form over sizes."""
    place = re.fullmatch(r"a(\d+)_(\d+)", text)
    array = side.program.arrays.get(side.arguments[int(place[1])]) if place else None
    return text if array is None or place is None else str(array.shape[int(place[2])])


# ---- to loops on memory --------------------------------------------------------------------------


def _upstream_text(text: str | bytes, function: str | None, file: str, settled: Settled) -> str | bytes:
    """The text, with what a function needs lowered by the pipeline of the target dialect whose operations it uses.

    For `settled` see `counted`.
    """
    shown = text if isinstance(text, str) else text.decode(errors="replace")
    named = set(re.findall(r"(?<![\w.%@])(\w+)\.\w", shown.replace('"', " ")))
    for target in map(read_target, targets()):
        if target.general or not named & {target.name, *target.beside}:
            continue
        from raising.grammar.dialects.host import Host  # takes long, and is of use here only

        host = Host(target)
        try:
            module = host.ir.Module.parse(shown, host.context)
        except host.errors as error:
            raise _input_error(error, file) from None
        try:
            with host.context:
                host.prepare(module)
                keep_only(module, function, host.ir)
                host.lower(module)
        except host.errors as error:
            raise Unreadable(f"the lowering of '{target.name}' fails: {first_line(error)}") from None
        lowered = str(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
        return counted(lowered, target, settled) if is_counted(lowered, target) else lowered
    return text


_PLACE = re.compile(r'"-":(\d+):(\d+): (.*)')


def _input_error(error: Exception, file: str) -> InputError:
    """What a parser said, with its place in the file."""
    found = _PLACE.search(first_line(error))
    if found is None:
        return InputError(Loc(file), first_line(error))
    return InputError(Loc(file, int(found[1]), int(found[2])), found[3])


# ---- the function --------------------------------------------------------------------------------


def _symbol(op: Any) -> str:
    return str(ir.StringAttr(op.attributes["sym_name"]).value) if "sym_name" in op.attributes else ""


def function_of(module: Any, name: str | None, file: str) -> Any:
    """The function of that name, or the only one with a body; `InputError` if there is none."""
    functions = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
    bodies = [op for op in functions if op.regions[0].blocks]
    if name is None and len(bodies) == 1:
        return bodies[0]
    known = ", ".join(_symbol(op) for op in bodies) or "none"
    if name is None:
        raise InputError(Loc(file), f"the module has {len(bodies)} functions with a body ({known}); name one")
    for op in bodies:
        if _symbol(op) == name:
            return op
    raise InputError(Loc(file), f"there is no function '{name}' with a body (there are: {known})")


def _signature(op: Any) -> tuple[list[Any], list[Any]]:
    kind = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
    return list(kind.inputs), list(kind.results)


def _slot(kind: Any) -> SlotType:
    if isinstance(kind, ir.MemRefType | ir.RankedTensorType):
        if isinstance(kind, ir.MemRefType) and kind.affine_map != ir.AffineMap.get_identity(kind.rank):
            raise Unreadable(f"the layout of {kind} is not the plain one")
        shape = (None if kind.is_dynamic_dim(d) else int(kind.shape[d]) for d in range(kind.rank))
        return str(kind.element_type), tuple(shape)
    return str(kind), None


def _read(
    reader: NestReader,
    op: Any,
    types: tuple[tuple[SlotType, ...], tuple[SlotType, ...]],
    on_tensors: bool,
    hidden: list[Any],
    named: NamedSizes,
) -> Side:
    blocks = list(op.regions[0].blocks)
    if len(blocks) > 1:
        raise Refusal(location(op), "the function has unstructured control flow")
    _check_length(op)
    given = list(blocks[0].arguments)[: len(types[0])]
    for value in (each for each in blocks[0].arguments if isinstance(each.type, ir.MemRefType)):
        _slot(value.type)
    bind_arguments(reader, op, list(blocks[0].arguments), hidden)
    results, nodes = _nodes(reader, blocks[0])
    if reader.flat.to_read_again:
        reader = again(reader, NestReader(named.afresh()), op, list(blocks[0].arguments), hidden)
        results, nodes = _nodes(reader, blocks[0])
    arguments = tuple(_argument_name(reader, v) for v in given)
    used = {n for node in walk(nodes) for form in forms(node) for n in form.names()}
    used |= {n for array in reader.arrays.values() for form in array.shape for n in form.names()}
    sizes = tuple(n for n in _sizes(reader, nodes) if n in used or n not in named.made)
    known = extents_known(reader.arrays.values(), reader.positive)
    program = Program(_symbol(op), reader.arrays, reader.scalars, nodes, frozenset(), sizes, known)
    program = _sizes_by_position(program, reader, named)
    rows = _long_enough(reader, known, program.context)
    program, assumed = fold_indices(program, frozenset(results))
    assumed += rows
    assumed += tuple(Assumption("sign", _UNSIGNED, loc) for loc in reader.unsigned)
    program = replace(program, arrays={n: _clamped(a, reader) for n, a in program.arrays.items()})
    stores = list(program.stores())
    if len(stores) > MOST_STORES:
        raise Refusal(location(op), f"the function stores in more than {MOST_STORES} places")
    stored = {n.array for n in stores}
    written = frozenset(k for k, name in enumerate(arguments) if name in stored)
    scopes = {n: _loops_around(reader.values[n]) for n, a in reader.arrays.items() if a.kind == "local"}
    inside = {n: depth for n, depth in scopes.items() if depth}
    types_ = types[0], tuple(results), types[1]
    computed = any(name in sizes for name in named.made)
    flat = {k: program.arrays[a].shape[1:] for k, a in enumerate(arguments) if a in reader.flat.rows}
    return Side(program, arguments, *types_, written, on_tensors, inside, assumed, computed=computed, flat=flat)


def _long_enough(reader: NestReader, known: Sequence[Cond], named: Sequence[Cond]) -> tuple[Assumption, ...]:
    """The conditions on sizes under which flat memory is read in rows; `known` conditions are `named` by position."""
    forms = {Cond(affine(form)) for rows in reader.flat.rows.values() for form in rows.assumed}
    told = [polynomial(name.form) for cond, name in zip(known, named, strict=True) if cond in forms]
    return tuple(Assumption("sizes", form.at_least_zero) for form in told)


def _clamped(array: Array, reader: NestReader) -> Array:
    """The array with the rule of its allocation for negative sizes."""
    owner = reader.values[array.name].owner if array.kind == "local" else None
    return replace(array, clamped=True) if owner is not None and CLAMPED in owner.operation.attributes else array


def _check_length(op: Any) -> None:
    """Neither the reader nor what comes after it is made for functions that no person has written."""
    if len(operations(op)) > MOST_OPERATIONS:
        raise Refusal(location(op), f"the function has more than {MOST_OPERATIONS} operations")


def _nodes(reader: NestReader, block: Any) -> tuple[list[str], tuple[Node, ...]]:
    """The arrays that hold a function's results, and its operations."""
    results: list[str] = []
    nodes = reader.collected(lambda: results.extend(_block(reader, block)))
    return results, nodes


def _block(reader: NestReader, block: Any) -> list[str]:
    """Read a function's operations; the arrays that hold its results."""
    results = []
    for op in (o.operation for o in block.operations):
        if op.name != "func.return":
            reader.read(op)
            continue
        for value in op.operands:
            if isinstance(value.type, ir.MemRefType):
                results.append(reader.array_of(value, op))
                continue
            cell = reader.carried(str(value.type), op)
            reader.store(cell, (), reader.number_of(value, op), location(op))
            results.append(cell)
    return results


def _argument_name(reader: NestReader, value: Any) -> str:
    if value in reader.memory:
        return reader.memory[value]
    return reader.data.get(value, "")  # an index argument is a size, or of a type that nothing reads


def _sizes(reader: NestReader, nodes: tuple[Node, ...]) -> list[str]:
    """The names of sizes: `?` extents, and integers that are cast to index."""
    iterators = {n.iv for n in walk(nodes) if isinstance(n, Loop)}
    names = {n for a in reader.arrays.values() for form in a.shape for n in form.names()} - iterators
    plain = [f.terms[0][0] for f in reader.index.values() if hasattr(f, "terms") and len(f.terms) == 1]
    return sorted(names | {str(n) for n in plain if n in reader.values})


def _sizes_by_position(program: Program, reader: NestReader, named: NamedSizes) -> Program:
    """Sizes named by where they come from: `n3` for argument 3, `a3_0` for its first extent, others by their text."""
    from raising.validate.reading.renaming import renamed

    names: dict[str, str] = {}
    for name in program.sizes:
        value = reader.values.get(name)
        array, _, dim = name.rpartition("_")
        if value is not None and isinstance(value, ir.BlockArgument):
            names[name] = f"n{value.arg_number}"
        elif array in reader.values and isinstance(reader.values[array], ir.BlockArgument):
            names[name] = f"a{reader.values[array].arg_number}_{dim}"
        elif (flat := _flat_argument(value, reader)) is not None:
            names[name] = f"a{flat.arg_number}_{len(reader.arrays[reader.memory[flat]].shape)}"  # as one extent more
        elif name not in named.made:
            raise Unreadable("a size is computed from data")
    names = named.names(names)
    program = replace(program, sizes=tuple({names.get(n, n): n for n in program.sizes}.values()))
    return renamed(program, lambda n: names.get(n, n))


def _flat_argument(value: Any, reader: NestReader) -> Any:
    """The argument, read in rows, of which a value is the length; None if it is none."""
    owner = value.owner.operation if isinstance(value, ir.OpResult) else None
    memory = owner.operands[0] if owner is not None and owner.name == "memref.dim" else None
    is_flat = isinstance(memory, ir.BlockArgument) and reader.memory.get(memory) in reader.flat.rows
    return memory if is_flat else None


def _loops_around(value: Any) -> int:
    depth, parent = 0, value.owner.parent if hasattr(value.owner, "parent") else None
    while parent is not None and parent.operation.name != "func.func":
        depth += parent.operation.name.endswith((".for", ".parallel"))
        parent = parent.operation.parent
    return depth
