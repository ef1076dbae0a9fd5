"""One function as a loop program: loops as they are, tensors through bufferization and affine loops.

Whatever a module is written in, its function ends as one `raising.affine.ir.program.Program`: a dialect of tensors goes
through its own lowering (`grammar/targets`), tensors through one-shot bufferization, structured operations to affine
loops, and the loops through the reader that `raise` starts from. So nothing here knows an operation of a target, and
the compared program is the one that would run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Cond, Lin
from raising.affine.ir.c_parameters import declared_rows, declared_truths
from raising.affine.ir.program import Array, Loop, Program, extents_known, forms, walk
from raising.frontend.mlir.attributes import Refusal, location
from raising.frontend.mlir.flat_rows import affine, polynomial
from raising.frontend.mlir.loop_nest import NestReader
from raising.frontend.mlir.ops import read_op
from raising.frontend.mlir.reader import InputError, Source, again, bind_arguments, parse
from raising.frontend.mlir.variables import argument_symbols, variables
from raising.grammar.dialects.target_dialect import Target, read_target, targets
from raising.support.mlir.diagnostics import first_error
from raising.support.mlir.inline import inline_calls, keep_only
from raising.support.mlir.walk import operations, symbol_name
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.validate.base.assumption import Assumption
from raising.validate.reading.bufferised import CLAMPED, hide_constants, is_structured, lower
from raising.validate.reading.index_arithmetic import NamedSizes, fold_indices
from raising.validate.reading.memory_use import Extent, Promise, cast_extents, check_lifetimes, promises
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
    promises: tuple[Promise, ...] = ()
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
    for module in _upstream_texts(text, function, file):
        try:
            return _side(_parsed(module, text, file), function, file, NamedSizes(read, computed))
        except Unreadable as refused:
            reason = refused
    raise reason


def _parsed(module: str | bytes, text: str | bytes, file: str) -> Source:
    """A module of upstream's dialects; `text` is what the user gave."""
    try:
        return parse(module, file, functions=False)
    except InputError as error:
        if module is text:
            raise
        raise _left(str(module), text, error, file) from None


def _left(lowered: str, text: str | bytes, error: InputError, file: str) -> Unreadable:
    """What is said of the first operation of its own that a dialect's lowering leaves, where the user's text has it."""
    line = "".join(lowered.splitlines()[error.loc.line - 1 : error.loc.line])
    found = re.search(r'"([\w.]+)"\(', line)
    if found is None:
        return Unreadable(f"its dialect's lowering leaves operations of its own: {error.message}")
    shown = (text if isinstance(text, str) else text.decode(errors="replace")).splitlines()
    places = (Loc(file, k, at + 1) for k, line in enumerate(shown, 1) if (at := line.find(found[1])) >= 0)
    return Unreadable(f"its dialect's lowering leaves '{found[1]}' as it is", next(places, None))


def _side(source: Source, function: str | None, file: str, named: NamedSizes) -> Side:
    """The function of that name in a module, which is changed."""
    with source.context, ir.Location.unknown():
        inline_calls(source.module, ir)
        keep_only(source.module, function, ir)
        op = function_of(source.module, function, file)
        try:
            return _lowered_side(source.module, op, named)
        except Refusal as refusal:
            raise Unreadable(refusal.reason, replace(refusal.loc, file=file)) from None


def _lowered_side(module: Any, op: Any, named: NamedSizes) -> Side:
    """The side of a function, whose module is lowered in place to loops over memory."""
    name, (types, results) = symbol_name(op), _signature(op)
    rows, truths = declared_rows(op, len(types)), declared_truths(op, len(types))
    variables_of_module = _variables(module, op)
    check_lifetimes(op)
    extents, promised = cast_extents(op), promises(op)
    constants: list[Any] = []
    tied: tuple[Assumption, ...] = ()
    if is_structured(module):
        constants = hide_constants(module, op)
        tied = lower(module, location(op))
        op = function_of(module, name, "-")
    slots, result_slots = tuple(map(_slot, types)), tuple(map(_slot, results))
    body = _Body(op, constants, named)
    program, assumed = body.program()
    return Side(
        program=program,
        arguments=body.arguments,
        types=slots,
        results=tuple(body.results),
        result_types=result_slots,
        written=body.written(program),
        on_tensors=any(isinstance(t, ir.RankedTensorType) for t in (*types, *results)),
        scopes=body.scopes(),
        assumed=assumed + tuple(a for a in tied if not _is_given(program, body.arguments, a.condition)),
        extents=extents,
        promises=promised,
        variables=variables_of_module,
        rows={body.arguments[k]: inner for k, inner in rows.items()},
        truths=frozenset(body.arguments[k] for k in truths),
        computed=body.has_computed_sizes(),
        flat=body.flat(program),
    )


def _variables(module: Any, op: Any) -> dict[int, tuple[str, str]]:
    """The variables that arguments of a function stand for, and their first contents as text."""
    known = variables(module)
    contents = {symbol: str(variable.initial or "") for symbol, variable in known.items()}
    return {k: (symbol, contents.get(symbol, "")) for k, symbol in argument_symbols(op).items()}


