"""What a task is about: a kernel of PolyBench, or a function in a file of the user's, with inputs to call it on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from affine.c import COptions, convert
from affine.errors import InputError
from affine.mlir_reader import Function, Source, parse
from polybench.kernel import kernels
from polybench.peers import Subject
from polybench.task import Task
from polybench.values import NUMPY, Value
from polybench.work import Work, work

SEED = 1


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
    text = path.read_text()
    if path.suffix == ".c":
        return [f.name for f in convert(text, str(path), COptions()).functions]
    return [f.name for f in parse(text, str(path)).functions]


def _kernel(task: Task) -> Read:
    kernel = kernels()[task.kernel]
    defines = kernel.defines(task.dataset, task.dtype)
    mlir = _affine(kernel.path.name, kernel.source, defines, kernel.function)
    values = kernel.inputs(task.dataset, task.dtype, SEED)
    subject = Subject(task.name, kernel.name, kernel.path, kernel.function, defines, mlir, values, kernel.live_out)
    return Read(subject, kernel.source, _work(_function(parse(mlir), kernel.function)))


def _own(task: Task) -> Read:
    path = Path(task.file)
    text = path.read_text()
    mlir = _affine(str(path), text, {}, task.function) if path.suffix == ".c" else text
    source = parse(mlir, task.file)  # held, because its functions live in it
    function = _function(source, task.function)
    values = _values(function, task.extent)
    outputs = tuple(name for name, value in values.items() if isinstance(value, np.ndarray))
    subject = Subject(task.name, "", path, task.function, {}, mlir, values, outputs)
    return Read(subject, text, _work(function))


def _affine(file: str, text: str, defines: Mapping[str, str], function: str) -> str:
    macros = tuple(f"{name}={value}" for name, value in defines.items())
    module = convert(text, file, COptions(defines=macros, function=function))
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
    """Random inputs for a function's own types: floats in 0.5 .. 1.5, integers in 0 .. 9, open sizes as told."""
    random = np.random.default_rng(SEED)
    found: dict[str, Value] = {}
    with function.op.context:
        for k, argument in enumerate(function.block.arguments):
            found[f"arg{k}"] = _value(function, argument.type, random, extent)
    return found


def _value(function: Function, kind: Any, random: np.random.Generator, extent: int) -> Value:
    from mlir import ir

    if isinstance(kind, ir.MemRefType):
        if kind.layout != ir.AffineMapAttr.get(ir.AffineMap.get_identity(kind.rank)):
            raise InputError(function.loc, f"function '{function.name}' takes memory with a layout")
        dynamic = ir.ShapedType.get_dynamic_size()
        shape = tuple(extent if size == dynamic else size for size in kind.shape)
        array: Value = _random(function, str(kind.element_type), shape, random)
        return array
    if str(kind) == "index":
        return np.int64(extent)
    scalar: Value = _random(function, str(kind), (), random)[()]
    return scalar


def _random(function: Function, element: str, shape: tuple[int, ...], random: np.random.Generator) -> Any:
    dtype = {**NUMPY, "i64": np.int64, "i16": np.int16}.get(element)
    if dtype is None:
        raise InputError(function.loc, f"function '{function.name}' takes values of type {element}")
    values = random.uniform(0.5, 1.5, shape) if element[0] == "f" else random.integers(0, 10, shape)
    return np.asarray(values, dtype)
