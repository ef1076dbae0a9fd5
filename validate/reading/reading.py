"""One function as a loop program: loops as they are, tensors through bufferization and affine loops.

Whatever a module is written in, its function ends as one `raising.affine.ir.program.Program`: a dialect of tensors goes
through its own lowering (`grammar/targets`), tensors through one-shot bufferization, structured operations to affine
loops, and the loops through the reader that `raise` starts from. So nothing here knows an operation of a target, and
the compared program is the one that would run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import field, replace
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.c_parameters import declared_places, declared_rows, declared_truths
from raising.affine.ir.program import Program
from raising.frontend.mlir.attributes import Refusal, location
from raising.frontend.mlir.loop_nest import NestReader
from raising.frontend.mlir.ops import read_op
from raising.frontend.mlir.reader import InputError, Source, parse
from raising.frontend.mlir.variables import argument_symbols, variables
from raising.support.mlir.inline import inline_calls, keep_only
from raising.support.mlir.walk import symbol_name
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.validate.base.assumption import Assumption
from raising.validate.base.unreadable import Unreadable
from raising.validate.reading.bufferised import hide_constants, is_structured, lower
from raising.validate.reading.function_body import FunctionBody, SlotType, slot
from raising.validate.reading.index_arithmetic import NamedSizes
from raising.validate.reading.memory_use import Extent, Promise, cast_extents, check_lifetimes, promises
from raising.validate.reading.upstream_text import left_over, upstream_texts

ReadOp = Callable[[NestReader, Any], None]


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
    of one dimension that is read in rows, with the inner extents. `places` say where C passes each argument.
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
    places: tuple[str, ...] = ()


def read_side(
    text: str | bytes, function: str | None, file: str, read: ReadOp = read_op, computed: bool = False
) -> Side:
    """The function of that name (or the only one); `InputError` or `Unreadable` if there is none to read.

    `read` reads an operation. Sizes that are `computed` of others in front of the loops are refused, or sizes of their
    own.
    """
    for module in upstream_texts(text, function, file):
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
        raise left_over(str(module), text, error, file) from None


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
    places = declared_places(op, len(types))
    variables_of_module = _variables(module, op)
    check_lifetimes(op)
    extents, promised = cast_extents(op), promises(op)
    constants: list[Any] = []
    tied: tuple[Assumption, ...] = ()
    if is_structured(module):
        constants = hide_constants(module, op)
        tied = lower(module, location(op))
        op = function_of(module, name, "-")
    slots, result_slots = tuple(map(slot, types)), tuple(map(slot, results))
    body = FunctionBody(op, constants, named)
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
        places=places,
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
