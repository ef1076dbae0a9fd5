"""Integer polynomials over names: what subscripts, bounds and sizes are before they are known to be affine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from raising.affine.ir.sparse_polynomials import without
from raising.support.record import dataclass


@dataclass(frozen=True)
class Quot:
    """floor(inner / divisor), divisor > 0."""

    inner: Poly
    divisor: int

    def __str__(self) -> str:
        return f"({self.inner}) / {self.divisor}"


@dataclass(frozen=True)
class Rem:
    """inner mod divisor, in 0 … divisor-1."""

    inner: Poly
    divisor: int

    def __str__(self) -> str:
        return f"({self.inner}) % {self.divisor}"


Atom = str | Quot | Rem
Mono = tuple[Atom, ...]


@dataclass(frozen=True)
class Poly:
    """Σ coefficient · product of atoms, in canonical order without zero coefficients."""

    terms: tuple[tuple[Mono, int], ...] = ()

    def __add__(self, other: Poly | int) -> Poly:
        added = const(other) if isinstance(other, int) else other
        if not self.terms or not added.terms:
            return self if self.terms else added
        if added.constant is not None:
            return self._shifted(added.constant)
        sums = dict(self.terms)
        for mono, c in added.terms:
            sums[mono] = sums.get(mono, 0) + c
        return of(sums)

    def __neg__(self) -> Poly:
        return Poly(tuple((m, -c) for m, c in self.terms))

    def __sub__(self, other: Poly | int) -> Poly:
        return self + (-other)

    def _shifted(self, by: int) -> Poly:
        offset, rest = self.offset + by, tuple(term for term in self.terms if term[0])
        return Poly((((), offset), *rest) if offset else rest)

    def __mul__(self, other: Poly | int) -> Poly:
        if isinstance(other, int):
            return Poly(tuple((m, c * other) for m, c in self.terms)) if other else Poly()
        sums: dict[Mono, int] = {}
        for a, x in self.terms:
            for b, y in other.terms:
                mono = tuple(sorted(a + b, key=str)) if a and b else a or b
                sums[mono] = sums.get(mono, 0) + x * y
        return of(sums)

    @property
    def constant(self) -> int | None:
        """The value if no name occurs, else None."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @property
    def offset(self) -> int:
        """The constant term."""
        return self.terms[0][1] if self.terms and not self.terms[0][0] else 0

    @property
    def is_linear(self) -> bool:
        """True if no product of names occurs, inside quotients too."""
        return all(len(m) <= 1 and all(isinstance(a, str) or a.inner.is_linear for a in m) for m, _ in self.terms)

    def is_affine(self, sizes: frozenset[str]) -> bool:
        """True if it is linear, products of sizes taken for sizes of their own."""
        return all(len(m) <= 1 or all(a in sizes for a in m) for m, _ in self.terms) and all(
            isinstance(a, str) or a.inner.is_linear for a in self.atoms()
        )

    def coefficient(self, atom: Atom) -> int:
        """The coefficient of the term that is the atom alone."""
        return next((c for mono, c in self.terms if mono == (atom,)), 0)

    def atoms(self) -> Iterator[Atom]:
        """Every atom of every term."""
        return (atom for mono, _ in self.terms for atom in mono)

    def names(self) -> frozenset[str]:
        """Every name that occurs, inside quotients too."""
        found: set[str] = set()
        for atom in self.atoms():
            found |= {atom} if isinstance(atom, str) else atom.inner.names()
        return frozenset(found)

    def floordiv(self, divisor: int) -> Poly:
        """floor(self / divisor) for divisor > 0."""
        if all(c % divisor == 0 for _, c in self.terms):
            return Poly(tuple((m, c // divisor) for m, c in self.terms))
        whole = of({m: c // divisor for m, c in self.terms if m and c % divisor == 0})
        rest = self - whole * divisor
        if rest.constant is not None:
            return whole + rest.constant // divisor
        return whole + var(Quot(rest, divisor))

    def mod(self, divisor: int) -> Poly:
        """self mod divisor, in 0 … divisor-1."""
        rest = of({m: c % divisor for m, c in self.terms})
        return rest if rest.constant is not None else var(Rem(rest, divisor))

    def substitute(self, values: Mapping[str, Poly]) -> Poly:
        """Each name replaced by its value, where it has one."""
        if not self.names() & values.keys():
            return self
        out = const(0)
        for mono, c in self.terms:
            term = const(c)
            for atom in mono:
                term = term * _substituted(atom, values)
            out = out + term
        return out

    def text(self, shown: Callable[[str], str] = str) -> str:
        """The polynomial in C's notation."""
        parts = []
        for mono, c in sorted(self.terms, key=lambda t: not t[0]):
            factors = [shown(a) if isinstance(a, str) else f"({a})" for a in mono]
            parts.append(" * ".join(([str(c)] if c != 1 or not mono else []) + factors))
        return " + ".join(parts).replace("+ -", "- ") or "0"

    def __str__(self) -> str:
        return self.text()

    @property
    def at_least_zero(self) -> str:
        """`self >= 0` as an inequality without minus signs."""
        left, right = of({m: -c for m, c in self.terms if c < 0}), of({m: c for m, c in self.terms if c > 0})
        if left.constant is not None:
            return f"{right} >= {left}"
        return f"{left} <= {right}"


def _substituted(atom: Atom, values: Mapping[str, Poly]) -> Poly:
    if isinstance(atom, str):
        return values.get(atom, var(atom))
    inner = atom.inner.substitute(values)
    return inner.floordiv(atom.divisor) if isinstance(atom, Quot) else inner.mod(atom.divisor)


def of(sums: Mapping[Mono, int]) -> Poly:
    """The polynomial with these coefficients."""
    terms = [term for term in sums.items() if term[1]]
    return Poly(tuple(sorted(terms, key=_order) if len(terms) > 1 else terms))


def _order(term: tuple[Mono, int]) -> tuple[str, ...]:
    return tuple(map(str, term[0]))


def const(value: int) -> Poly:
    """The polynomial that is one integer."""
    return Poly((((), value),)) if value else Poly()


def var(atom: Atom) -> Poly:
    """The polynomial that is one name, quotient or remainder."""
    return Poly((((atom,), 1),))


MARK = "%"
"""How the name of a numbered value begins, where an integer that is data is part of a form."""
ADDRESS = "&"
"""How the name of the address of an array begins: no more than whether it is 0 is ever asked."""


def values_in(form: Poly) -> list[int]:
    """The numbers of the values that are part of a form, in order."""
    return sorted(int(name[len(MARK) :]) for name in form.names() if name.startswith(MARK))


def is_data(form: Poly) -> bool:
    """Whether a form is over integers that are data."""
    return any(name.startswith(MARK) for name in form.names())


def divided(form: Poly, divisor: Poly) -> tuple[Poly, Poly]:
    """Quotient and remainder, by the divisor's term of highest degree; constants round down."""
    lead, c = max(divisor.terms, key=lambda t: (len(t[0]), tuple(map(str, t[0]))))
    quotient, rest = const(0), form
    for mono, _ in sorted(form.terms, key=lambda t: -len(t[0])):
        x = dict(rest.terms).get(mono, 0)
        part = without(mono, lead)
        if part is not None and x and (x % c == 0 or not mono):
            step = of({part: x // c})
            quotient, rest = quotient + step, rest - step * divisor
    return quotient, rest


def isl_text(form: Poly, names: Mapping[str, str]) -> str:
    """A linear form as isl writes it, with these names."""
    return " + ".join(f"{c} * {_isl_atom(mono[0], names)}" if mono else str(c) for mono, c in form.terms) or "0"


def _isl_atom(atom: Atom, names: Mapping[str, str]) -> str:
    if isinstance(atom, str):
        return names[atom]
    inner = isl_text(atom.inner, names)
    return f"floor(({inner}) / {atom.divisor})" if isinstance(atom, Quot) else f"(({inner}) mod {atom.divisor})"
