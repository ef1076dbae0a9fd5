"""Expressions of floats in a module, and the accurate forms written in their place.

An expression is what the last operation of a block hands on, computed from the block's arguments by operations on
floats of one type: the body of a function on numbers, or of an operation on elements of tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from raising.eqsat.accuracy.improve import Form
from raising.eqsat.accuracy.real_ops import BY_MLIR, OPS
from raising.eqsat.ruleset.expression import Expr, Node, Number, Var, variables
from raising.support.mlir.walk import blocks_of, maker
from raising.support.record import dataclass

_MOST = 60  # operations of an expression
_KINDS: dict[str, np.dtype[Any]] = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}
_ORDERED_AT_MOST = 5  # the predicate of `arith.cmpf`


@dataclass(frozen=True)
class Place:
    """An operand that is an expression: of which operation, over which values by name, in floats of which type."""

    user: Any
    operand: int
    expr: Expr
    values: Mapping[str, Any]
    kind: np.dtype[Any]


class NotReal(Exception):
    """A value is no expression of floats; the message says why."""


def places(op: Any, ir: Any) -> Iterator[Place]:
    """The expressions in the blocks of an operation, with those inside of it."""
    for block in blocks_of(op):
        operations = [child.operation for child in block.operations]
        for inner in operations:
            yield from places(inner, ir)
        if operations:
            yield from _handed_on(operations[-1], block, ir)


def _handed_on(last: Any, block: Any, ir: Any) -> Iterator[Place]:
    for n, value in enumerate(last.operands):
        kind = _KINDS.get(str(value.type))
        if kind is None or not isinstance(value, ir.OpResult):
            continue
        reader = _Reader(block, ir, str(value.type))
        try:
            expr = reader.read(value)
        except NotReal:
            continue
        if variables(expr):
            yield Place(last, n, expr, reader.values, kind)


class _Reader:
    def __init__(self, block: Any, ir: Any, element: str) -> None:
        self.block, self.ir, self.element = block, ir, element
        self.values: dict[str, Any] = {}
        self.known: dict[Any, Expr] = {}
        self.count = 0

    def read(self, value: Any) -> Expr:
        """The expression of a value; a value that is computed outside, or by something else, is a variable."""
        if str(value.type) != self.element:
            raise NotReal(f"a value of type {value.type}")
        if value not in self.known:
            self.known[value] = self._read(value)
        return self.known[value]

    def _read(self, value: Any) -> Expr:
        op = maker(value)
        if op is not None and op.name == "arith.constant":
            return Number(float(self.ir.FloatAttr(op.attributes["value"]).value))
        if op is None or op.name not in BY_MLIR or op.block != self.block:
            name = f"x{len(self.values)}"
            self.values[name] = value
            return Var(name)
        self.count += 1
        if self.count > _MOST:
            raise NotReal("too many operations")
        return Node(BY_MLIR[op.name], tuple(self.read(v) for v in op.operands))


def write(place: Place, form: Form, ir: Any) -> None:
    """Put a form in the place of an expression; what nothing uses any more is left to clean-up."""
    point, here = ir.InsertionPoint(place.user), place.user.location
    writer = _Writer(place.values, ir, point, here, place.user.operands[place.operand].type)
    value = writer.value(form.exprs[-1])
    for bound, expr in reversed(list(zip(form.bounds, form.exprs, strict=False))):
        below = writer.below(place.values[form.variable], bound)
        value = writer.create("arith.select", [below, writer.value(expr), value])
    old = place.user.operands[place.operand]
    place.user.operands[place.operand] = value
    _erase_unused(old, ir)


class _Writer:
    def __init__(self, values: Mapping[str, Any], ir: Any, point: Any, here: Any, kind: Any) -> None:
        self.values, self.ir, self.point, self.here, self.kind = values, ir, point, here, kind
        self.made: dict[Expr, Any] = {}

    def value(self, expr: Expr) -> Any:
        """The value of an expression; equal ones are computed once."""
        if expr not in self.made:
            if isinstance(expr, Var):
                self.made[expr] = self.values[expr.name]
            elif isinstance(expr, Number):
                self.made[expr] = self._constant(expr.value)
            else:
                self.made[expr] = self.create(OPS[expr.op].mlir, [self.value(a) for a in expr.args])
        return self.made[expr]

    def create(self, name: str, operands: list[Any]) -> Any:
        """An operation with a float as result."""
        return self.ir.Operation.create(name, [self.kind], operands, ip=self.point, loc=self.here).results[0]

    def below(self, value: Any, bound: float) -> Any:
        """Whether a value is at most a bound."""
        truth = self.ir.IntegerType.get_signless(1, self.kind.context)
        integer = self.ir.IntegerType.get_signless(64, self.kind.context)
        given = {"predicate": self.ir.IntegerAttr.get(integer, _ORDERED_AT_MOST)}
        operands = [value, self._constant(bound)]
        made = self.ir.Operation.create("arith.cmpf", [truth], operands, given, ip=self.point, loc=self.here)
        return made.results[0]

    def _constant(self, number: float) -> Any:
        given = {"value": self.ir.FloatAttr.get(self.kind, number)}
        return self.ir.Operation.create(
            "arith.constant", [self.kind], attributes=given, ip=self.point, loc=self.here
        ).results[0]


def _erase_unused(value: Any, ir: Any) -> None:
    stack = [value]
    while stack:
        top = stack.pop()
        op = maker(top, *BY_MLIR, "arith.constant")
        if op is not None and next(iter(top.uses), None) is None:
            stack += list(dict.fromkeys(op.operands))
            op.erase()
