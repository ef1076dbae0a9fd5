"""Arrays with more dimensions than they have in memory: `y[6*i + k]` is `y[i][k]` of rows of six elements.

The coefficients of loop variables in the subscripts of one dimension are radices. If each divides the next larger one,
and the largest divides the extent, then their quotients are the extents of the view, and a subscript of the array is
the number whose digits are the subscripts of the view. Each digit is shown to stay within its extent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

import islpy as isl

from raising.affine.ir.affine_expr import Lin, const
from raising.affine.ir.program import Array, Load, Node, Program, Store, forms, walk
from raising.affine.ir.rewriting import rewritten
from raising.affine.ir.value_names import defined
from raising.affine.polyhedral.scop import Access, accesses, params
from raising.affine.transforms.strip_mine import cut, lengths, with_residues, without_quotients
from raising.support.record import dataclass

_ROUNDS = 4  # of loops cut so that their variables are digits

Groups = tuple[tuple[int, ...], ...]
"""For each dimension of an array the extents of the dimensions that take its place."""


@dataclass(frozen=True)
class Viewed:
    """A program some of whose arrays have more dimensions, and for each of these how they make those of the memory."""

    program: Program
    groups: dict[str, Groups]


@dataclass(frozen=True)
class _Digits:
    """The digits of every subscript in one dimension, by access."""

    extents: tuple[int, ...]
    subscripts: dict[str, tuple[Lin, ...]]


def viewed(program: Program) -> Viewed | None:
    """The program over views of its arrays, loops cut where that takes subscripts apart; None if nothing changes."""
    inside = tuple(loop.iv for loop in program.outer)
    found = without_quotients(with_residues(replace(program, sizes=(*program.sizes, *inside))))
    for _ in range(_ROUNDS):
        cuts = {iv: length for array in found.arrays.values() for iv, length in _cuts(found, array)}
        if not cuts:
            break
        found = cut(found, cuts)
    views = {a.name: view for a in found.arrays.values() if (view := _view(found, a)) is not None}
    if not views and found.body == program.body:
        return None
    arrays = {n: _with_shape(a, views[n]) if n in views else a for n, a in found.arrays.items()}
    body = rewritten(found.body, lambda node: (_with_digits(node, views),))
    groups = {name: tuple(d.extents for d in view) for name, view in views.items()}
    return Viewed(replace(program, arrays=arrays, body=body), groups)


def needs_views(program: Program) -> bool:
    """True if a subscript is a quotient, or a store's a number of several digits: no map of dimensions says that."""
    for node in walk(program.body):
        if isinstance(node, Load | Store) and any(f.quotients() for f in forms(node)):
            return True
        if isinstance(node, Store) and any(_radices([f]) and len(f.terms) > 1 for f in node.subscripts):
            return True
    return False


# ---- one array -----------------------------------------------------------------------------------


def _view(program: Program, array: Array) -> tuple[_Digits, ...] | None:
    """The digits in each dimension; None if no dimension is taken apart."""
    used = _used(program, array.name)
    if array.kind in ("scalar", "gathered") or not all(s.is_const for s in array.shape):
        return None
    found = tuple(_dimension(program, used, k, extent.const) for k, extent in enumerate(array.shape))
    return found if any(len(d.extents) > 1 for d in found) else None


def _used(program: Program, array: str) -> list[Load | Store]:
    return [n for n in walk(program.body) if isinstance(n, Load | Store) and n.array == array]


def _dimension(program: Program, used: list[Load | Store], k: int, extent: int) -> _Digits:
    """The digits of one dimension; the subscripts themselves if it is not to be taken apart."""
    plain = _Digits((extent,), {defined(n)[0]: (n.subscripts[k],) for n in used})
    extents = _extents(used, k, extent)
    if len(extents) == 1:
        return plain
    where = {a.name: a for a in accesses(program)}
    found = {name: _placed(program, where[name], form, extents) for name, (form,) in plain.subscripts.items()}
    digits = {name: d for name, d in found.items() if d is not None}
    return _Digits(extents, digits) if len(digits) == len(found) else plain


