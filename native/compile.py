"""The whole way from a module's text to machine code, in one function: `build`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from mlir import ir

from raising.native.abi.c_entry import entries
from raising.native.abi.overlap_fallback import Fallbacks, lowered, take_fallbacks
from raising.native.abi.workspace import Temporary, to_workspace
from raising.native.base.compile_options import CompileOptions
from raising.native.base.effects import may_write
from raising.native.base.signature import Signature
from raising.native.base.target import ALIGNMENT, Target, llvm, target_for
from raising.native.base.unsupported import CompileError
from raising.native.blas.blas import call_blas
from raising.native.blas.library import find_blas
from raising.native.bufferize.bool_bytes import to_bytes
from raising.native.bufferize.bufferize import bufferize
from raising.native.bufferize.destination_passing import SUFFIX, to_destinations
from raising.native.call.autotune import measured_choice
from raising.native.codegen import debug_lines
from raising.native.codegen.lower import llvm_text, to_llvm, to_loops
from raising.native.codegen.objects import Code
from raising.native.input.read_module import check_names, new_context, read, run, set_fastmath
from raising.native.input.variable_symbols import Symbol, add_symbols, take_variables
from raising.native.intervals.choices_apart import choices_apart
from raising.native.intervals.diagonals import only_diagonals
from raising.native.intervals.interval_blocks import block_intervals
from raising.native.schedule import schedule
from raising.native.sequential.carried_products import fuse_carried_products
from raising.native.threads.outline import Task, outline, task_functions
from raising.native.threads.runtime import SYSTEM_CALLS
from raising.native.transforms.delayed_updates_blocks import delay_updates
from raising.native.transforms.extrema import write_extrema
from raising.native.transforms.join_loops import join_loops
from raising.native.transforms.left_looking_blocks import block_loops
from raising.native.transforms.rank_one_blocks import block_updates
from raising.native.vector_math.constant_powers import write_constant_powers
from raising.native.vector_math.expand import write_vector_math
from raising.support.mlir.permission import keeps_order
from raising.support.record import dataclass


def prepare() -> None:
    """Load what every build needs, in a process that builds in children."""
    llvm()
    for name in ("arith", "builtin", "func", "linalg", "math", "memref", "scf", "tensor", "vector"):
        import_module(f"mlir.dialects.{name}")


Functions = list[tuple[Signature, tuple[Temporary, ...]]]
"""The functions of a module, each with the temporaries that its entry gives it."""


@dataclass(frozen=True)
class Built:
    """A compiled module: its functions, the MLIR behind the code, the code, and libraries that it needs."""

    signatures: tuple[Signature, ...]
    target: Target
    mlir: str
    code: Code
    libraries: tuple[str, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    lines: tuple[tuple[int, ...], ...] = ()


def build(data: bytes, file: str, options: CompileOptions, *, workspace: bool = False, places: bool = False) -> Built:
    """Compile every public function of a module.

    With `workspace`, functions take memory for their temporaries, see `raising.native.abi.c_entry`. With `places`, the
    code has debug information for one thread, whose line numbers stand for the `lines` of the text that are built.

    It raises `raising.support.errors.InputError` for a text that is no valid module, and CompileError for one that
    cannot be compiled.
    """
    if options.backend == "xla":
        raise CompileError(f"{file}: error: the back end xla makes no file: use it from Python")
    target = target_for(options.cpu, options.threads, options.triple)
    context = new_context()
    with context, ir.Location.unknown():
        try:
            module, options = _read(data, file, context, options, places)
            symbols = take_variables(module)
            fallbacks = take_fallbacks(module)
            signatures = to_destinations(module)
            module = bufferize(module)
            signatures = tuple(_with_effects(module, s, fallbacks) for s in signatures)
            libraries = _write_kernels(module, target, options)
            names = [*(s.name for s in signatures), *(s.name for s in symbols)]
            _check_names((module, fallbacks), names, target)
            bodies = {s.name + SUFFIX for s in signatures}
            placed = debug_lines.place_kernels(module, bodies) if places else set()
            # Functions with affine.apply in them would not be inlined into a loop, nor their parallel loops seen.
            run(module, "lower-affine,inline,symbol-dce", "calls cannot be resolved")
            to_loops(module, slow_lookups=target.slow_lookups)
            to_bytes(module)
            functions = [(s, to_workspace(module, s, target.threads)) for s in signatures]
            tasks = _tasks(module, signatures) if target.threads > 1 else []
            text = str(module) + (str(fallbacks.module) if fallbacks else "")
            to_llvm(module, reassociate=options.fp != "strict", text=text)
            if fallbacks:
                _add(module, str(lowered(fallbacks)))
            add_symbols(module, symbols)
            _add_tasks(module, tasks, target.threads)
            _add_entries(module, functions, target, workspace=workspace)
            lines = debug_lines.number(module, bodies | placed) if places else ()
            code = Code(llvm_text(module), target, runtime=bool(tasks) and not workspace)
            return Built(signatures, target, text, code, libraries, symbols, lines)
        except CompileError as error:
            raise CompileError(_in_file(str(error), file)) from None


def _read(data: bytes, file: str, context: Any, options: CompileOptions, places: bool) -> tuple[Any, CompileOptions]:
    """The module, and the options with its own order of floats where they have none."""
    module = read(data, file, context)
    if places:
        debug_lines.mark(module)
    if not options.fp:
        strict = any(map(keeps_order, module.body.operations))
        options = replace(options, fp="strict" if strict else "reassoc")
    return module, options


def _in_blocks(module: Any, fp: str) -> None:
    """Run loops in blocks of iterations that leave products to other kernels."""
    choices_apart(module)
    only_diagonals(module)
    block_intervals(module, fp)
    block_loops(module, fp)
    block_updates(module)
    delay_updates(module, fp)


def _write_kernels(module: Any, target: Target, options: CompileOptions) -> tuple[str, ...]:
    """Put kernels and calls of BLAS in place of the operations of a module on memory; the libraries that it needs."""
    write_extrema(module, options.fp)
    _in_blocks(module, options.fp)
    run(module, "math-expand-ops{ops=fpowi,clampf}", "a power cannot be expanded")
    write_constant_powers(module, options.fp)
    libraries, kernels = _with_blas(module, target, options)
    set_fastmath(module, options.fp)
    join_loops(module, carrying=True)
    schedule(module, target, options.fp, kernels)
    join_loops(module)
    fuse_carried_products(module, target)
    write_vector_math(module, target, options.fp)
    return libraries


def _with_blas(module: Any, target: Target, options: CompileOptions) -> tuple[tuple[str, ...], frozenset[str]]:
    """Have BLAS do contractions, if that is wanted; the libraries that are needed then, and functions that were added.

    BLAS adds in an order of its own, so strict arithmetic leaves it out.
    """
    if options.backend not in ("blas", "auto") or options.fp == "strict":
        return (), frozenset()
    library = find_blas(options.blas_lib)
    choose = measured_choice(library, options, build) if options.backend == "auto" else _always
    called, kernels = call_blas(module, library, target, choose)
    return (library.path,) if called else (), kernels


def _check_names(code: tuple[Any, Fallbacks | None], names: Sequence[str], target: Target) -> None:
    """CompileError if a function or a variable has the name of what the module's code calls."""
    module, fallbacks = code
    modules = [module] if fallbacks is None else [module, fallbacks.module]
    check_names(modules, names, SYSTEM_CALLS if target.threads > 1 else ())


