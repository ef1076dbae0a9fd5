"""Conversions between f64 and floats of 16 bits, and their fused sums, in operations that each processor has.

LLVM has no instruction for most of them: it calls functions of the compiler's library, which may be missing, and bf16
is passed on as its bits. A conversion by way of f32 would round twice, so f32 is rounded to odd: towards zero, with the
last bit set where anything was lost, which the second rounding then sees.

    before  %r = arith.truncf %x : f64 to bf16
    after   %n = arith.truncf %x : f64 to f32       %b = its bits, less 1 if it is larger than %x, or 1 if it is not %x
            %r = arith.truncf %b : f32 to bf16
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.support.mlir.op_writer import OpWriter
from raising.support.mlir.walk import operations

_ONE, _OGT = 6, 2
"""Predicates of `arith.cmpf`; neither holds of NaN."""


def without_library(module: Any) -> None:
    """Conversions and fused sums in place of those that LLVM would call a function for."""
    for op in operations(module, lambda op: op.name == "math.fma" and _element(op.results[0].type) in ("f16", "bf16")):
        with op.location:
            _replace(op, _fused(OpWriter(ir, ir.InsertionPoint(op)), op))
    for op in operations(module, _passes_over_f32):
        with op.location:
            at, kind = OpWriter(ir, ir.InsertionPoint(op)), op.results[0].type
            narrow = op.name == "arith.truncf"
            middle = (
                _odd(at, op.operands[0]) if narrow else at.one(op.name, _like(kind, ir.F32Type.get()), *op.operands)
            )
            _replace(op, at.one(op.name, kind, middle))


def _replace(op: Any, value: Any) -> None:
    op.results[0].replace_all_uses_with(value)
    op.erase()


def _passes_over_f32(op: Any) -> bool:
    if op.name not in ("arith.truncf", "arith.extf"):
        return False
    source, target = _element(op.operands[0].type), _element(op.results[0].type)
    return (source, target) in (("f64", "bf16"), ("f64", "f16"), ("bf16", "f64"))


def _element(kind: Any) -> str:
    return str(kind.element_type if isinstance(kind, ir.VectorType) else kind)


def _like(kind: Any, element: Any) -> Any:
    """A type with other elements."""
    return ir.VectorType.get(kind.shape, element) if isinstance(kind, ir.VectorType) else element


def _fused(at: OpWriter, op: Any) -> Any:
    """A product and a sum in f64, where the product is exact."""
    kind = op.results[0].type
    wide = _like(kind, ir.F64Type.get())
    a, b, c = (at.one("arith.extf", wide, operand) for operand in op.operands)
    return at.one("arith.truncf", kind, at.same("arith.addf", at.same("arith.mulf", a, b), c))


def _odd(at: OpWriter, value: Any) -> Any:
    """A number of f64 in f32, rounded to odd."""
    wide, kind = value.type, _like(value.type, ir.F32Type.get())
    bits, truth = _like(wide, ir.IntegerType.get_signless(32)), _like(wide, ir.IntegerType.get_signless(1))
    near = at.one("arith.truncf", kind, value)
    back = at.one("arith.extf", wide, near)
    larger = _compared(at, truth, _OGT, at.same("math.absf", back), at.same("math.absf", value))
    lost = at.one("arith.extui", bits, _compared(at, truth, _ONE, back, value))
    towards = at.same("arith.subi", at.one("arith.bitcast", bits, near), at.one("arith.extui", bits, larger))
    return at.one("arith.bitcast", kind, at.same("arith.ori", towards, lost))


def _compared(at: OpWriter, truth: Any, predicate: int, one: Any, other: Any) -> Any:
    code = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), predicate)
    return at.op("arith.cmpf", [truth], [one, other], predicate=code)[0]
