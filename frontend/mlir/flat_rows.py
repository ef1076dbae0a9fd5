"""Rows in flat memory: `a[i * m + j]` of a memory of one dimension is `a[i, j]` of rows of length `m`.

A function is read twice if a subscript multiplies sizes and loop variables. The first reading notes every access of
such memory as a polynomial, and `rows_of` finds one length of rows for all of them (Grosser, Ramanujam, Pouchet,
Sadayappan and Pop, "Optimistic Delinearization of Parametrically Sized Arrays", 2015). Nothing is assumed: each column
is proved to be inside of its row, and the last row that is accessed to be accessed to its end, so that it is inside of
the memory. The second reading has the memory with that shape.

    before  memref<?xf64>, %a[%i * symbol(%m) + %j] for %j below %m
    after   an array with extents [A_0, m], at [i, j]; where operations need it, a `memref.reinterpret_cast`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import islpy as isl
from mlir import ir

from raising.affine.ir.affine_expr import Cond, Floor, Lin, const, var
from raising.affine.ir.program import Array
from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.module import NotAffine
from raising.frontend.lower.ir.nodes import Array as FlatArray
from raising.frontend.lower.ir.polynomial import Poly, Quot, Rem
from raising.frontend.lower.ir.polynomial import const as poly_const
from raising.frontend.lower.ir.polynomial import var as poly_var
from raising.frontend.lower.ir.types import Number
from raising.frontend.lower.passes.delinearise import Access, in_rows, shape_of
from raising.support.record import dataclass
from raising.support.source import Loc

Extents = tuple[Poly | None, ...]
"""Of an array in rows: None for the number of rows, and then the lengths of the inner dimensions."""


@dataclass(frozen=True)
class _Noted:
    """An access as the first reading finds it; `certain` if it happens wherever the conditions `known` hold."""

    form: Poly
    known: tuple[Cond, ...]
    certain: bool


@dataclass(frozen=True)
class Strided:
    """A view: the array behind it, where there its first element is, and for each dimension the step and extent."""

    array: str
    low: Poly
    steps: tuple[Poly, ...]
    sizes: tuple[Lin | None, ...]


@dataclass
class FlatMemory:
    """What a reading knows of memory of one dimension.

    `rows` are the extents of arrays that are in rows; None in a first reading, which notes accesses instead: those of
    `unknown` arrays have subscripts that are no polynomials. `products` are index values that are not affine, `strided`
    the views of flat memory whose steps are sizes.
    """

    rows: Mapping[str, Extents] | None = None
    products: dict[Any, Poly] = field(default_factory=dict)
    strided: dict[Any, Strided] = field(default_factory=dict)
    noted: dict[str, list[_Noted]] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    uncertain: int = 0

    @property
    def to_read_again(self) -> bool:
        """Whether a first reading came to a subscript that is a polynomial, and not affine."""
        return self.rows is None and any(not n.form.is_linear for noted in self.noted.values() for n in noted)

    def form(self, memory: Any, subscripts: Sequence[Poly | None]) -> Poly | None:
        """Where an access is in flat memory."""
        view = self.strided.get(memory)
        low, steps = (view.low, view.steps) if view else (poly_const(0), (poly_const(1),))
        terms = [s * step for s, step in zip(subscripts, steps, strict=True) if s is not None]
        return sum(terms, low) if len(terms) == len(steps) else None

    def concerns(self, array: Array) -> bool:
        """Whether accesses of an array are to be noted, or are those of rows."""
        if self.rows is not None:
            return array.name in self.rows
        return array.kind == "argument" and len(array.shape) == 1

    def note(self, array: str, form: Poly | None, known: Sequence[Cond]) -> None:
        """An access of the first reading."""
        if form is None:
            self.unknown.add(array)
        else:
            self.noted.setdefault(array, []).append(_Noted(form, tuple(known), not self.uncertain))

    def digits(self, array: str, form: Poly | None, known: Sequence[Cond], free: frozenset[str]) -> list[Lin] | None:
        """The subscripts in rows of an access in the second reading; None if it does not stay in its row."""
        assert self.rows is not None
        found = form and in_rows(form, self.rows[array], _facts(known, free), array)
        return [affine(digit) for digit in found] if found else None


def rows_of(memory: FlatMemory, free: frozenset[str]) -> dict[str, Extents]:
    """The extents of arrays in rows of one length, over the names `free` of sizes."""
    found = {}
    for array, noted in memory.noted.items():
        if array in memory.unknown or all(n.form.is_linear for n in noted):
            continue
        extents = _extents(array, noted, free)
        if extents is not None and _ends_with_a_row(noted, extents, array, free):
            found[array] = extents
    return found


def _extents(array: str, noted: Sequence[_Noted], free: frozenset[str]) -> Extents | None:
    accesses = [Access(n.form, _facts(n.known, free), Loc("", k)) for k, n in enumerate(noted)]
    flat = FlatArray(array, Number("int", 64), (None,), "parameter", Loc(), flat=True)
    try:
        shape = shape_of(flat, accesses)
    except NotAffine:
        return None
    inner = [e for e in shape.extents[1:] if e is not None]
    if shape.assumptions or not inner or not all(e.is_linear and e.names() <= free for e in inner):
        return None
    return shape.extents


def _facts(known: Sequence[Cond], free: frozenset[str]) -> Facts:
    forms = [form for cond in known for form in ((cond.form, -cond.form) if cond.equality else (cond.form,))]
    return Facts(free, (p for p in map(polynomial, forms)))


def _ends_with_a_row(noted: Sequence[_Noted], extents: Extents, array: str, free: frozenset[str]) -> bool:
    """Whether from each row that is accessed on, there is one that is accessed at its last element."""
    names = sorted(free)
    every, last = isl.Set(_set(names, "r", "false")), isl.Set(_set(names, "r", "false"))
    for n in noted:
        digits = in_rows(n.form, extents, _facts(n.known, free), array)
        if digits is None:
            return False
        row, *columns = map(affine, digits)
        conds = [cond.isl() for cond in n.known] + [f"r = {row.isl()}"]
        inside = sorted({v for c in (*n.known, Cond(row)) for v in c.form.names()} - free)
        exists = f"exists {', '.join(inside)} : " if inside else ""
        every = every | isl.Set(_set(names, "r", exists + " and ".join(conds)))
        if n.certain:
            ends = [f"{c.isl()} = {(affine(e) - 1).isl()}" for c, e in zip(columns, extents[1:], strict=True) if e]
            inner = sorted({v for c in (*n.known, *map(Cond, (row, *columns))) for v in c.form.names()} - free)
            exists = f"exists {', '.join(inner)} : " if inner else ""
            last = last | isl.Set(_set(names, "r", exists + " and ".join([*conds, *ends])))
    before = isl.Map(f"[{', '.join(names)}] -> {{ [r] -> [s] : s <= r }}")
    return bool(every.is_subset(last.apply(before)))


def _set(names: Sequence[str], dims: str, conds: str) -> str:
    return f"[{', '.join(names)}] -> {{ [{dims}] : {conds} }}"


# ---- forms ---------------------------------------------------------------------------------------


def polynomial(form: Lin) -> Poly:
    """An affine form as a polynomial."""
    found = poly_const(form.const)
    for atom, c in form.terms:
        inner = polynomial(atom.inner).floordiv(atom.divisor) if isinstance(atom, Floor) else poly_var(atom)
        found = found + inner * c
    return found


def affine(form: Poly) -> Lin:
    """A polynomial that is affine as such a form."""
    found = const(form.offset)
    for mono, c in form.terms:
        if mono:
            found = found + _atom(mono[0]).scaled(c)
    return found


def _atom(atom: str | Quot | Rem) -> Lin:
    if isinstance(atom, str):
        return var(atom)
    inner = affine(atom.inner)
    return inner.floordiv(atom.divisor) if isinstance(atom, Quot) else inner.mod(atom.divisor)


def mapped(expr: Any, dims: Sequence[Poly | None], symbols: Sequence[Poly | None]) -> Poly | None:
    """An expression of an affine map over polynomials; None if it divides, or an operand is none."""
    if isinstance(expr, ir.AffineConstantExpr):
        return poly_const(int(ir.AffineConstantExpr(expr).value))
    if isinstance(expr, ir.AffineDimExpr):
        return dims[int(ir.AffineDimExpr(expr).position)]
    if isinstance(expr, ir.AffineSymbolExpr):
        return symbols[int(ir.AffineSymbolExpr(expr).position)]
    binary = ir.AffineBinaryExpr(expr)
    left, right = mapped(binary.lhs, dims, symbols), mapped(binary.rhs, dims, symbols)
    if left is None or right is None or not isinstance(expr, ir.AffineAddExpr | ir.AffineMulExpr):
        return None
    return left + right if isinstance(expr, ir.AffineAddExpr) else left * right
