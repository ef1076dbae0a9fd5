"""The meaning of nests, point by point in Python: what schedules are compared with."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from raising.affine.ir.affine_expr import Affine
from raising.native.nest.nest import Access, Nest, Scalar

Values = Mapping[str, Any]

OPERATIONS: dict[str, Any] = {
    "arith.addf": lambda a, b: a + b,
    "arith.subf": lambda a, b: a - b,
    "arith.mulf": lambda a, b: a * b,
    "arith.divf": lambda a, b: a / b,
    "arith.negf": lambda a: -a,
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.select": lambda c, a, b: a if c else b,
    "arith.maximumf": max,
    "math.sqrt": np.sqrt,
}


def value(index: Affine, point: tuple[int, ...], symbols: Values) -> int:
    """An affine expression at a point."""
    terms = (factor * (point[term] if isinstance(term, int) else symbols[term]) for term, factor in index.terms)
    return int(index.constant + sum(terms))


def run(nest: Nest, values: Values) -> None:
    """Run a nest on `values`: NumPy arrays, scalars and index values by their names."""
    extents = [range(value(extent, (), values)) for extent in nest.extents]
    for point in itertools.product(*extents):
        body = {f"in{n}": values[read.array.name][_at(read, point, values)] for n, read in enumerate(nest.reads)}
        body |= {name: values[name] for name, _ in nest.captured}
        for number, scalar in enumerate(nest.body):
            body[f"v{number}"] = _apply(scalar, [body[name] for name in scalar.args], point)
        for write, name in zip(nest.writes, nest.yields, strict=True):
            values[write.array.name][_at(write, point, values)] = body[name]


def _at(access: Access, point: tuple[int, ...], values: Values) -> tuple[int, ...]:
    subscripts = tuple(value(index, point, values) for index in access.map)
    assert all(subscript >= 0 for subscript in subscripts)
    return subscripts


def _apply(scalar: Scalar, args: list[Any], point: tuple[int, ...]) -> Any:
    if scalar.name == "linalg.index":
        return point[int(scalar.properties)]
    if scalar.name == "arith.constant":
        found = re.search(r"value = (\S+) :", scalar.properties)
        assert found
        return float(found[1]) if "." in found[1] else int(found[1])
    if scalar.name == "arith.cmpi":
        signed = re.search(r"predicate = (\d)", scalar.properties)
        assert signed
        return [args[0] == args[1], args[0] != args[1], args[0] < args[1], args[0] <= args[1], args[0] > args[1],
                args[0] >= args[1]][int(signed[1])]  # fmt: skip
    return OPERATIONS[scalar.name](*args)
