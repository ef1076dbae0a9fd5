"""MLIR's affine maps, integer sets, locations and constants as our own values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Cond, Lin, const
from raising.frontend.lower.ir.module import Refused
from raising.support.mlir.affine_expressions import evaluated
from raising.support.source import Loc


class Refusal(Refused):
    """Why a piece of a function is not a static-control program, and where."""


_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')


def location(op: Any) -> Loc:
    """The place of an operation; fused, named and call-site locations give their first file."""
    return source_location(op.location, Loc())


def source_location(location: Any, otherwise: Loc) -> Loc:
    """A location of MLIR, of any bindings, as a place; `otherwise` if it names no file."""
    found = _PLACE.search(str(location))
    return Loc(unescaped(found[1]), int(found[2]), int(found[3])) if found else otherwise


_ESCAPE = re.compile(rb"\\([0-9A-F]{2}|\\)")


def unescaped(text: str) -> str:
    """What MLIR writes between quotation marks: it has bytes that are no ASCII, and these marks, as numbers."""
    if "\\" not in text:
        return text
    read = _ESCAPE.sub(lambda one: b"\\" if one[1] == b"\\" else bytes.fromhex(one[1].decode()), text.encode())
    return read.decode(errors="replace")


def _of_two(sign: str, left: Lin, right: Lin) -> Lin:
    if sign == "+":
        return left + right
    if sign == "*" and left.is_const:
        left, right = right, left
    if not right.is_const:
        raise ValueError("a map multiplies or divides by a value that is not constant")
    if sign == "*":
        return left.scaled(right.const)
    if right.const <= 0:
        raise ValueError(f"a map divides by {right.const}")
    if sign == "mod":
        return left.mod(right.const)
    return left.floordiv(right.const) if sign == "floordiv" else -((-left).floordiv(right.const))


def form(expr: Any, operands: Sequence[Lin], rank: int) -> Lin:
    """An MLIR affine expression over dimensions, then symbols; ValueError if it is not quasi-affine."""
    return evaluated(expr, operands.__getitem__, rank, const, _of_two)


def map_forms(affine_map: Any, operands: Sequence[Lin]) -> tuple[Lin, ...]:
    """The results of a map applied to dimension operands, then symbol operands."""
    return tuple(form(e, operands, affine_map.n_dims) for e in affine_map.results)


def radices(op: Any, count: int) -> list[int]:
    """The last numbers of an operation's basis; one more would bound the first digit, and changes nothing."""
    basis = list(ir.DenseI64ArrayAttr(op.attributes["static_basis"]))
    if any(radix <= 0 for radix in basis):
        raise ValueError(f"'{op.name}' by a number that is not constant")
    return basis[len(basis) - count :]


_SET = re.compile(r"^affine_set<(\(.*?\)(?:\[.*?\])?) : \((.*)\)>$")


def set_conds(attr: Any, operands: Sequence[Lin]) -> tuple[Cond, ...]:
    """The conditions of an `affine_set` attribute."""
    return tuple(Cond(map_forms(map_, operands)[0], equal) for map_, equal in set_maps(attr))


def set_maps(attr: Any) -> list[tuple[Any, bool]]:
    """The conditions of an `affine_set`, each as a map whose result is at least 0, or equal to it if that is True.

    The bindings show its text only.
    """
    found = _SET.match(str(attr))
    if found is None:
        raise ValueError(f"cannot read {attr}")
    space, body = found.groups()
    maps = []
    for text in filter(None, (part.strip() for part in body.split(","))):
        lhs, relation = re.match(r"(.*?)\s*(>=|==)\s*0$", text).groups()  # type: ignore[union-attr]
        attribute = ir.Attribute.parse(f"affine_map<{space} -> ({lhs})>")
        maps.append((ir.AffineMapAttr(attribute).value, relation == "=="))
    return maps


def literal(attr: Any) -> str | None:
    """A scalar constant as exact text for `float`/`Fraction`/`int`, None if it is not scalar."""
    if isinstance(attr, ir.BoolAttr):
        return str(int(ir.BoolAttr(attr).value))
    if isinstance(attr, ir.FloatAttr):
        return repr(ir.FloatAttr(attr).value)
    if isinstance(attr, ir.IntegerAttr):
        return str(ir.IntegerAttr(attr).value)
    return None


INDEX_PREDICATES: dict[int, tuple[int, int, bool, bool]] = {
    # predicate: a - b times sign, plus shift, equality, negated
    0: (1, 0, True, False),
    1: (1, 0, True, True),
    2: (-1, -1, False, False),
    3: (-1, 0, False, False),
    4: (1, -1, False, False),
    5: (1, 0, False, False),
}


_UNSIGNED = {6: 2, 7: 3, 8: 4, 9: 5}
"""Predicates that take their operands to have no sign, each with the one that says the same of operands with one."""


def compared(predicate: int, a: Lin, b: Lin) -> tuple[tuple[Cond, ...], ...]:
    """An index comparison as disjoint alternatives of conjunctions; without signs, what is negative is large."""
    if predicate in _UNSIGNED:
        same = [(Cond(a), Cond(b)), (Cond(-a - 1), Cond(-b - 1))]
        alike = [(*signs, *conds) for signs in same for conds in compared(_UNSIGNED[predicate], a, b)]
        small, large = (a, b) if predicate < 8 else (b, a)
        return (*alike, (Cond(small), Cond(-large - 1)))
    sign, shift, equality, negated = INDEX_PREDICATES[predicate]
    cond = Cond((a - b).scaled(sign) + shift, equality)
    return tuple((c,) for c in cond.negated()) if negated else ((cond,),)
