"""Our own programs: what was raised, compiled by the back end that goes with its dialect; and the loops as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from raising.compile_module import compile_module, rehearse
from raising.emit.tensor_abi import written_arguments
from raising.frontend.mlir.reader import parse
from raising.native.base.compile_options import CompileOptions
from raising.native.base.unsupported import CallError, CompileError
from raising.native.call.compiled import CompiledFunction
from raising.native.call.xla import XlaFunction
from raising.native.compile import build
from raising.polybench.peers import Subject
from raising.polybench.peers.timing import OnXla, Program, functional, in_place
from raising.polybench.report.summary import OURS
from raising.polybench.suite.values import Array
from raising.support.errors import InputError

BACKENDS = {"linalg": "mlir", "stablehlo": "xla"}
"""The back end for each target: code of our own for linalg, XLA for StableHLO."""
LOOPS = "loops"
"""The loops as they are, compiled by the same back end."""
ASSEMBLY_LINES = 400


class NotCompiled(Exception):
    """A text that its back end refuses; the message is one line."""


def name_of(target: str) -> str:
    """What the program raised to a target is called."""
    return f"{OURS}{BACKENDS.get(target, 'mlir')}"


def compiled(text: str, subject: Subject, target: str, threads: int) -> tuple[Program, str]:
    """A raised text as a program, and what it is."""
    backend = BACKENDS.get(target, "mlir")
    if backend == "xla" and f"{target}." not in text:
        raise NotCompiled(f"no loop was raised to {target}")
    function = _native(text, subject.function, backend, threads)
    device = f" on {function.device}" if isinstance(function, XlaFunction) else ""
    told = f"raise --target {target}, back end {backend}{device}"
    if not function.signature.returns and not any(p.result for p in function.signature.parameters):
        given = subject.values.values()
        program = in_place(function, subject.values, subject.outputs)
        return replace(program, rehearse=lambda limit: rehearse(function, *given, timeout=limit)), told
    names = returned_names(subject)
    form = OnXla(text, lambda results: {**_arrays(subject), **dict(zip(names, results, strict=True))})
    values: list[Any] = list(subject.values.values())
    if isinstance(function, XlaFunction):
        return replace(functional(on_device(function, values, form.named), subject.outputs), on_xla=form), told

    def call() -> Mapping[str, Array]:
        found = function(*values)
        return form.named(found if isinstance(found, tuple) else (found,))

    return functional(call, subject.outputs), told


def on_device(
    function: XlaFunction, values: Iterable[Any], named: Callable[[Sequence[Any]], Mapping[str, Any]]
) -> Callable[[], Mapping[str, Any]]:
    """A call whose arguments and results are on the device, as JAX has them by hand."""
    placed = function.place(*values)

    def call() -> Mapping[str, Any]:
        found = function.on_device(*placed)
        for result in found:
            result.block_until_ready()
        return named(found)

    return call


def loops(subject: Subject) -> CompiledFunction:
    """The loops of a subject, compiled with every operation in its own order."""
    return _native(subject.mlir, subject.function, "mlir", 1, fp="strict")


def assembly(text: str, target: str, threads: int) -> str:
    """The beginning of the assembly of a raised text; empty where the back end keeps it to itself."""
    if BACKENDS.get(target, "mlir") != "mlir":
        return ""
    code = build(text.encode(), "-", CompileOptions(threads=threads)).code
    lines = [line for line in code.assembly.splitlines() if line.strip() and not line.lstrip().startswith(".")]
    more = [f"... {len(lines) - ASSEMBLY_LINES} more lines"] if len(lines) > ASSEMBLY_LINES else []
    return "\n".join([*lines[:ASSEMBLY_LINES], *more])


def _native(text: str, function: str, backend: str, threads: int, **settings: Any) -> CompiledFunction:
    try:
        return compile_module(text, backend=backend, threads=threads, **settings)[function]
    except (CompileError, CallError, InputError) as error:
        raise NotCompiled(" ".join(str(error).split())) from None


def returned_names(subject: Subject) -> list[str]:
    """The names of what a function on tensors returns: the arrays that the loops write, in order."""
    source = parse(subject.mlir)  # held, because its functions live in it
    (function,) = (f for f in source.functions if f.name == subject.function)
    names = list(subject.values)
    return [names[k] for k in written_arguments(function)]


def _arrays(subject: Subject) -> dict[str, Array]:
    return {name: value for name, value in subject.values.items() if isinstance(value, np.ndarray)}
