"""The speed of a function of the file beside what the C compiler makes of it, at sizes that the page asks for.

Both get the same arrays, as long as the function's accesses need at these sizes, and what they leave there is
compared. This runs code of the file: in a child process with a time limit only.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import islpy as isl
import numpy as np
from numpy.typing import NDArray

from raising.explore.study import Question, program_of
from raising.native.base.signature import INTEGERS, UNBOUNDED, Parameter, Signature, number_of
from raising.native.base.unsupported import CallError, CompileError
from raising.native.call.accessed_elements import size_name
from raising.native.call.arguments import dtype_for, result_ctype, scalar_ctype
from raising.support.errors import InputError

FLAGS = ("-O3", "-march=native")
_LOOSE = ("-ffast-math",)
_SAMPLES, _LEAST = 7, 0.02  # samples, and seconds of one of them
MOST_BYTES = 1 << 29  # of all arrays


class CannotMeasure(Exception):
    """Why a function is not run."""


def measured(question: Question, name: str, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Medians in seconds of one call of a function at these values of its integer parameters; or the `reason`."""
    try:
        return _measured(question, name, sizes)
    except (CannotMeasure, CompileError, CallError, InputError, MemoryError) as error:
        return {"reason": " ".join(str(error).split()) or "there is not enough memory"}


def _measured(question: Question, name: str, sizes: Mapping[str, int]) -> dict[str, Any]:
    from raising.compile_module import compile_module

    program = program_of(question, time.monotonic() + question.timeout)
    if program.error or program.compiled is None:
        raise CannotMeasure(program.error)
    compiled = compile_module(program.compiled.text, file=question.file, fp=question.fp)
    if name not in compiled.functions:
        raise CannotMeasure(f"there is no function '{name}' that was read whole")
    ours = compiled.functions[name]
    arguments = _arguments(ours.signature, sizes)
    with tempfile.TemporaryDirectory() as folder:
        theirs, command = _gcc(question, ours.signature, Path(folder))
        both = [[a.copy() if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2)]
        returned = ours(*both[0]), theirs(both[1])
        found: dict[str, Any] = {"agree": _difference(both[0], both[1], *returned), "command": command}
        found["ours"] = _seconds(lambda: ours(*both[0]))
        found["gcc"] = _seconds(lambda: theirs(both[1]))
    return {**found, "sizes": dict(sizes)}


def integers(signature: Signature) -> list[str]:
    """The parameters that are sizes, or may be."""
    return [p.name for p in signature.parameters if p.shape is None and p.element in INTEGERS]


# ---- arguments -----------------------------------------------------------------------------------


def _arguments(signature: Signature, sizes: Mapping[str, int]) -> list[Any]:
    """Numbers and arrays to call a function with; CannotMeasure if it is not known how long these have to be."""
    needs = signature.needs
    if signature.in_records or signature.variables:
        raise CannotMeasure("it takes structs, or uses variables of the file")
    if needs is not None and (needs.unknown or needs.positions):
        raise CannotMeasure(f"which elements it accesses depends on data {needs.unknown}".strip())
    missing = [name for name in integers(signature) if name not in sizes]
    if missing:
        raise CannotMeasure(f"no value was given for {', '.join(missing)}")
    accessed = _accessed(signature, sizes)
    shapes = [_shape(p, accessed.get(k), sizes) for k, p in enumerate(signature.parameters)]
    total = sum(int(np.prod(s)) * p.item_bytes for s, p in zip(shapes, signature.parameters, strict=True) if s)
    if total > MOST_BYTES:
        raise CannotMeasure(f"its arrays would take {total >> 20} MiB, more than {MOST_BYTES >> 20}")
    dice = np.random.default_rng(1)
    return [
        _values(dice, p, shape) if shape is not None else sizes[p.name] if p.element in INTEGERS else 1.25
        for p, shape in zip(signature.parameters, shapes, strict=True)
    ]


