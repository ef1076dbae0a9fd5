"""Rows in flat memory: `a[i * m + j]` of a memory of one dimension is `a[i, j]` of rows of length `m`.

A function is read twice if a subscript multiplies sizes and loop variables. The first reading notes every access of
such memory as a polynomial, and `rows_of` finds one length of rows for all of them (Grosser, Ramanujam, Pouchet,
Sadayappan and Pop, "Optimistic Delinearization of Parametrically Sized Arrays", 2015). Each column is proved to be
inside of its row, if need be under a condition on sizes such as `k <= m`. The last row is inside of the memory if it is
accessed to its end. What is not proved is tested at run time. The second reading has the memory with that shape.

    before  memref<?xf64>, %a[%i * symbol(%m) + %j] for %j below %m
    after   an array with extents [A_0, m], at [i, j]; where operations need it, a `memref.reinterpret_cast`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from math import prod
from typing import Any

from raising.affine.ir.affine_expr import Cond, Floor, Lin, const, var
from raising.affine.ir.program import Array
from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.polynomial import Poly, Quot, Rem
from raising.frontend.lower.ir.polynomial import const as poly_const
from raising.frontend.lower.ir.polynomial import var as poly_var
from raising.support.mlir.affine_expressions import evaluated
from raising.support.record import dataclass
from raising.support.source import Loc

Extents = tuple[Poly | None, ...]
"""Of an array in rows: None for the number of rows, and then the lengths of the inner dimensions."""


@dataclass(frozen=True)
class Rows:
    """Rows in flat memory. `least` is how many of them are to be whole in the memory, where it is not known that the
    last one which is accessed is. Columns stay in their rows where forms over sizes that are `assumed` are at least 0.
    """

    extents: Extents
    least: Poly | None
    assumed: tuple[Poly, ...]


@dataclass(frozen=True)
class _Noted:
    """An access as the first reading finds it; `certain` if it happens wherever the conditions `known` hold."""

    form: Poly
    known: tuple[Cond, ...]
    certain: bool


@dataclass(frozen=True)
class Strided:
    """A view: the array behind it, where there its first element is, and for each dimension the step and extent.

    It has `whole` rows if its first extent is how many rows, as long as its first step, are whole in the memory.
    """

    array: str
    low: Poly
    steps: tuple[Poly, ...]
    sizes: tuple[Lin | None, ...]
    whole: bool


@dataclass
class FlatMemory:
    """What a reading knows of memory of one dimension.

    `rows` are those of arrays that are in rows. There are none in the `first` reading, which notes accesses: those of
    `unknown` arrays have subscripts that are no polynomials. `products` are index values that are not affine, None for
    those that are no polynomials, `strided` the views of flat memory whose steps are sizes.
    """

    rows: Mapping[str, Rows] = field(default_factory=dict)
    first: bool = True
    products: dict[Any, Poly | None] = field(default_factory=dict)
    strided: dict[Any, Strided] = field(default_factory=dict)
    noted: dict[str, list[_Noted]] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    uncertain: int = 0

    @property
    def to_read_again(self) -> bool:
        """Whether a first reading came to a subscript that is a polynomial, and not affine."""
        return self.first and any(not n.form.is_linear for noted in self.noted.values() for n in noted)

    def form(self, memory: Any, subscripts: Sequence[Poly | None]) -> Poly | None:
        """The subscript of an access in flat memory."""
        view = self.strided.get(memory)
        low, steps = (view.low, view.steps) if view else (poly_const(0), (poly_const(1),))
        terms = [s * step for s, step in zip(subscripts, steps, strict=True) if s is not None]
        return sum(terms, low) if len(terms) == len(steps) else None

    def extent(self, memory: Any, dim: int) -> Lin | None:
        """An extent of a view whose steps are sizes; None if it is not known."""
        view = self.strided[memory]
        if dim == 0 and view.whole and view.array in self.rows:
            inner = [e for e in self.rows[view.array].extents if e is not None]
            return var(f"{view.array}_0") if prod(inner, start=poly_const(1)) == view.steps[0] else None
        return view.sizes[dim] if 0 <= dim < len(view.sizes) else None

    def concerns(self, array: Array) -> bool:
        """Whether accesses of an array are to be noted, or are those of rows."""
        flat = array.kind == "argument" and len(array.shape) == 1
        return flat if self.first else array.name in self.rows

    def note(self, array: str, form: Poly | None, known: Sequence[Cond]) -> None:
        """An access of the first reading."""
        if form is None:
            self.unknown.add(array)
        else:
            self.noted.setdefault(array, []).append(_Noted(form, tuple(known), not self.uncertain))

    def digits(self, array: str, form: Poly | None, known: Sequence[Cond], free: frozenset[str]) -> list[Lin] | None:
        """The subscripts in rows of an access in the second reading; None if it does not stay in its row."""
        from raising.frontend.lower.passes.delinearise import in_rows  # is of use in few functions, as below

        rows = self.rows[array]
        found = form and in_rows(form, rows.extents, _facts(known, free, rows.assumed), array)
        return [affine(digit) for digit in found] if found else None


def rows_of(memory: FlatMemory, free: frozenset[str]) -> dict[str, Rows]:
    """The rows of arrays that have one length of them for all accesses, over the names `free` of sizes."""
    found = {}
    for array, noted in memory.noted.items():
        if array in memory.unknown or all(n.form.is_linear for n in noted):
            continue
        general = [replace(n, known=tuple(c for c in n.known if not c.form.names() <= free)) for n in noted]
        for asked in (noted, general):  # what a branch on sizes says may be what all others are to assume
            shape = _shape(array, asked, free)
            rows = shape and _counted(noted, *shape, array, free)
            if rows:
                found[array] = rows
                break
    return found


def _shape(array: str, noted: Sequence[_Noted], free: frozenset[str]) -> tuple[Extents, tuple[Poly, ...]] | None:
    """The extents, and what they assume of sizes; None if nothing explains all accesses."""
    from raising.frontend.lower.ir.module import NotAffine
    from raising.frontend.lower.ir.nodes import Array as FlatArray
    from raising.frontend.lower.ir.types import Number
    from raising.frontend.lower.passes.delinearise import Access, shape_of

    flat = FlatArray(array, Number("int", 64), (None,), "parameter", Loc(), flat=True)
    accesses = [Access(n.form, _facts(n.known, free), Loc("", k)) for k, n in enumerate(noted)]
    try:
        shape = shape_of(flat, accesses)
    except NotAffine:
        return None
    inner = [e for e in shape.extents[1:] if e is not None]
    conds = [cond for assumption in shape.assumptions for cond in assumption.conds]
    if not inner or not all(assumption.conds for assumption in shape.assumptions):
        return None
    if not all(e.is_linear and e.names() <= free for e in (*inner, *(cond.form for cond in conds))):
        return None
    return shape.extents, tuple(dict.fromkeys(cond.form for cond in conds))


def _facts(known: Sequence[Cond], free: frozenset[str], assumed: Sequence[Poly] = ()) -> Facts:
    forms = [form for cond in known for form in ((cond.form, -cond.form) if cond.equality else (cond.form,))]
    return Facts(free, (*map(polynomial, forms), *assumed))


def _counted(
    noted: Sequence[_Noted], extents: Extents, assumed: tuple[Poly, ...], array: str, free: frozenset[str]
) -> Rows | None:
    """The rows with what the memory is asked to have; None if that is not one affine form."""
    import islpy as isl

    from raising.affine.polyhedral.bounding_box import affine_form
    from raising.frontend.lower.passes.delinearise import in_rows

    every, last = (isl.Set(_set(free, "false")) for _ in range(2))
    for n in noted:
        digits = in_rows(n.form, extents, _facts(n.known, free, assumed), array)
        if digits is None:
            return None
        row, *columns = map(affine, digits)
        ends = [Cond(c - affine(e) + 1, True) for c, e in zip(columns, extents[1:], strict=True) if e is not None]
        every = every | _rows(row, n.known, free)
        last = last | _rows(row, (*n.known, *ends), free) if n.certain else last
    before = isl.Map(f"[{', '.join(sorted(free))}] -> {{ [r] -> [s] : s <= r }}")
    if every.is_subset(last.apply(before)):
        return Rows(extents, None, assumed)
    most = affine_form(every.dim_max(0).coalesce().gist(every.params()))
    return None if most is None else Rows(extents, polynomial(most + 1), assumed)


def _rows(row: Lin, conds: Sequence[Cond], free: frozenset[str]) -> Any:
    """The rows that an access has under conditions."""
    import islpy as isl

    inside = sorted({name for cond in (*conds, Cond(row)) for name in cond.form.names()} - free)
    exists = f"exists {', '.join(inside)} : " if inside else ""
    return isl.Set(_set(free, exists + " and ".join([*(c.isl() for c in conds), f"r = {row.isl()}"])))


def _set(names: frozenset[str], conds: str) -> str:
    return f"[{', '.join(sorted(names))}] -> {{ [r] : {conds} }}"


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


def mapped(expr: Any, operands: Sequence[Poly | None], rank: int) -> Poly | None:
    """An expression of an affine map over polynomials; None if it divides, or what it takes is none."""
    return evaluated(expr, operands.__getitem__, rank, poly_const, _of_two)


def _of_two(sign: str, left: Poly | None, right: Poly | None) -> Poly | None:
    if left is None or right is None or sign not in ("+", "*"):
        return None
    return left + right if sign == "+" else left * right
