"""Delinearisation: `A[i * lda + k]` of a flat array is `A[i][k]` of rows of length `lda`.

The coefficients of loop variables in all subscripts of an array are its strides. If each divides the next larger one,
their quotients are extents, and a subscript is taken apart by them, the remainder of each in 0 … extent-1: by proof,
or by an assumption over sizes such as `k <= lda`.

    before  parameter a: f32[?] flat      a[i * lda + k]
    after   parameter a: f32[?][lda]      a[i][k]            assumed n <= lda
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import gcd

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.module import NotAffine
from raising.frontend.lower.ir.nodes import parts, with_parts
from raising.frontend.lower.ir.polynomial import Mono, Poly, Quot, const, divided, is_data, of, var
from raising.support.record import dataclass
from raising.support.source import Loc

Subscripts = tuple[Poly, ...]


@dataclass(frozen=True)
class Access:
    """A flat subscript, and what is known where it stands."""

    form: Poly
    facts: Facts
    loc: Loc


@dataclass(frozen=True)
class Shape:
    """Extents, and what each flat subscript becomes, by what is known where it stands."""

    extents: tuple[Poly | None, ...]
    subscripts: dict[tuple[Poly, tuple[Poly, ...]], Subscripts]
    assumptions: tuple[tp.Assumption, ...]


def delinearised(function: tp.Function) -> tp.Function:
    """The function with the shapes of its flat arrays found; `Refused` where a subscript is not affine."""
    found: dict[str, list[Access]] = {}
    for node, facts in accesses(function.body, function.facts):
        if function.arrays[node.array].flat:
            found.setdefault(node.array, []).append(Access(node.subscripts[0], facts, node.loc))
    shapes = {name: shape_of(function.arrays[name], used) for name, used in found.items()}
    arrays = {
        name: replace(array, shape=shapes[name].extents, flat=False) if name in shapes else array
        for name, array in function.arrays.items()
    }
    body = _reshaped(function.body, function.facts, shapes)
    new = tuple(dict.fromkeys(a for shape in shapes.values() for a in shape.assumptions))
    return replace(function, arrays=arrays, body=body, assumptions=(*function.assumptions, *new))


def accesses(nodes: tuple[tp.Node, ...], facts: Facts) -> Iterator[tuple[tp.Read | tp.Write, Facts]]:
    """Every access of memory, with what is known there."""
    for node in nodes:
        if isinstance(node, tp.Read | tp.Write):
            yield node, facts
        for inside, known in zip(parts(node), inner_facts(node, facts), strict=True):
            yield from accesses(inside, known)


def inner_facts(node: tp.Node, facts: Facts) -> tuple[Facts, ...]:
    """The facts that hold inside of each body of a node."""
    if isinstance(node, tp.For):
        low = (var(node.iv) - f for f in node.lower)
        return (facts.with_forms((*low, *(_last(node, f) - var(node.iv) for f in node.upper))),)
    if isinstance(node, tp.If):
        other = [c.negated() for conds in node.when for c in conds]
        opposite = [n[0] for n in other if len(n) == 1] if all(len(c) == 1 for c in node.when) else []
        inside = (form for c in node.when[0] for form in c.forms) if len(node.when) == 1 else ()
        return facts.with_forms(inside), facts.with_forms(form for c in opposite for form in c.forms)
    return tuple(facts for _ in parts(node))


def _last(loop: tp.For, end: Poly) -> Poly:
    """The largest value in front of an end that a loop's variable may have: its last step may be in front of that."""
    if loop.step == 1 or len(loop.lower) > 1:
        return end - 1
    steps = (end - 1 - loop.lower[0]).floordiv(loop.step)
    return end - 1 if any(isinstance(a, Quot) for a in steps.atoms()) else loop.lower[0] + steps * loop.step


def _reshaped(nodes: tuple[tp.Node, ...], facts: Facts, shapes: dict[str, Shape]) -> tuple[tp.Node, ...]:
    """Nodes whose accesses have the subscripts that their arrays have now, by what is known where each stands."""
    made: list[tp.Node] = []
    for node in nodes:
        if isinstance(node, tp.Read | tp.Write):
            made.append(_with_rows(node, facts, shapes))
            continue
        known = zip(parts(node), inner_facts(node, facts), strict=True)
        made.append(with_parts(node, tuple(_reshaped(part, inside, shapes) for part, inside in known)))
    return tuple(made)


