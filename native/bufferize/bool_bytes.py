"""Arrays of truth values: a byte each, 0 or 1, as NumPy's bool and C's _Bool have them.

MLIR 22 has no loads and stores of single bits in LLVM's dialect: to lower one ends the process.

    before  %x = memref.load %m[%i] : memref<8xi1>
    after   %b = memref.load %m[%i] : memref<8xi8>
            %x = arith.cmpi ne, %b, %zero : i8
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith

from raising.native.base.unsupported import CompileError
from raising.support.mlir.walk import blocks_of, operations

_BITS = re.compile(r"memref<([0-9?]+x)*i1\b")
_MASKED = "vector.maskedload"
_LOADS, _STORES = ("memref.load", "vector.load", _MASKED), ("memref.store", "vector.store")
_ELSEWHERE = ("vector.", "linalg.")
"""Beginnings of operations that would have to be told of the other type; all others only pass memory on."""


def to_bytes(module: Any) -> None:
    """Give every array of truth values elements of 8 bits; CompileError for an operation that cannot have them."""
    if not _BITS.search(str(module)):
        return
    every = operations(module)
    for op in every:
        if any(_is_bits(value.type) for value in (*op.operands, *op.results)):
            _check(op)
    for op in every:
        if op.name in _LOADS and _is_bits(op.operands[0].type):
            _load(op)
        elif op.name in _STORES and _is_bits(op.operands[1].type):
            _store(op)
        elif op.name == "memref.global":
            _global(op)
    for op in every:
        _widen(op)


def _check(op: Any) -> None:
    if op.name not in (*_LOADS, *_STORES) and op.name.startswith(_ELSEWHERE):
        raise CompileError(f"no form of '{op.name}' for truth values in memory")


def _is_bits(kind: Any) -> bool:
    return isinstance(kind, ir.MemRefType) and str(kind.element_type) == "i1"


def _bytes(kind: Any) -> Any:
    """The same type with elements of 8 bits, where it has elements."""
    byte = ir.IntegerType.get_signless(8)
    if isinstance(kind, ir.MemRefType):
        return ir.MemRefType.get(kind.shape, byte, kind.layout, kind.memory_space)
    return ir.VectorType.get(kind.shape, byte) if isinstance(kind, ir.VectorType) else byte


def _load(op: Any) -> None:
    result = op.results[0]
    if op.name == _MASKED:
        other = len(op.operands) - 1
        with ir.InsertionPoint(op), op.location:
            op.operands[other] = arith.extui(_bytes(result.type), op.operands[other])
    with ir.InsertionPoint.after(op), op.location:
        zero = arith.constant(_bytes(result.type), _zero(_bytes(result.type)))
        is_set = arith.cmpi(arith.CmpIPredicate.ne, zero, zero)
    result.replace_all_uses_with(is_set)
    result.set_type(_bytes(result.type))
    is_set.owner.operands[0] = result


def _zero(kind: Any) -> Any:
    byte = ir.IntegerAttr.get(ir.IntegerType.get_signless(8), 0)
    return ir.DenseElementsAttr.get_splat(kind, byte) if isinstance(kind, ir.VectorType) else byte


def _store(op: Any) -> None:
    with ir.InsertionPoint(op), op.location:
        op.operands[0] = arith.extui(_bytes(op.operands[0].type), op.operands[0])


def _global(op: Any) -> None:
    """A table, if it is one of truth values."""
    kind = op.attributes["type"].value
    if not _is_bits(kind):
        return
    op.attributes["type"] = ir.TypeAttr.get(_bytes(kind))
    if "initial_value" in op.attributes and isinstance(op.attributes["initial_value"], ir.DenseIntElementsAttr):
        numbers = np.array([int(n) for n in op.attributes["initial_value"]], np.int8).reshape(kind.shape)
        op.attributes["initial_value"] = ir.DenseElementsAttr.get(numbers)


def _widen(op: Any) -> None:
    """The types of results and of what blocks begin with; for a function, its own type with them."""
    for result in op.results:
        if _is_bits(result.type):
            result.set_type(_bytes(result.type))
    for block in blocks_of(op):
        for argument in block.arguments:
            if _is_bits(argument.type):
                argument.set_type(_bytes(argument.type))
    if op.name == "func.func":
        kind = op.attributes["function_type"].value
        inputs, results = ([_bytes(t) if _is_bits(t) else t for t in types] for types in (kind.inputs, kind.results))
        op.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))
