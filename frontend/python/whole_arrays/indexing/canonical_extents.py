"""Extents of arrays in canonical form, so that equal ones are seen to be equal."""

from __future__ import annotations

import ast
from collections.abc import Callable

from raising.frontend.core import expression_nodes as ex
from raising.frontend.lower.ir.polynomial import Atom, Poly, Quot, const, var
from raising.frontend.python.module import MAX_BITS
from raising.frontend.python.numpy_library.made_syntax import placed

Meaning = Callable[[ast.expr], ast.expr | None]
"""What a name or `A.shape[k]` stands for; None where it stands for itself, or is no extent."""


def polynomial(node: ast.expr, meaning: Meaning) -> Poly | None:
    """An extent as a polynomial over names; None for any other expression."""
    known = meaning(node)
    if known is not None:
        return polynomial(known, meaning)
    match node:
        case ast.Constant(value=int(value)) if not isinstance(node.value, bool):
            return const(value)
        case ast.Name(id=name):
            return var(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = polynomial(operand, meaning)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=op, right=right):
            a, b = polynomial(left, meaning), polynomial(right, meaning)
            return None if a is None or b is None else _combined(op, a, b)
    return None


def _combined(op: ast.operator, a: Poly, b: Poly) -> Poly | None:
    if isinstance(op, ast.Add | ast.Sub):
        return a + b if isinstance(op, ast.Add) else a - b
    if isinstance(op, ast.Mult):
        return a * b
    if isinstance(op, ast.Pow) and a.constant is not None and b.constant is not None and 0 <= b.constant < MAX_BITS:
        return const(a.constant**b.constant)
    divisor = b.constant
    return a.floordiv(divisor) if isinstance(op, ast.FloorDiv) and divisor and divisor > 0 and a.is_linear else None


def calculated(left: ast.expr, op: ast.operator, right: ast.expr | int, place: ast.expr) -> ast.expr:
    """`left op right` as syntax that stands at a place."""
    other = ast.Constant(right) if isinstance(right, int) else right
    return placed(ast.BinOp(left, op, other), place)


def product_of(extents: tuple[ast.expr, ...], place: ast.expr) -> ast.expr:
    """The number of elements."""
    found: ast.expr = extents[0] if extents else ast.Constant(1)
    for extent in extents[1:]:
        found = ast.BinOp(found, ast.Mult(), extent)
    return placed(found, place) if len(extents) != 1 else found


def is_one(extent: ast.expr) -> bool:
    """Whether an extent is known to be 1."""
    return isinstance(extent, ast.Constant) and extent.value == 1


def of_integer(value: ex.Expr) -> Poly | None:
    """An integer of the core as a polynomial over its variables; None for any other expression."""
    match value:
        case ex.Literal(value=int(number)):
            return const(number)
        case ex.Load(source=ex.Name(name=name)):
            return var(name)
        case ex.Binary(op="add" | "sub" | "mul", left=left, right=right):
            a, b = of_integer(left), of_integer(right)
            if a is None or b is None:
                return None
            return a * b if value.op == "mul" else a + b if value.op == "add" else a - b
    return None


def expression(form: Poly, place: ast.expr) -> ast.expr:
    """A polynomial as syntax."""
    found: ast.expr | None = None
    for mono, c in sorted(form.terms, key=lambda term: not term[0], reverse=True):
        term: ast.expr | None = None
        for atom in mono:
            term = _atom(atom, place) if term is None else ast.BinOp(term, ast.Mult(), _atom(atom, place))
        if term is None or c != 1:
            term = ast.Constant(c) if term is None else ast.BinOp(ast.Constant(c), ast.Mult(), term)
        found = term if found is None else ast.BinOp(found, ast.Add(), term)
    return placed(found or ast.Constant(0), place)


def _atom(atom: Atom, place: ast.expr) -> ast.expr:
    if isinstance(atom, str):
        return ast.Name(atom, ast.Load())
    inner = expression(atom.inner, place)
    return ast.BinOp(inner, ast.FloorDiv() if isinstance(atom, Quot) else ast.Mod(), ast.Constant(atom.divisor))
