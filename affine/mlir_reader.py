"""Reads a module: which parts of each function are loop nests, and what they compute.

A function's top-level operations become items: `nest` (read as a program),
`plain` (allocations, constants, index arithmetic: nothing is in their way),
`barrier` (touches memory or control in a way we keep in order), `refused`
(loops that stay as they are, with the reason).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from mlir import ir

from affine.mlir_forms import Refusal, location
from affine.mlir_nest import NestReader
from affine.mlir_ops import read_op
from affine.program import Load, Loc, Node, Program, walk


class InputError(Exception):
    """The input cannot be read at all: it does not parse or verify."""

    def __init__(self, loc: Loc, message: str):
        super().__init__(f"{loc}: error: {message}")
        self.loc = loc
        self.message = message


@dataclass(frozen=True)
class Item:
    """One top-level operation of a function; `cells` are (memory, result) of values that a loop yields."""

    kind: str
    position: int
    loc: Loc
    nodes: tuple[Node, ...] = ()
    reason: str = ""
    cells: tuple[tuple[str, Any], ...] = ()


@dataclass
class Function:
    """A function as items, with the meaning of every name the items use."""

    name: str
    loc: Loc
    op: Any
    reader: NestReader
    items: list[Item] = field(default_factory=list)

    def operations(self) -> list[Any]:
        """The top-level operations, in order."""
        return [op.operation for op in self.op.regions[0].blocks[0].operations]


@dataclass
class Source:
    """A parsed module; the context must be entered to change it."""

    context: Any
    module: Any
    functions: list[Function]
    remarks: list[tuple[Loc, str]]


def parse(text: str | bytes, file: str = "-") -> Source:
    """Parse and verify MLIR text (or bytecode); `InputError` with the place if it is not valid."""
    context = ir.Context()
    context.enable_multithreading(False)
    with context:
        module = _module(text, file)
        source = Source(context, module, [], [])
        for op in module.body.operations:
            _function(source, op.operation, file)
        return source


def _module(text: str | bytes, file: str) -> Any:
    # An anonymous buffer has no name: a location attribute cannot be set for it, so `_renamed` does it later.
    try:
        return ir.Module.parse(text)
    except ir.MLIRError as error:
        for diagnostic in error.error_diagnostics:
            loc = diagnostic.location
            place = Loc(file, loc.start_line, loc.start_col) if loc.is_a_file() else Loc(file)
            raise InputError(place, diagnostic.message) from None
        raise InputError(Loc(file), "not a valid MLIR module") from None
    except UnicodeDecodeError:
        raise InputError(Loc(file), "not text in UTF-8") from None


def _function(source: Source, op: Any, file: str) -> None:
    if op.name != "func.func":
        return
    name = ir.StringAttr(op.attributes["sym_name"]).value
    blocks = list(op.regions[0].blocks)
    if not blocks:
        return
    if len(blocks) > 1:
        source.remarks.append((location(op), f"function '{name}' has unstructured control flow"))
        return
    function = Function(name, location(op), op, NestReader())
    for argument in blocks[0].arguments:
        _bind_argument(function.reader, argument)
    for position, inner in enumerate(blocks[0].operations):
        function.items.append(_item(function.reader, inner.operation, position))
    source.functions.append(function)


def _bind_argument(reader: NestReader, value: Any) -> None:
    if isinstance(value.type, ir.MemRefType):
        reader.bind_array(value, "argument")
    else:
        reader.bind_scalar(value)


_LOOPS = ("affine.for", "affine.parallel", "affine.if", "scf.for", "scf.if")
_SILENT = ("memref.load", "memref.store", "affine.load", "affine.store", "memref.dealloc", "func.return")
_PLAIN = ("arith.", "math.", "memref.alloc", "memref.dim", "affine.apply", "affine.min", "affine.max")


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
    _bind_results(reader, op)
    looping = len(op.regions) > 0 and not op.name.startswith("linalg.")
    reason = "it is not a static-control loop (" + op.name + ")" if looping else ""
    return Item("refused" if looping else "barrier", position, loc, reason=reason)


def _nest(reader: NestReader, op: Any, position: int) -> Item:
    try:
        nodes = reader.collected(lambda: read_op(reader, op))
    except Refusal as refusal:
        reader.depth = 0
        _bind_results(reader, op)
        return Item("refused", position, refusal.loc, reason=refusal.reason)
    loads = [n for n in nodes if isinstance(n, Load)]
    cells = tuple((n.array, r) for r in op.results for n in loads if n.dst == reader.data[r])
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
        if not isinstance(result.type, ir.MemRefType):
            reader.bind_scalar(result)


# ---- segments ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Segment:
    """A run of nests with nothing between them that minds their order, as one program."""

    program: Program
    positions: tuple[int, ...]
    cells: tuple[tuple[str, Any], ...]
    undefined: frozenset[str]


def segments(function: Function, kept: frozenset[int] = frozenset()) -> list[Segment]:
    """Maximal runs of nests; the nests at the positions `kept` end a run and stay loops."""
    runs: list[list[Item]] = [[]]
    operations = function.operations()
    for item in function.items:
        if item.kind == "nest" and item.position not in kept:
            runs[-1].append(item)
        elif runs[-1] and (item.kind != "plain" or _uses_results(operations[item.position], runs[-1])):
            runs.append([])
    return [_segment(function, run) for run in runs if run]


def _uses_results(op: Any, run: list[Item]) -> bool:
    """True if an operation takes a value that a loop of the run yields."""
    results = [result for item in run for _, result in item.cells]
    return any(operand == result for operand in op.operands for result in results)


def _segment(function: Function, run: list[Item]) -> Segment:
    reader = function.reader
    nodes = tuple(n for item in run for n in item.nodes)
    used = {n.array for n in walk(nodes) if hasattr(n, "array")}
    arrays = {name: reader.arrays[name] for name in sorted(used)}
    positions = tuple(item.position for item in run)
    cells = tuple(c for item in run for c in item.cells)
    live = {name for name in used if _escapes(function, name, positions)}
    live |= {cell for cell, result in cells if _used_outside(function, result, positions)}
    undefined = frozenset(n for n in used if _undefined_before(function, n, positions[0]))
    sizes = {n for a in arrays.values() for form in a.shape for n in form.names()}
    index_names = {f.terms[0][0] for f in reader.index.values() if hasattr(f, "terms") and len(f.terms) == 1}
    sizes |= {str(n) for n in index_names if n in reader.values or str(n) in sizes}
    program = Program(function.name, arrays, reader.scalars, nodes, frozenset(live), tuple(sorted(sizes)))
    return Segment(program, positions, cells, undefined)


def _escapes(function: Function, name: str, positions: tuple[int, ...]) -> bool:
    array = function.reader.arrays[name]
    if array.kind != "local":
        return array.kind == "argument"
    return _used_outside(function, function.reader.values[name], positions)


def _top_positions(function: Function, value: Any) -> list[tuple[int, str]]:
    """(position of the top-level operation, name of the using operation) of every use of a value."""
    tops = function.operations()
    found = []
    for use in value.uses:
        user = use.owner.operation if hasattr(use.owner, "operation") else use.owner
        top = user
        while top.parent is not None and top.parent.operation != function.op:
            top = top.parent.operation
        found.append((tops.index(top), user.name))
    return found


def _used_outside(function: Function, value: Any, positions: tuple[int, ...]) -> bool:
    return any(p not in positions and user != "memref.dealloc" for p, user in _top_positions(function, value))


def _undefined_before(function: Function, name: str, position: int) -> bool:
    kind = function.reader.arrays[name].kind
    if kind != "local":
        return kind == "scalar"
    return all(p >= position for p, _ in _top_positions(function, function.reader.values[name]))
