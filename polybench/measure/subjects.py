"""The subject of a task: a kernel of PolyBench, or a function in a file of the user's, with inputs to call it on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from raising.frontend import c, python
from raising.frontend.c import COptions, SourceModule
from raising.frontend.mlir.reader import Function, Source, parse
from raising.frontend.mlir.variables import argument_symbols
from raising.native.base.read_signature import signature_of
from raising.native.base.signature import UNBOUNDED, Parameter, number_of
from raising.native.base.unsupported import CompileError
from raising.native.call.arguments import dtype_of
from raising.polybench.measure.kernel_work import Work, work
from raising.polybench.peers import Subject
from raising.polybench.records.task import Task
from raising.polybench.suite.kernel import kernels
from raising.polybench.suite.values import Value
from raising.support.errors import InputError
from raising.support.files import read_file
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.support.streams import reason

SEED = 1


LANGUAGES: dict[str, Callable[[str, str, str | None, tuple[str, ...]], SourceModule]] = {
    ".c": lambda text, file, function, macros: c.convert(text, file, COptions(defines=macros, function=function)),
    ".py": lambda text, file, function, _: python.convert(text, file, function),
}
"""What reads files that are no MLIR, by how their names end."""


@dataclass(frozen=True)
class Read:
    """The subject of a task and what is known of its loops; `work` is None where it cannot be counted."""

    subject: Subject
    text: str
    work: Work | None


def read(task: Task) -> Read:
    """The task's function, as affine MLIR and with inputs; `InputError` if it cannot be read or called."""
    return _kernel(task) if task.kernel else _own(task)


def functions(path: Path) -> list[str]:
    """The names of the functions of a file that can be read; `InputError` if the file cannot."""
    text = _text(path)
    if path.suffix in LANGUAGES:
        return [f.name for f in LANGUAGES[path.suffix](text, str(path), None, ()).functions]
    return [f.name for f in parse(text, str(path)).functions]


def _text(path: Path) -> str:
    try:
        return read_file(path).decode()
    except OSError as error:
        raise InputError(Loc(str(path)), f"cannot be read: {reason(error)}") from None
    except UnicodeDecodeError:
        raise InputError(Loc(str(path)), "not text in UTF-8") from None


def _kernel(task: Task) -> Read:
    kernel = kernels()[task.kernel]
    defines = kernel.defines(task.dataset, task.dtype)
    mlir = _affine(Path("polybench/kernels") / kernel.path.name, kernel.source, defines, kernel.function)
    values = kernel.inputs(task.dataset, task.dtype, SEED)
    subject = Subject(task.name, kernel.name, kernel.path, kernel.function, defines, mlir, values, kernel.live_out)
    return Read(subject, kernel.source, _work(_function(parse(mlir), kernel.function)))


def _own(task: Task) -> Read:
    path = Path(task.file)
    text = _text(path)
    mlir = _affine(path, text, {}, task.function) if path.suffix in LANGUAGES else text
    source = parse(mlir, task.file)  # held, because its functions live in it
    function = _function(source, task.function)
    if symbols := argument_symbols(function.op):
        why = f"function '{task.function}' uses variable '{next(iter(symbols.values()))}': only arguments are measured"
        raise InputError(function.loc, why)
    values = _values(function, task.extent)
    outputs = tuple(name for name, value in values.items() if isinstance(value, np.ndarray))
    subject = Subject(task.name, "", path, task.function, {}, mlir, values, outputs)
    return Read(subject, text, _work(function))


def _affine(path: Path, text: str, defines: Mapping[str, str], function: str) -> str:
    macros = tuple(f"{name}={value}" for name, value in defines.items())
    module = LANGUAGES[path.suffix](text, str(path), function, macros)
    if module.refused:
        raise InputError(module.refused[0].place, module.refused[0].reason)
    return module.mlir


def _function(source: Source, name: str) -> Function:
    (found,) = (f for f in source.functions if f.name == name)
    return found


def _work(function: Function) -> Work | None:
    try:
        return work(function)
    except ValueError:
        return None


def _values(function: Function, extent: int) -> dict[str, Value]:
    """Random inputs for a function's own parameters: floats in 0.5 .. 1.5, integers in 0 .. 9, sizes as told."""
    random = np.random.default_rng(SEED)
    try:
        with function.op.context:
            parameters = signature_of(function.op).parameters
        texts = [e for p in parameters for e in p.shape or () if isinstance(e, str)]
        sizes = {p.name: extent for p in parameters if p.shape is None and _is_size(p, texts)}
        return {p.name: _value(p, sizes, extent, random) for p in parameters}
    except CompileError as error:
        raise InputError(function.loc, str(error)) from None


def _is_size(parameter: Parameter, extents: list[str]) -> bool:
    return parameter.element == "index" or any(parameter.name in re.findall(r"\w+", text) for text in extents)


def _value(parameter: Parameter, sizes: Mapping[str, int], extent: int, random: np.random.Generator) -> Value:
    dtype = dtype_of(parameter.element)
    if parameter.name in sizes:
        size: Value = dtype.type(sizes[parameter.name])
        return size
    shape = tuple(_size(e, sizes, extent) for e in parameter.shape or ())
    draw = random.uniform(0.5, 1.5, shape) if dtype.kind == "f" else random.integers(0, 10, shape)
    values: Value = np.asarray(draw, dtype)[() if parameter.shape is None else ...]
    return values


def _size(text: int | str | None, sizes: Mapping[str, int], extent: int) -> int:
    if not isinstance(text, str):
        return extent if text is None else text
    return extent if text == UNBOUNDED else number_of(text, sizes)