def _is_given(program: Program, arguments: tuple[str, ...], tie: str) -> bool:
    """True if two extents are the same by what is known of the arguments."""

    def extent(text: str) -> str:
        found = re.fullmatch(r"a(\d+)_(\d+)", text)
        array = program.arrays.get(arguments[int(found[1])]) if found else None
        return text if array is None or found is None else str(array.shape[int(found[2])])

    one, other = map(extent, tie.split(" = "))
    return one == other


# ---- to loops on memory --------------------------------------------------------------------------


def _upstream_texts(text: str | bytes, function: str | None, file: str) -> Iterator[str | bytes]:
    """The module in upstream's dialects, in each way to try: see `Settled`. One in no target's dialect is as it is."""
    shown = text if isinstance(text, str) else text.decode(errors="replace")
    dialects = set(re.findall(r"(?<![\w.%@])(\w+)\.\w", shown.replace('"', " ")))
    used = (t for t in map(read_target, targets()) if not t.general and dialects & {t.name, *t.beside})
    target = next(used, None)
    if target is None:
        yield text
        return
    lowered = _lowered(shown, function, file, target)
    if not is_counted(lowered, target):
        yield lowered
        return
    yield (first := counted(lowered, target, "none"))
    for settled in _OTHERWISE:
        if (other := counted(lowered, target, settled)) == first:
            return
        yield other


_OTHERWISE: tuple[Settled, ...] = ("all", "new")


def _lowered(text: str, function: str | None, file: str, target: Target) -> str:
    """The module in generic form, with what a function needs lowered by a target dialect's own pipeline."""
    from raising.grammar.dialects.host import Host  # takes long, and is of use here only

    host = Host(target)
    try:
        module = host.ir.Module.parse(text, host.context)
    except host.errors as error:
        raise _input_error(error, file) from None
    try:
        with host.context:
            host.prepare(module)
            keep_only(module, function, host.ir)
            host.lower(module)
    except host.errors as error:
        raise Unreadable(f"the lowering of '{target.name}' fails: {first_error(error)}") from None
    return str(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))


_PLACE = re.compile(r'"-":(\d+):(\d+): (.*)')


def _input_error(error: Exception, file: str) -> InputError:
    """The message of a parser, with its place in the file."""
    found = _PLACE.search(first_error(error))
    if found is None:
        return InputError(Loc(file), first_error(error))
    return InputError(Loc(file, int(found[1]), int(found[2])), found[3])


# ---- the function --------------------------------------------------------------------------------


def function_of(module: Any, name: str | None, file: str) -> Any:
    """The function of that name, or the only one with a body; `InputError` if there is none."""
    functions = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
    bodies = [op for op in functions if op.regions[0].blocks]
    if name is None and len(bodies) == 1:
        return bodies[0]
    known = ", ".join(symbol_name(op) for op in bodies) or "none"
    if name is None:
        raise InputError(Loc(file), f"the module has {len(bodies)} functions with a body ({known}); name one")
    for op in bodies:
        if symbol_name(op) == name:
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


