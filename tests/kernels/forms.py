"""Affine forms: the integer expressions of subscripts and bounds, as `{name: coefficient}`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

Form = dict[str, int]
"""Coefficient per name; the constant term stands under the empty name. No zero entries."""

_SIGNS: dict[type[ast.operator], int] = {ast.Add: 1, ast.Sub: -1}


def form_of(node: ast.expr, known: Mapping[str, int]) -> Form:
    """Read an affine expression; names in `known` are replaced by their value."""
    match node:
        case ast.Constant(int(value)):
            return _clean({"": value})
        case ast.Name(name):
            return _clean({"": known[name]}) if name in known else {name: 1}
        case ast.UnaryOp(ast.USub(), operand):
            return _plus({}, form_of(operand, known), -1)
        case ast.BinOp(left, ast.Mult(), right):
            return _times(form_of(left, known), form_of(right, known))
        case ast.BinOp(left, op, right) if type(op) in _SIGNS:
            return _plus(form_of(left, known), form_of(right, known), _SIGNS[type(op)])
    raise ValueError(f"not affine: {ast.unparse(node)}")


def render(form: Form, name: Callable[[str], str]) -> str:
    """Write as MLIR does, names first: `-%i + 999`, `%i * 2 + 1`, `0`."""
    text = ""
    for key, coefficient in sorted(form.items(), key=lambda item: (item[0] == "", item[1] < 0)):
        size = abs(coefficient)
        term = str(size) if not key else name(key) if size == 1 else f"{name(key)} * {size}"
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {term}" if text else f"-{term}" if sign == "-" else term
    return text or "0"


def difference(left: Form, right: Form) -> Form:
    """Subtract two forms."""
    return _plus(left, right, -1)


def _plus(left: Form, right: Form, sign: int) -> Form:
    return _clean({k: left.get(k, 0) + sign * right.get(k, 0) for k in [*left, *right]})


def _times(left: Form, right: Form) -> Form:
    if any(left):
        left, right = right, left
    if any(left):
        raise ValueError("product of two variables is not affine")
    return _clean({key: left.get("", 0) * value for key, value in right.items()})


def _clean(form: Form) -> Form:
    return {key: value for key, value in form.items() if value}
