"""Conversions of floats to integers as XLA does them: a number out of range becomes the nearest integer, NaN becomes 0.

The specification leaves these open; MLIR's and LLVM's conversions would make them undefined.

    before  %r = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xi8>
    after   %safe = arith.select (%a is -128 or less, 128 or more, or NaN), 0.0, %a
            %n = arith.fptosi %safe : f32 to i8
            %r = -128, 127 or 0 where %a was not safe, else %n
"""

from __future__ import annotations

from typing import Any

from raising.native.input.stablehlo.op_builder import Build


def converts_to_integers(op: Any, ir: Any) -> bool:
    """Whether an operation converts floats to integers of several bits."""
    if op.name != "stablehlo.convert":
        return False
    source, target = (ir.RankedTensorType(v.type).element_type for v in (op.operands[0], op.results[0]))
    return isinstance(source, ir.FloatType) and isinstance(target, ir.IntegerType) and target.width > 1


def convert(at: Build, op: Any) -> list[Any]:
    """`stablehlo.convert` from floats to integers."""
    value, kind = op.operands[0], op.results[0].type
    target = at.element(op.results[0])
    unsigned = at.ir.IntegerType(target).is_unsigned
    bits = target.width - (0 if unsigned else 1)
    low, high = (0, (1 << bits) - 1) if unsigned else (-(1 << bits), (1 << bits) - 1)
    below, above = _test(at, "LE", value, float(low)), _test(at, "GE", value, float(1 << bits))
    undefined = _test(at, "NE", value, value)
    outside = at.same("stablehlo.or", at.same("stablehlo.or", below, above), undefined)
    inside = _choose(at, outside, _like(at, value, value.type, "0.0"), value)
    result = at.op("stablehlo.convert", [kind], [inside])[0]
    result = _choose(at, above, _like(at, value, kind, str(high)), result)
    return [_choose(at, below, _like(at, value, kind, str(low)), result)]


def _test(at: Build, direction: str, value: Any, other: Any) -> Any:
    if isinstance(other, float):
        other = _like(at, value, value.type, repr(other))
    shape = at.ir.RankedTensorType(value.type).shape
    kind = at.ir.RankedTensorType.get(shape, at.ir.IntegerType.get_signless(1))
    which = at.ir.Attribute.parse(f"#stablehlo<comparison_direction {direction}>")
    return at.op("stablehlo.compare", [kind], [value, other], comparison_direction=which)[0]


def _choose(at: Build, condition: Any, one: Any, other: Any) -> Any:
    return at.op("stablehlo.select", [one.type], [condition, one, other])[0]


def _like(at: Build, value: Any, kind: Any, number: str) -> Any:
    """A number in each element of a tensor of a type, with the shape of a value."""
    cell = at.ir.RankedTensorType.get([], at.ir.RankedTensorType(kind).element_type)
    one = at.op("stablehlo.constant", [cell], [], value=at.ir.Attribute.parse(f"dense<{number}> : {cell}"))[0]
    nowhere = at.ir.DenseI64ArrayAttr.get([])
    if at.ir.RankedTensorType(kind).has_static_shape:
        return at.op("stablehlo.broadcast_in_dim", [kind], [one], broadcast_dimensions=nowhere)[0]
    shape = at.op("shape.shape_of", [_extents(at, kind)], [value])[0]
    return at.op("stablehlo.dynamic_broadcast_in_dim", [kind], [one, shape], broadcast_dimensions=nowhere)[0]


def _extents(at: Build, kind: Any) -> Any:
    return at.ir.RankedTensorType.get([at.ir.RankedTensorType(kind).rank], at.ir.IndexType.get())