def _accessed(signature: Signature, sizes: Mapping[str, int]) -> dict[int, tuple[int, ...]]:
    """How far each array is accessed along each dimension, if that depends on nothing but integers."""
    needs, found = signature.needs, {}
    for needed in needs.arrays if needs else ():
        elements = isl.Set(needed.set)
        for number, dim in needs.sizes if needs else ():
            at = elements.find_dim_by_name(isl.dim_type.param, size_name(number, dim))
            if at >= 0 and dim is None:
                value = sizes[signature.parameters[number].name]
                elements = elements.fix_val(isl.dim_type.param, at, isl.Val(value))
        elements = elements.project_out(isl.dim_type.param, 0, elements.dim(isl.dim_type.param))
        rank = elements.dim(isl.dim_type.set)
        bounds = [None if elements.is_empty() else elements.dim_max_val(d) for d in range(rank)]
        found[needed.number] = tuple(0 if b is None else b.to_python() + 1 if b.is_int() else -1 for b in bounds)
    return found


def _shape(parameter: Parameter, accessed: Sequence[int] | None, sizes: Mapping[str, int]) -> tuple[int, ...] | None:
    if parameter.shape is None:
        return None
    shape = []
    for dim, extent in enumerate(parameter.shape):
        if isinstance(extent, int):
            shape.append(extent)
        elif extent in (None, UNBOUNDED):
            if accessed is None or accessed[dim] < 0:
                raise CannotMeasure(f"it is not known how long '{parameter.name}' has to be")
            shape.append(max(accessed[dim], 1))
        else:
            shape.append(max(0, number_of(str(extent), sizes)))
    return tuple(shape)


def _values(dice: Any, parameter: Parameter, shape: tuple[int, ...]) -> NDArray[Any]:
    kind = dtype_for(parameter)
    if kind.kind == "f":
        array: NDArray[Any] = (dice.random(shape) + 0.5).astype(kind)
    else:
        array = dice.integers(0, 2 if kind.kind == "b" else 10, shape).astype(kind)
    return array


# ---- the C compiler's ----------------------------------------------------------------------------


def _gcc(question: Question, signature: Signature, folder: Path) -> tuple[Callable[[Sequence[Any]], Any], str]:
    """The function as the C compiler makes it, and the command."""
    compiler = next((path for name in ("gcc", "cc") if (path := shutil.which(name))), None)
    if compiler is None:
        raise CannotMeasure("there is no gcc to compare with")
    source, library = folder / "kernel.c", folder / "kernel.so"
    source.write_text(question.text)
    here = str(Path(question.file).resolve().parent)
    flags = [*FLAGS, *(() if question.fp == "strict" else _LOOSE), *question.flags]
    command = [compiler, *flags, f"-I{here}", "-shared", "-fPIC", "-w", "-o", str(library), str(source), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        said = re.sub(r"\s+", " ", done.stderr.replace(str(source), question.file))
        raise CannotMeasure(f"gcc cannot compile it: {said[:300]}")
    try:
        function = ctypes.CDLL(str(library))[signature.name]
    except AttributeError:
        raise CannotMeasure(f"'{signature.name}' is not seen outside of the file in gcc's code") from None
    parameters = signature.parameters
    kinds = [ctypes.c_void_p if p.shape is not None else scalar_ctype(p.element) for p in parameters]
    function.restype = result_ctype(signature)
    function.argtypes = kinds

    def call(arguments: Sequence[Any]) -> Any:
        return function(*(a.ctypes.data if isinstance(a, np.ndarray) else a for a in arguments))

    return call, " ".join([Path(compiler).name, *flags])


def _seconds(call: Callable[[], Any]) -> dict[str, float]:
    """The median, the least and the greatest of some samples; each is of as many calls as take long enough."""
    times, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < _LEAST:
        call()
        times += 1
    found = []
    for _ in range(_SAMPLES):
        begun = time.perf_counter()
        for _ in range(times):
            call()
        found.append((time.perf_counter() - begun) / times)
    return {"median": median(found), "least": min(found), "most": max(found)}


def _difference(ours: Sequence[Any], theirs: Sequence[Any], one: Any, other: Any) -> float | None:
    """The greatest difference of two calls' results, relative to the greatest value; None if one is no number."""
    worst = 0.0
    pairs = [pair for pair in zip(ours, theirs, strict=True) if isinstance(pair[0], np.ndarray)]
    if one is not None and other is not None:
        pairs.append((np.asarray(one), np.asarray(other)))
    for a, b in pairs:
        if np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            continue
        x, y = a.astype(float), b.astype(float)
        gap = float(np.max(np.abs(x - y)) / (np.max(np.abs(y)) or 1.0))
        if not np.isfinite(gap):
            return None
        worst = max(worst, gap)
    return worst