def _always(routine: str, element: str, sizes: tuple[int | None, ...]) -> bool:
    return True


def _in_file(message: str, file: str) -> str:
    return message if message.startswith(f"{file}:") else f"{file}: error: {message}"


def _with_effects(module: Any, signature: Signature, fallbacks: Fallbacks | None) -> Signature:
    """Mark the arrays that a call may change, and whether it tests where they are."""
    (body,) = (f for f in _functions(module) if _is_body_of(signature, f))
    fallback_writes = fallbacks.written.get(signature.name) if fallbacks else None
    writes = fallback_writes or (False,) * len(signature.memory)
    triples = zip(signature.memory, body.arguments, writes, strict=True)
    marked = [p if p.shape is None else replace(p, written=may_write(v) or also) for p, v, also in triples]
    parameters, variables = marked[: len(signature.parameters)], marked[len(signature.parameters) :]
    tested = fallback_writes is not None
    return replace(signature, parameters=tuple(parameters), variables=tuple(variables), tested=tested)


def _tasks(module: Any, signatures: tuple[Signature, ...]) -> list[Task]:
    bodies = [(s.name, f) for s in signatures for f in _functions(module) if _is_body_of(s, f)]
    return [task for name, body in bodies for task in outline(module, body, name)]


def _functions(module: Any) -> list[Any]:
    return [op for op in module.body.operations if op.operation.name == "func.func"]