def _extents(used: list[Load | Store], k: int, extent: int) -> tuple[int, ...]:
    """The extents by which a dimension is taken apart; its own if its subscripts give no radices."""
    subscripts = [n.subscripts[k] for n in used]
    if any(f.quotients() for f in subscripts):
        return (extent,)
    chain = (extent, *_radices(subscripts), 1)
    pairs = list(zip(chain, chain[1:], strict=False))
    several = any(len(f.terms) > 1 and _radices([f]) for f in subscripts)
    if not several or any(a % b or a == b for a, b in pairs):
        return (extent,)
    return tuple(a // b for a, b in pairs)


def _radices(subscripts: list[Lin]) -> list[int]:
    """The coefficients above one, largest first."""
    return sorted({abs(c) for f in subscripts for _, c in f.terms if abs(c) > 1}, reverse=True)


def _digits(form: Lin, extents: tuple[int, ...]) -> list[Lin]:
    """A subscript as digits, which need not be within their extents."""
    digits = []
    for k in range(len(extents)):
        weight = prod(extents[k + 1 :])
        digit = Lin(form.const // weight, tuple((a, c // weight) for a, c in form.terms if not c % weight))
        form = form - digit.scaled(weight)
        digits.append(digit)
    return digits


def _placed(program: Program, access: Access, form: Lin, extents: tuple[int, ...]) -> tuple[Lin, ...] | None:
    """The digits within their extents, one borrowed from the next where that is needed; None if there are none."""
    digits = _digits(form, extents)
    for k in range(len(digits) - 1, 0, -1):
        borrow = next((b for b in (0, 1, -1) if _within(program, access, digits[k] + extents[k] * b, extents[k])), None)
        if borrow is None:
            return None
        digits[k], digits[k - 1] = digits[k] + extents[k] * borrow, digits[k - 1] - borrow
    return tuple(digits) if _within(program, access, digits[0], extents[0]) else None


def _within(program: Program, access: Access, digit: Lin, extent: int) -> bool:
    """Whether a digit is in 0 … extent-1 wherever the access runs."""
    place = f"{access.name}[{', '.join(access.ivs)}]"
    outside = isl.Set(f"{params(program)}{{ {place} : {digit.isl()} < 0 or {digit.isl()} >= {extent} }}")
    return bool(access.domain.intersect(outside).is_empty())


# ---- loops to be cut -----------------------------------------------------------------------------


def _cuts(program: Program, array: Array) -> Iterator[tuple[str, int]]:
    """The loops whose variables make several digits of a subscript, and the lengths of strips that make one."""
    trips = lengths(program)
    used = _used(program, array.name) if array.kind != "scalar" else []
    for k, whole in enumerate(array.shape):
        extents = _extents(used, k, whole.const) if whole.is_const else ()
        for node in used if len(extents) > 1 else ():
            for digit, extent in zip(_digits(node.subscripts[k], extents)[1:], extents[1:], strict=True):
                yield from _longer(digit, extent, trips)


def _longer(digit: Lin, extent: int, trips: dict[str, int]) -> Iterator[tuple[str, int]]:
    for atom, c in digit.terms:
        length = extent // c if c > 0 and not extent % c else 0
        if isinstance(atom, str) and 1 < length < trips.get(atom, 0) and not trips[atom] % length:
            yield atom, length


# ---- the program over views ----------------------------------------------------------------------


def _with_shape(array: Array, view: tuple[_Digits, ...]) -> Array:
    return replace(array, shape=tuple(const(e) for digits in view for e in digits.extents))


def _with_digits(node: Node, views: dict[str, tuple[_Digits, ...]]) -> Node:
    """An access to a viewed array by the digits of its subscripts; other nodes as they are."""
    if isinstance(node, Load | Store) and node.array in views:
        return replace(node, subscripts=tuple(f for d in views[node.array] for f in d.subscripts[defined(node)[0]]))
    return node