def _with_rows(node: tp.Read | tp.Write, facts: Facts, shapes: dict[str, Shape]) -> tp.Read | tp.Write:
    subscripts = node.subscripts
    if node.array in shapes:
        subscripts = shapes[node.array].subscripts[subscripts[0], facts.forms]
    if not all(s.is_affine(facts.free) for s in subscripts):
        raise NotAffine(node.loc, node.array, "a subscript")
    return replace(node, subscripts=subscripts)


# ---- the shape of one array ----------------------------------------------------------------------


def shape_of(array: tp.Array, used: list[Access]) -> Shape:
    """The rows of a flat array by all its accesses; `NotAffine` where none explain them."""
    free = used[0].facts.free
    symbolic, constant = _strides(used, free)
    if array.shape[0] is None and not _whole_rows(used, [*symbolic, *constant]):
        constant = []
    of_structs = [[const(array.row)]] if array.row > 1 else []  # each of them is whole
    ways = (*of_structs, [*symbolic, *constant], symbolic, _coefficients(used, free))
    found = [shape for strides in ways if (shape := _with_strides(array, used, strides)) is not None]
    finest = _every_stride(used, free)
    fine = _with_strides(array, used, [*finest, *constant]) if len(finest) > len(symbolic) else None
    if fine is not None and not fine.assumptions:
        return fine
    if found:
        return min(found, key=lambda shape: bool(shape.assumptions))
    if all(a.form.is_affine(free) for a in used):
        return Shape(array.shape, {(a.form, a.facts.forms): (a.form,) for a in used}, ())
    wrong = next(a for a in used if not a.form.is_affine(free))
    raise NotAffine(wrong.loc, array.name, f"subscript {wrong.form}")


def _with_strides(array: tp.Array, used: list[Access], strides: list[Poly]) -> Shape | None:
    extents = _extents(array, strides)
    return _taken_apart(array, used, strides, extents) if extents is not None else None


def _every_stride(used: list[Access], free: frozenset[str]) -> list[Poly]:
    """Each multiple of sizes that a loop variable has as its factor, largest first: `y[(2 * i + r) * n + j]` is
    `y[i][r][j]`, if r is known to be below 2."""
    found: dict[Mono, set[int]] = {}
    for mono, c in (term for access in used for term in access.form.terms):
        size = tuple(a for a in mono if isinstance(a, str) and a in free)
        if size and len(size) < len(mono):
            found.setdefault(size, set()).add(abs(c))
    sizes = sorted(found, key=lambda m: (-len(m), m))
    return [of({m: c}) for m in sizes for c in sorted(found[m], reverse=True)]


def _strides(used: list[Access], free: frozenset[str]) -> tuple[list[Poly], list[Poly]]:
    """Strides that involve sizes, and constant ones above 1; largest first."""
    factors: dict[Mono, int] = {}
    numbers: set[int] = set()
    for access in used:
        for mono, c in access.form.terms:
            size = tuple(a for a in mono if isinstance(a, str) and a in free)
            if size and len(size) < len(mono):
                factors[size] = gcd(factors.get(size, 0), c)
            elif not size and mono and abs(c) > 1:
                numbers.add(abs(c))
    for access in used:
        for mono, c in access.form.terms:
            if mono in factors:
                factors[mono] = gcd(factors[mono], c)
    sizes = sorted(factors, key=lambda m: (-len(m), m))
    return [of({m: factors[m]}) for m in sizes], [const(c) for c in sorted(numbers, reverse=True)]


def _coefficients(used: list[Access], free: frozenset[str]) -> list[Poly]:
    """The whole coefficients of loop variables as strides, such as `width - 2` of rows of that length."""
    found: dict[Poly, None] = {}
    for access in used:
        groups: dict[Mono, dict[Mono, int]] = {}
        for mono, c in access.form.terms:
            size = tuple(a for a in mono if isinstance(a, str) and a in free)
            variable = tuple(a for a in mono if a not in size)
            if variable:
                groups.setdefault(variable, {})[size] = c
        found |= {of(terms): None for terms in groups.values() if any(terms)}
    return sorted(found, key=lambda p: (-max(len(m) for m, _ in p.terms), str(p)))


def _whole_rows(used: list[Access], strides: list[Poly]) -> bool:
    """False if only some columns are used, such as the even elements: then nobody says that the last row is whole."""
    if not strides:
        return True
    last = [_digits(access.form, strides)[-1].constant for access in used]
    length = strides[-1].constant
    return length is None or any(digit is None or digit % length == length - 1 for digit in last)


