"""Reads MLIR texts for the tests, and runs what was read beside what MLIR runs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from raising.affine.ir.interpreter import Arithmetic, Machine, Memory
from raising.affine.ir.program import Program
from raising.frontend.mlir.reader import Function, parse
from raising.frontend.mlir.segments import Segment, segments
from tests.kernels.execute import Value, inputs, run

OPERATIONS: dict[str, Callable[..., Any]] = {
    "arith.addf": operator.add,
    "arith.subf": operator.sub,
    "arith.mulf": operator.mul,
    "arith.divf": operator.truediv,
    "arith.negf": operator.neg,
    "arith.addi": operator.add,
    "arith.maximumf": max,
    "math.exp": np.exp,
    "math.sqrt": np.sqrt,
    "math.absf": abs,
    "arith.index_cast": int,
    "arith.sitofp": float,
    "arith.select": lambda c, a, b: a if c else b,
}


KEPT: list[Function] = []
"""What segments point into."""


def function(body: str, arguments: str = "%x: memref<10xf64>, %y: memref<10xf64>") -> Function:
    """The only function of a module with this body."""
    return only_function(wrapped(body, arguments))


def only_function(text: str) -> Function:
    """The only function of a module, which it keeps alive."""
    source = parse(text, "t.mlir")
    (found,) = source.functions
    found.source = source  # type: ignore[attr-defined]
    return found


def whole(text: str) -> Segment:
    """The only segment of the only function of a module."""
    function = only_function(text)
    (found,) = segments(function)
    KEPT.append(function)
    return found


def wrapped(body: str, arguments: str) -> str:
    """A function around a body."""
    return f"func.func @f({arguments}) {{\n{body}\n  return\n}}\n"


def segment(body: str, arguments: str = "%x: memref<10xf64>, %y: memref<10xf64>") -> Segment:
    """The only segment of a function with this body."""
    return whole(wrapped(body, arguments))


def apply(op: str, args: Sequence[Any], attrs: tuple[tuple[str, str], ...]) -> Any:
    """One scalar operation on Python numbers."""
    if op in ("arith.cmpf", "arith.cmpi"):
        assert dict(attrs)["predicate"].split(":")[0].strip() == "2"  # ogt
        return args[0] > args[1]
    return OPERATIONS[op](*args)


PYTHON: Arithmetic[Any] = Arithmetic(lambda node, args: apply(node.op, args, node.attrs), lambda value, _: float(value))


def interpreted(
    program: Program, sizes: Mapping[str, int], values: Mapping[str, Any]
) -> dict[str, np.ndarray[Any, Any]]:
    """Run a program in Python; `values` are its arrays and scalars by name."""
    memory: dict[str, Memory[Any]] = {}
    for name, array in program.arrays.items():
        shape = tuple(form.evaluate(sizes) for form in array.shape)
        given = np.asarray(values.get(name, np.zeros(shape)))
        assert given.shape == shape
        memory[name] = Memory(shape, given.reshape(-1).tolist())
    scalars = {s.name: float(s.literal) for s in program.scalars.values() if s.literal is not None}
    scalars |= {n: float(v) for n, v in values.items() if n in program.scalars}
    Machine(PYTHON, sizes, memory, scalars).run(program.body)
    return {name: np.array(m.data).reshape(m.shape) for name, m in memory.items()}


def agrees_with_mlir(body: str, arguments: str = "%x: memref<10xf64>, %y: memref<10xf64>") -> bool:
    """True if what was read computes what MLIR makes of the same text."""
    before = inputs(wrapped(body, arguments), "f", 3)
    after: list[Value] = run(wrapped(body, arguments), "f", before)
    reader = function(body, arguments)
    found = _arguments(reader, before)
    for one in segments(reader):
        result = interpreted(one.program, {}, found)
        found |= {name: value for name, value in result.items() if name in found}
    return all(np.allclose(a, b) for a, b in zip(found.values(), after, strict=True))


def _arguments(reader: Function, values: list[Value]) -> dict[str, Any]:
    block = reader.op.regions[0].blocks[0]
    names = [reader.reader.memory.get(a) or reader.reader.data[a] for a in block.arguments]
    return dict(zip(names, values, strict=True))
