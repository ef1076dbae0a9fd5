"""What a function's results and arrays allow, as attributes that `raise` sets and later stages read."""

from __future__ import annotations

from typing import Any

PERMISSION = "raise.fp"
"""A function's attribute that names the `--fp` its results allow."""

NUMBERS = "raise.extrema"
"""The attribute of a function whose extrema were comparisons and choices: its floats are assumed to be numbers."""

EXTREMA = ("arith.maximumf", "arith.minimumf")

OVERLAPPING = "raise.overlapping"
"""The attribute of a function whose arrays may overlap: it is compiled in the order of its text."""

STRICT = '"strict"'


def keep_order(module: Any) -> None:
    """Say of each function of a module that its operations on floats are not to be reordered."""
    from mlir import ir

    for op in module.body.operations:
        if op.operation.name == "func.func":
            op.attributes[PERMISSION] = ir.Attribute.parse(STRICT, module.context)


def keeps_order(function: Any) -> bool:
    """Whether a function says that its operations on floats are not to be reordered."""
    attributes = function.operation.attributes
    return PERMISSION in attributes and str(attributes[PERMISSION]) == STRICT
