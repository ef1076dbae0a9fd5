"""Run what was written for NumPy or JAX, and say where it differs from C."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from raising.polybench.suite.values import Value
from raising.readable.to_source import Source


def results(source: Source, function: str, arguments: Sequence[Value], language: str) -> list[Any]:
    """The final values of the arguments, then what is returned."""
    space: dict[str, Any] = {}
    exec(compile(source.text, function, "exec"), space)  # the text that is tested
    called = space[function]
    if language == "numpy":
        given = [a.copy() for a in arguments]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # integers that wrap around, as they do in C
            returned = called(*given)
        return [*given, *([] if returned is None else [returned])]
    given = [a if isinstance(a, np.ndarray) or a.dtype.kind != "i" else int(a) for a in arguments]
    jax_given = [space["jnp"].asarray(a) if isinstance(a, np.ndarray) else a for a in given]
    returned = called(*jax_given)
    outputs = [] if returned is None else list(returned) if isinstance(returned, tuple) else [returned]
    written = source.written[function]
    names = list(inspect.signature(called).parameters)
    for name, value in zip(written, outputs, strict=False):
        jax_given[names.index(name)] = value
    return [*jax_given, *outputs[len(written) :]]


def difference(want: Sequence[Any], got: Sequence[Any]) -> str:
    """The first value that differs by more than rounding; empty if none does."""
    if len(want) != len(got):
        return f"{len(got)} values, not {len(want)}"
    for place, (a, b) in enumerate(zip(map(np.asarray, want), map(np.asarray, got), strict=True)):
        b = b.astype(a.dtype).reshape(a.shape)
        exact = a.dtype.kind != "f"
        accuracy = 0.0 if exact else 1e-9 if a.itemsize == 8 else 1e-4
        if not np.allclose(a, b, rtol=accuracy, atol=accuracy, equal_nan=True):
            return f"value {place}: {b.ravel()[:4]}, not {a.ravel()[:4]}"
    return ""


def shaped(arguments: Sequence[Value], shapes: Sequence[Sequence[int] | None]) -> list[Value]:
    """Arrays in the shapes that the function has for them; -1 is open."""
    found = []
    for value, shape in zip(arguments, shapes, strict=True):
        fits = shape is None or (
            len(shape) == value.ndim and all(s in (-1, n) for s, n in zip(shape, value.shape, strict=True))
        )
        found.append(value if fits or shape is None else value.reshape(shape))
    return found


def memory_shapes(text: str, function: str) -> list[list[int] | None]:
    """The shapes of the arguments of a function; None for numbers."""
    from mlir import ir

    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        op = next(o for o in module.body.operations if str(o.attributes["sym_name"]) == f'"{function}"')
        kinds = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value).inputs
        return [
            [-1 if k.is_dynamic_dim(d) else k.get_dim_size(d) for d in range(k.rank)]
            if isinstance(k, ir.ShapedType)
            else None
            for k in kinds
        ]
