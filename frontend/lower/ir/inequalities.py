"""Known inequalities: what is known of integers at a place, and proofs of `form >= 0` from it.

A proof is a walk of Fourier and Motzkin's elimination that looks for one combination of facts instead of making all of
them: it is quick, and may fail where a full decision procedure would not. Failing is safe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd

from raising.frontend.lower.ir.polynomial import Atom, Poly, Quot, Rem, const, of, var

_STEPS = 400
_DEPTH = 10


class Facts:
    """Forms that are known to be >= 0; `free` are the names that can be tested before the loops."""

    def __init__(self, free: frozenset[str] = frozenset(), forms: Iterable[Poly] = ()) -> None:
        self.free = free
        self.forms = tuple(forms)
        self._inside: tuple[Poly, ...] | None = None

    def with_forms(self, forms: Iterable[Poly]) -> Facts:
        """These facts, and that some forms are not negative."""
        return Facts(self.free, (*self.forms, *forms))

    def naming(self, name: str) -> Facts:
        """These facts, where one more name is free."""
        return Facts(self.free | {name}, self.forms)

    def proves(self, form: Poly) -> bool:
        """True if `form >= 0` follows."""
        if form.constant is not None:
            return form.constant >= 0
        return any((low := bound.constant) is not None and low >= 0 for bound in self.below(form))

    def reduce(self, form: Poly) -> Poly | None:
        """A form over the free names only, whose being >= 0 makes `form` >= 0; None if none is found."""
        for bound in self.below(form):
            usable = bound.names() <= self.free and bound.is_linear and bound.constant is None
            if usable and not self.proves(-bound - 1):
                return bound
        return None

    def below(self, form: Poly) -> Iterator[Poly]:
        """Forms that are <= a positive multiple of `form`, from the facts."""
        budget = [_STEPS]
        if self._inside is None:
            self._inside = tuple(f for fact in self.forms for f in self._of_quotients(fact))
        known = [*self.forms, *self._of_quotients(form), *self._of_products(form), *self._inside]
        yield from self._search(form, known, budget, _DEPTH)

    def _of_quotients(self, form: Poly) -> Iterator[Poly]:
        """Facts about the quotients and remainders in a form; the quotient of a form that is >= 0 is >= 0."""
        yield from _quotient_facts(form)
        for atom in form.atoms():
            if isinstance(atom, Quot) and self._is_natural(atom.inner):
                yield var(atom)

    def _of_products(self, form: Poly) -> Iterator[Poly]:
        """Facts about the products in a form: factors that are at least 0 or 1 have a product of what is above that.

        `y * w - w` is known to be >= 0 where `y >= 1` and `w >= 0` are.
        """
        for mono, c in form.terms:
            lows = [self._low(atom) for atom in mono] if len(mono) > 1 and c > 0 else [None]
            product = const(1)
            for atom, low in zip(mono, lows, strict=False):
                if low is None:
                    break
                product = product * (var(atom) - low)
            else:
                yield product

    def _low(self, atom: Atom) -> int | None:
        """The larger one of 1 and 0 that an atom is known to reach."""
        return next((low for low in (1, 0) if self._is_natural(var(atom) - low)), None)

    def _is_natural(self, form: Poly) -> bool:
        bounds = self._search(form, list(self.forms), [_STEPS], _DEPTH)
        return any((least := bound.constant) is not None and least >= 0 for bound in bounds)

    def _search(self, form: Poly, forms: list[Poly], budget: list[int], depth: int) -> Iterator[Poly]:
        budget[0] -= 1
        if budget[0] < 0:
            return
        yield form
        if form.constant is not None or depth == 0:
            return
        monos = [m for m, _ in reversed(form.terms) if m]
        mono = next((m for m in monos if not set(m) <= self.free), monos[0])
        c = next(x for m, x in form.terms if m == mono)
        for k, fact in enumerate(forms):
            d = next((x for m, x in fact.terms if m == mono), 0)
            if c * d > 0:  # subtracting a multiple of the fact removes the term
                smaller = _lowest(form * abs(d) - fact * abs(c))
                yield from self._search(smaller, forms[:k] + forms[k + 1 :], budget, depth - 1)


def _quotient_facts(form: Poly) -> Iterator[Poly]:
    for atom in form.atoms():
        if isinstance(atom, Rem):
            yield var(atom)
            yield const(atom.divisor - 1) - var(atom)
        elif isinstance(atom, Quot):
            inside = atom.inner - var(atom) * atom.divisor
            yield inside
            yield const(atom.divisor - 1) - inside


def _lowest(form: Poly) -> Poly:
    """The form divided by the common factor of its coefficients; its sign stays."""
    factor = gcd(*(c for _, c in form.terms)) if form.terms else 1
    return of({m: c // factor for m, c in form.terms}) if factor > 1 else form
