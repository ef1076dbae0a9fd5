"""Quasi-affine expressions: integer linear forms over names and floored quotients.

`Lin` is what subscripts, loop bounds and conditions of a `Program` are made of: it can be evaluated, substituted into
and printed for isl, and its atoms are names (`str`) or `Floor`. `Affine` is the same over the terms of native code's
loop nests, which are dimensions of the nest or index values around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from raising.support.record import dataclass


@dataclass(frozen=True)
class Floor:
    """floor(inner / divisor), divisor > 0."""

    inner: Lin
    divisor: int


Atom = str | Floor


@dataclass(frozen=True)
class Lin:
    """const + Σ coefficient · atom, in canonical order without zero coefficients."""

    const: int = 0
    terms: tuple[tuple[Atom, int], ...] = ()

    def __add__(self, other: Lin | int) -> Lin:
        if isinstance(other, int):
            return Lin(self.const + other, self.terms)
        sums = dict(self.terms)
        for atom, c in other.terms:
            sums[atom] = sums.get(atom, 0) + c
        return Lin(self.const + other.const, _canonical(sums))

    def __neg__(self) -> Lin:
        return self.scaled(-1)

    def __sub__(self, other: Lin | int) -> Lin:
        return self + (-other)

    def scaled(self, factor: int) -> Lin:
        """The form times an integer."""
        return Lin(self.const * factor, _canonical({a: c * factor for a, c in self.terms}))

    def floordiv(self, divisor: int) -> Lin:
        """floor(self / divisor) for divisor > 0."""
        if all(c % divisor == 0 for _, c in self.terms):
            return Lin(self.const // divisor, tuple((a, c // divisor) for a, c in self.terms))
        return Lin(0, ((Floor(self, divisor), 1),))

    def mod(self, divisor: int) -> Lin:
        """self mod divisor, in 0 … divisor-1."""
        return self - self.floordiv(divisor).scaled(divisor)

    @property
    def is_const(self) -> bool:
        """True if no name occurs."""
        return not self.terms

    def names(self) -> frozenset[str]:
        """Every name that occurs, inside quotients too."""
        found: set[str] = set()
        for atom, _ in self.terms:
            found |= {atom} if isinstance(atom, str) else atom.inner.names()
        return frozenset(found)

    def quotients(self) -> list[Floor]:
        """Every quotient that occurs, each before those inside of it."""
        atoms = [atom for atom, _ in self.terms if isinstance(atom, Floor)]
        return [quotient for atom in atoms for quotient in (atom, *atom.inner.quotients())]

    def with_atoms(self, replace: Callable[[Atom], Lin]) -> Lin:
        """The constant, and `replace(atom)` in place of each name and quotient."""
        return sum((replace(atom).scaled(c) for atom, c in self.terms), Lin(self.const))

    def evaluate(self, env: Mapping[str, int]) -> int:
        """The value under `env`, whose values may also be arrays; KeyError for an unbound name."""
        value = self.const
        for atom, c in self.terms:
            value = value + c * (env[atom] if isinstance(atom, str) else atom.inner.evaluate(env) // atom.divisor)
        return value

    def substitute(self, replace: Callable[[str], Lin | None]) -> Lin:
        """Each name n with `replace(n)`, or itself where that is None."""
        out = Lin(self.const)
        for atom, c in self.terms:
            if isinstance(atom, str):
                out = out + (replace(atom) or var(atom)).scaled(c)
            else:
                out = out + atom.inner.substitute(replace).floordiv(atom.divisor).scaled(c)
        return out

    def as_offset(self) -> tuple[str, int] | None:
        """(name, offset) if the form is one name with coefficient 1 plus a constant."""
        if len(self.terms) == 1 and self.terms[0][1] == 1 and isinstance(self.terms[0][0], str):
            return self.terms[0][0], self.const
        return None

    def isl(self) -> str:
        """The form in isl's notation."""
        parts = [str(self.const)] if self.const or not self.terms else []
        for atom, c in self.terms:
            text = atom if isinstance(atom, str) else f"floor(({atom.inner.isl()})/{atom.divisor})"
            parts.append(f"{c}*{text}")
        return " + ".join(parts)

    def __str__(self) -> str:
        parts = []
        for atom, c in self.terms:
            text = atom if isinstance(atom, str) else f"floor(({atom.inner})/{atom.divisor})"
            parts.append(text if c == 1 else f"{c}*{text}")
        if self.const or not parts:
            parts.append(str(self.const))
        return " + ".join(parts).replace("+ -", "- ")


def _canonical(sums: Mapping[Atom, int]) -> tuple[tuple[Atom, int], ...]:
    return tuple(sorted(((a, c) for a, c in sums.items() if c), key=lambda t: (isinstance(t[0], Floor), str(t[0]))))


