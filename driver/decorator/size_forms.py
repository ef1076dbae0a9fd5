"""Extents of results, and what is assumed of sizes: written by `build_code` as data, evaluated at a call."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from raising.affine.ir.spans import Span, monotone

Form = list[Any]
"""A polynomial: pairs of a list of atoms and a coefficient; an atom is a name, or [kind, form, divisor]."""
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def parsed(text: str) -> ast.expr:
    """An extent as syntax."""
    return ast.parse(text, mode="eval").body


def evaluated(node: ast.expr, sizes: Mapping[str, int]) -> int:
    """The value of an extent; ValueError for what is no expression of sizes."""
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name) if name in sizes:
            return sizes[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -evaluated(operand, sizes)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return int(_OPERATORS[type(op)](evaluated(left, sizes), evaluated(right, sizes)))
        case ast.Call(func=ast.Name(id="int" | "abs" | "min" | "max" as name), args=args):
            values = [evaluated(a, sizes) for a in args]
            return values[0] if name == "int" else abs(values[0]) if name == "abs" else _extremum(name, values)
    raise ValueError(f"an extent that is no sum of sizes: {ast.unparse(node)}")


def is_extent(node: ast.expr, sizes: Mapping[str, int]) -> bool:
    """Whether an expression is one of sizes."""
    with suppress(ZeroDivisionError):
        try:
            evaluated(node, sizes)
        except ValueError:
            return False
    return True


def _extremum(name: str, values: list[int]) -> int:
    return min(values) if name == "min" else max(values)


def failing(assumed: Sequence[Mapping[str, Any]], sizes: Mapping[str, int]) -> Mapping[str, Any] | None:
    """The first of some assumptions that does not hold, by interval arithmetic over loops; None if all hold."""
    for one in assumed:
        bounds = _Bounds(one["bounds"], sizes)
        for form, equality in one["conds"]:
            low, high = bounds.of(form)
            if not bounds.empty and (low < 0 or (equality and high != 0)):
                return one
        for form, least, most in one["ranges"]:
            low, high = bounds.of(form)
            if not bounds.empty and not (least <= low and high <= most):
                return one
    return None


class _Bounds:
    """The least and the greatest value of forms over all iterations; `empty` if there is a loop without any."""

    def __init__(self, loops: Mapping[str, Sequence[Sequence[Form]]], sizes: Mapping[str, int]) -> None:
        self.loops, self.sizes, self.empty = loops, sizes, False
        self._known: dict[str, Span] = {}

    def of(self, form: Form) -> Span:
        """The bounds of a form."""
        low = high = 0
        for atoms, coefficient in form:
            term = (coefficient, coefficient)
            for atom in atoms:
                term = monotone(operator.mul)(term, self._atom(atom))
            low, high = low + term[0], high + term[1]
        return low, high

    def _atom(self, atom: Any) -> Span:
        if isinstance(atom, str):
            return self._name(atom)
        kind, form, divisor = atom
        low, high = self.of(form)
        if kind == "quot":
            return low // divisor, high // divisor
        return (low % divisor, low % divisor) if low == high else (0, divisor - 1)

    def _name(self, name: str) -> Span:
        if name in self.sizes:
            return self.sizes[name], self.sizes[name]
        if name not in self._known:
            lower, upper = self.loops[name]
            low = max(self.of(form)[0] for form in lower)
            high = min(self.of(form)[1] for form in upper) - 1
            self.empty = self.empty or high < low
            self._known[name] = low, high
        return self._known[name]