def _is_body_of(signature: Signature, function: Any) -> bool:
    return bool(function.name.value == f"{signature.name}{SUFFIX}")


def _add_entries(module: Any, functions: Functions, target: Target, *, workspace: bool) -> None:
    """Add the functions that C sees, and keep the others from being seen."""
    internal = ir.Attribute.parse("#llvm.linkage<internal>")
    for function in _defined(module):
        function.attributes["linkage"] = internal
    for signature, temporaries in functions:
        _mark_arrays(module, signature.name + SUFFIX, _arguments(signature, temporaries), len(temporaries))
        for text in entries(signature, temporaries, workspace=workspace):
            _add(module, text)
    bits = target.vector_bits
    width = ir.Attribute.parse(f'[["min-legal-vector-width", "{bits}"], ["prefer-vector-width", "{bits}"]]')
    for function in _defined(module):
        own = list(function.attributes["passthrough"]) if "passthrough" in function.attributes else []
        function.attributes["passthrough"] = ir.ArrayAttr.get([*own, *width])


def _add_tasks(module: Any, tasks: list[Task], threads: int) -> None:
    """Add what calls the pool and what the pool calls."""
    for task in tasks:
        _mark_arrays(module, task.name, task.arguments)
        texts = task_functions(task, module, threads)
        for op in list(module.body.operations):
            if ir.StringAttr(op.attributes["sym_name"]).value == task.spawn:
                op.operation.erase()
        for text in texts:
            _add(module, text)


def _mark_arrays(module: Any, name: str, arguments: Sequence[tuple[int | None, bool]], temporaries: int = 0) -> None:
    """Say to LLVM which arrays of a function overlap no other, and that the last ones are aligned.

    `arguments` has the rank of each array, None for a scalar, and whether it overlaps no other.
    """
    (function,) = (f for f in _defined(module) if ir.StringAttr(f.attributes["sym_name"]).value == name)
    apart = {"llvm.noalias": ir.UnitAttr.get()}
    aligned = {**apart, "llvm.align": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), ALIGNMENT)}
    marks: list[dict[str, Any]] = []
    for k, (rank, alone) in enumerate(arguments):
        mark = aligned if len(arguments) - k <= temporaries else apart
        marks += [{}] if rank is None else [{}, mark if alone else {}, *[{}] * (1 + 2 * rank)]
    marks += [{}] * (len(function.regions[0].blocks[0].arguments) - len(marks))
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(mark) for mark in marks])


def _arguments(signature: Signature, temporaries: tuple[Temporary, ...]) -> list[tuple[int | None, bool]]:
    own = [None if p.shape is None else len(p.shape) for p in signature.memory]
    return [(rank, True) for rank in (*own, *(t.rank for t in temporaries))]


def _add(module: Any, text: str) -> None:
    """Add the operations of a module in text that this one does not have."""
    extra = ir.Module.parse(text)
    known = {op.attributes["sym_name"] for op in module.body.operations}
    for op in extra.body.operations:
        if op.attributes["sym_name"] not in known:
            op.operation.clone(ir.InsertionPoint(module.body))


def _defined(module: Any) -> list[Any]:
    functions = (op for op in module.body.operations if op.operation.name == "llvm.func")
    return [function for function in functions if function.regions[0].blocks]