class _Body:
    """The body of a function of loops over memory: its `nodes`, and the arrays that hold its `results`.

    `constants` are what its last arguments stand for.
    """

    def __init__(self, op: Any, constants: list[Any], named: NamedSizes) -> None:
        blocks = list(op.regions[0].blocks)
        if len(blocks) > 1:
            raise Refusal(location(op), "the function has unstructured control flow")
        if len(operations(op)) > MOST_OPERATIONS:
            raise Refusal(location(op), f"the function has more than {MOST_OPERATIONS} operations")
        self.op, self.block, self.named = op, blocks[0], named
        values = list(self.block.arguments)
        for value in values:
            if isinstance(value.type, ir.MemRefType):
                _slot(value.type)
        self.reader = NestReader(named)
        bind_arguments(self.reader, op, values, constants)
        self._collect()
        if self.reader.flat.to_read_again:
            self.reader = again(self.reader, NestReader(named.afresh()), op, values, constants)
            self._collect()
        own = values[: len(values) - len(constants)]  # an index argument is a size, or of a type that nothing reads
        self.arguments = tuple(self.reader.memory.get(v, self.reader.data.get(v, "")) for v in own)

    def _collect(self) -> None:
        self.results: list[str] = []
        self.nodes = self.reader.collected(self._read)

    def _read(self) -> None:
        for op in (o.operation for o in self.block.operations):
            if op.name == "func.return":
                self.results.extend(self._result(value, op) for value in op.operands)
            else:
                self.reader.read(op)

    def _result(self, value: Any, op: Any) -> str:
        """The array that holds a value which is returned: a number goes to memory of its own."""
        if isinstance(value.type, ir.MemRefType):
            return self.reader.array_of(value, op)
        cell = self.reader.carried(str(value.type), op)
        self.reader.store(cell, (), self.reader.number_of(value, op), location(op))
        return cell

    def program(self) -> tuple[Program, tuple[Assumption, ...]]:
        """The function as a program, and what that assumes."""
        reader = self.reader
        known = extents_known(reader.arrays.values(), reader.positive)
        program = Program(
            symbol_name(self.op), reader.arrays, reader.scalars, self.nodes, frozenset(), self._sizes(), known
        )
        program = self._sizes_by_position(program)
        rows = self._long_enough(known, program.context)
        program, folded = fold_indices(program, frozenset(self.results))
        signs = (Assumption("sign", _UNSIGNED, loc) for loc in reader.unsigned)
        program = replace(program, arrays={n: self._clamped(a) for n, a in program.arrays.items()})
        if len(list(program.stores())) > MOST_STORES:
            raise Refusal(location(self.op), f"the function stores in more than {MOST_STORES} places")
        return program, (*folded, *rows, *signs)

    def written(self, program: Program) -> frozenset[int]:
        """The positions of arguments that it stores to."""
        stored = {n.array for n in program.stores()}
        return frozenset(k for k, name in enumerate(self.arguments) if name in stored)

    def scopes(self) -> dict[str, int]:
        """The number of loops around the allocation of arrays that are allocated inside of loops."""
        arrays = (n for n, a in self.reader.arrays.items() if a.kind == "local")
        return {n: depth for n in arrays if (depth := _loops_around(self.reader.values[n]))}

    def flat(self, program: Program) -> dict[int, tuple[Lin, ...]]:
        """The inner extents of arguments that are memory of one dimension and read in rows."""
        rows = self.reader.flat.rows
        return {k: program.arrays[a].shape[1:] for k, a in enumerate(self.arguments) if a in rows}

    def has_computed_sizes(self) -> bool:
        """Whether a size of the program is computed of others."""
        return not self.named.made.keys().isdisjoint(self._sizes())

    def _sizes(self) -> tuple[str, ...]:
        """The names of sizes: `?` extents, and integers that are cast to index. Computed ones have to be used."""
        reader = self.reader
        iterators = {n.iv for n in walk(self.nodes) if isinstance(n, Loop)}
        extents = {n for a in reader.arrays.values() for form in a.shape for n in form.names()}
        plain = (f.terms[0][0] for f in reader.index.values() if isinstance(f, Lin) and len(f.terms) == 1)
        cast = {str(n) for n in plain if n in reader.values}
        used = extents | {n for node in walk(self.nodes) for form in forms(node) for n in form.names()}
        return tuple(n for n in sorted(extents - iterators | cast) if n in used or n not in self.named.made)

    def _sizes_by_position(self, program: Program) -> Program:
        """Sizes named by where they come from (`n3` is argument 3, `a3_0` its first extent), others by their text."""
        from raising.validate.reading.renaming import renamed

        positions = {n: position for n in program.sizes if (position := self._position(n))}
        if any(n not in positions and n not in self.named.made for n in program.sizes):
            raise Unreadable("a size is computed from data")
        names = self.named.names(positions)
        program = replace(program, sizes=tuple({names.get(n, n): n for n in program.sizes}.values()))
        return renamed(program, lambda n: names.get(n, n))

    def _position(self, size: str) -> str | None:
        """The name of a size after the argument that it comes from; None if it comes from none."""
        reader = self.reader
        value = reader.values.get(size)
        array, _, dim = size.rpartition("_")
        if isinstance(value, ir.BlockArgument):
            return f"n{value.arg_number}"
        if isinstance(owner := reader.values.get(array), ir.BlockArgument):
            return f"a{owner.arg_number}_{dim}"
        defined = value.owner.operation if isinstance(value, ir.OpResult) else None
        memory = defined.operands[0] if defined is not None and defined.name == "memref.dim" else None
        if not isinstance(memory, ir.BlockArgument) or reader.memory.get(memory) not in reader.flat.rows:
            return None
        rank = len(reader.arrays[reader.memory[memory]].shape)
        return f"a{memory.arg_number}_{rank}"  # the length is as one extent more

    def _long_enough(self, known: Sequence[Cond], named: Sequence[Cond]) -> Iterator[Assumption]:
        """The conditions under which flat memory is read in rows; conditions `known` are `named` by position."""
        rows = {Cond(affine(form)) for rows in self.reader.flat.rows.values() for form in rows.assumed}
        for cond, name in zip(known, named, strict=True):
            if cond in rows:
                yield Assumption("sizes", polynomial(name.form).at_least_zero)

    def _clamped(self, array: Array) -> Array:
        """The array with the rule of its allocation for negative sizes."""
        owner = self.reader.values[array.name].owner if array.kind == "local" else None
        return replace(array, clamped=True) if owner is not None and CLAMPED in owner.operation.attributes else array


def _loops_around(value: Any) -> int:
    depth, parent = 0, value.owner.parent if hasattr(value.owner, "parent") else None
    while parent is not None and parent.operation.name != "func.func":
        depth += parent.operation.name.endswith((".for", ".parallel"))
        parent = parent.operation.parent
    return depth