def _extents(array: tp.Array, strides: list[Poly]) -> tuple[Poly | None, ...] | None:
    """The extents that strides make; None if one does not divide the next."""
    if not strides:
        return None
    chain = [*strides, const(1)]
    inner = [_quotient(a, b) for a, b in zip(chain, chain[1:], strict=False)]
    if any(e is None for e in inner):
        return None
    whole = array.shape[0]
    first = _quotient(whole, strides[0]) if whole is not None else None
    if first is None and whole is not None:
        return None
    return (first, *inner)


def _quotient(form: Poly, divisor: Poly) -> Poly | None:
    """form / divisor if there is no remainder."""
    quotient, rest = divided(form, divisor)
    return quotient if rest.constant == 0 else None


def in_rows(form: Poly, extents: tuple[Poly | None, ...], facts: Facts, name: str) -> Subscripts | None:
    """A flat subscript as those of rows, if each is known to be inside of its extent."""
    strides = [const(1)]
    for extent in reversed(extents[1:]):
        assert extent is not None
        strides.append(strides[-1] * extent)
    placed = _placed(_digits(form, strides[:0:-1]), extents, Access(form, facts, Loc()), name)
    if placed is None or placed[1] or not all(s.is_affine(facts.free) for s in placed[0]):
        return None
    return placed[0]


def _taken_apart(
    array: tp.Array, used: list[Access], strides: list[Poly], extents: tuple[Poly | None, ...]
) -> Shape | None:
    subscripts: dict[tuple[Poly, tuple[Poly, ...]], Subscripts] = {}
    assumptions: list[tp.Assumption] = []
    for access in used:
        digits = _digits(access.form, strides)
        placed = _placed(digits, extents, access, array.name)
        if placed is None or not all(s.is_affine(access.facts.free) for s in placed[0]):
            return None
        subscripts[access.form, access.facts.forms] = placed[0]
        assumptions += placed[1]
    return Shape(extents, subscripts, tuple(assumptions))


def _digits(form: Poly, strides: list[Poly]) -> list[Poly]:
    """The quotients by each stride, and the rest."""
    digits = []
    for stride in strides:
        digit, form = divided(form, stride)
        digits.append(digit)
    return [*digits, form]


def _placed(
    digits: list[Poly], extents: tuple[Poly | None, ...], access: Access, name: str
) -> tuple[Subscripts, list[tp.Assumption]] | None:
    """The digits as subscripts within their extents, borrowing one from the next where that is needed."""
    placed = list(digits)
    assumptions: list[tp.Assumption] = []
    for k in range(len(placed) - 1, 0, -1):
        extent = extents[k]
        assert extent is not None
        tries = [(b, _within(placed[k] + extent * b, extent, access, name)) for b in (0, 1, -1)]
        fitting = [(borrow, needs) for borrow, needs in tries if needs is not None]
        if not fitting:
            return None
        borrow, needs = next((found for found in fitting if not found[0] or not found[1]), fitting[0])
        placed[k], placed[k - 1] = placed[k] + extent * borrow, placed[k - 1] - borrow
        assumptions += needs
    return tuple(placed), assumptions


def _within(digit: Poly, extent: Poly, access: Access, name: str) -> list[tp.Assumption] | None:
    """The assumptions under which `0 <= digit < extent`; None if there are none that sizes can meet."""
    found, rows = [], access.facts.with_forms((extent - 1,))
    for form in (digit, extent - 1 - digit):
        if access.facts.proves(form):
            continue
        if is_data(form):
            text = f"rows of '{name}' have {extent} elements, and a subscript that is data stays in its row"
            found.append(tp.Assumption(access.loc, text))
            continue
        needed = access.facts.reduce(form) if extent.constant is None else None
        if needed is None or _only_few(needed) or rows.proves(-needed - 1):
            return None
        text = f"{needed.at_least_zero}: rows of '{name}' have {extent} elements, and a subscript stays in its row"
        found.append(tp.Assumption(access.loc, text, (tp.Cond(needed),)))
    return found


def _only_few(needed: Poly) -> bool:
    """Whether it holds for no sizes, for all, or for small ones only, as `d <= 1`: no loops are written for these."""
    return all(c < 0 for mono, c in needed.terms if mono)