def var(name: str) -> Lin:
    """The form that is one name."""
    return Lin(0, ((name, 1),))


def const(value: int) -> Lin:
    """The form that is one integer."""
    return Lin(value)


@dataclass(frozen=True)
class Cond:
    """`form >= 0`, or `form == 0` when `equality`."""

    form: Lin
    equality: bool = False

    def holds(self, env: Mapping[str, int]) -> bool:
        """The condition under `env`."""
        value = self.form.evaluate(env)
        return value == 0 if self.equality else value >= 0

    def with_form(self, change: Callable[[Lin], Lin]) -> Cond:
        """The condition with `change` applied to its form."""
        return Cond(change(self.form), self.equality)

    def substitute(self, replace: Callable[[str], Lin | None]) -> Cond:
        """The condition on other forms: each name n with `replace(n)`, or itself where that is None."""
        return Cond(self.form.substitute(replace), self.equality)

    def isl(self) -> str:
        """The condition in isl's notation."""
        return f"{self.form.isl()} {'=' if self.equality else '>='} 0"

    def negated(self) -> tuple[Cond, ...]:
        """Alternatives of which one holds exactly when this does not."""
        below, above = Cond(-self.form - 1), Cond(self.form - 1)
        return (below, above) if self.equality else (below,)


def between(name: str, lower: Iterable[Lin], upper: Iterable[Lin]) -> tuple[Cond, ...]:
    """The conditions that a loop variable is at least each lower bound and below each upper one."""
    iv = var(name)
    return (*(Cond(iv - f) for f in lower), *(Cond(f - iv - 1) for f in upper))


def compared(cond: Cond) -> tuple[Lin, Lin, str]:
    """A condition as two forms, what is added and what is taken away, and `eq`, `ge` or `gt` between them.

    A comparison with 0 would have to compute their difference, which integers of a machine may not hold.
    """
    form, name = cond.form, "eq" if cond.equality else "ge"
    if not cond.equality and form.const == -1:
        form, name = form + 1, "gt"
    less = Lin(max(0, -form.const), tuple((a, -c) for a, c in form.terms if c < 0))
    return form + less, less, name


Term = int | str
"""A dimension of the nest by its number, or an index value outside of it by its name."""


@dataclass(frozen=True)
class Affine:
    """constant + the sum of coefficient * term; each term stands once, in order, with a coefficient that is not 0."""

    constant: int
    terms: tuple[tuple[Term, int], ...] = ()

    def __add__(self, other: Affine | int) -> Affine:
        more = other if isinstance(other, Affine) else Affine(other)
        sums = dict(self.terms)
        for term, factor in more.terms:
            sums[term] = sums.get(term, 0) + factor
        return _affine(self.constant + more.constant, sums)

    def __mul__(self, factor: int) -> Affine:
        return _affine(self.constant * factor, {term: value * factor for term, value in self.terms})

    def __sub__(self, other: Affine | int) -> Affine:
        return self + other * -1

    def coefficient(self, term: Term) -> int:
        """The factor of a term; 0 if it does not occur."""
        return dict(self.terms).get(term, 0)

    @property
    def dims(self) -> frozenset[int]:
        """The dimensions that occur."""
        return frozenset(term for term, _ in self.terms if isinstance(term, int))

    @property
    def symbols(self) -> frozenset[str]:
        """The values outside of the nest that occur."""
        return frozenset(term for term, _ in self.terms if isinstance(term, str))

    @property
    def is_constant(self) -> bool:
        """Whether it is a number."""
        return not self.terms

    @property
    def known(self) -> int | None:
        """The number that it is, if it is one."""
        return None if self.terms else self.constant

    def substitute(self, values: Mapping[Term, Affine]) -> Affine:
        """Put an expression in place of each of these terms, all at once."""
        result = Affine(self.constant)
        for term, factor in self.terms:
            result = result + values.get(term, dim(term)) * factor
        return result


def dim(term: Term) -> Affine:
    """The expression that is this one term."""
    return Affine(0, ((term, 1),))


def _affine(constant: int, terms: Mapping[Term, int]) -> Affine:
    kept = [(term, factor) for term, factor in terms.items() if factor]
    return Affine(constant, tuple(sorted(kept, key=lambda pair: (isinstance(pair[0], str), str(pair[0]).zfill(9)))))


def linear(sign: str, left: Affine | None, right: Affine | None) -> Affine | None:
    """What a sign of MLIR's affine expressions makes of two; None if that is no sum."""
    if left is None or right is None:
        return None
    if sign == "+":
        return left + right
    one, other = (left, right) if right.is_constant else (right, left)
    return one * other.constant if sign == "*" and other.is_constant else None
