"""What the arguments of a function are called while it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from affine.expr import Lin
from affine.extents import declared, linear, names_in
from affine.mlir_nest import NestReader


def bind_arguments(reader: NestReader, op: Any, arguments: Sequence[Any], constants: Sequence[Any] = ()) -> None:
    """Name the arguments of a function; open extents that C gives by integer parameters are those sizes.

    `constants` are what further arguments of the block stand for.
    """
    given = arguments[: len(arguments) - len(constants)]
    told = declared(op, len(given))
    named = {row[1]: value for row, value in zip(told, given, strict=False) if not row[2]}
    for number, (value, constant) in enumerate(zip(arguments, [*[None] * len(given), *constants], strict=True)):
        if isinstance(value.type, ir.MemRefType):
            extents = told[number][2] if number < len(told) else ()
            reader.bind_array(value, "argument", [_form(reader, each, named) for each in extents])
        else:
            reader.bind_scalar(value, constant)


def _form(reader: NestReader, extent: str, named: dict[str, Any]) -> Lin | None:
    """An extent as a form over sizes, which the integer parameters in it become; None if it is none."""
    values = {name: named[name] for name in names_in(extent) if name in named}
    if not all(isinstance(value.type, ir.IntegerType | ir.IndexType) for value in values.values()):
        return None
    for value in values.values():
        if value not in reader.index:
            reader.index[value] = reader.size_from_scalar(value)
    return linear(
        extent, {name: form for name, value in values.items() if isinstance(form := reader.index[value], Lin)}
    )
