"""Known inequalities: what is known of integers at a place, and proofs of `form >= 0` from it.

A proof is a walk of Fourier and Motzkin's elimination that looks for one combination of facts instead of making all of
them: it is quick, and may fail where a full decision procedure would not. Failing is safe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd

from raising.frontend.lower.ir.polynomial import Atom, Mono, Poly, Quot, Rem, const, var

_STEPS = 400
_DEPTH = 10


class Facts:
    """Forms that are known to be >= 0; `free` are the names that can be tested before the loops."""

    def __init__(
        self, free: frozenset[str] = frozenset(), forms: Iterable[Poly] = (), fewer: Facts | None = None
    ) -> None:
        self.free = free
        self.forms = tuple(dict.fromkeys(forms))
        self._numbers: Numbers = fewer._numbers if fewer else Numbers()
        known = fewer._numbered if fewer else ()  # of the first forms
        self._numbered: tuple[Numbered, ...] = (*known, *map(self._numbers.of, self.forms[len(known) :]))
        self._inside: tuple[Poly, ...] | None = None
        self._natural: dict[Poly, bool] = {}

    def with_forms(self, forms: Iterable[Poly]) -> Facts:
        """These facts, and that some forms are not negative."""
        return Facts(self.free, (*self.forms, *forms), self)

    def naming(self, name: str) -> Facts:
        """These facts, where one more name is free."""
        return Facts(self.free | {name}, self.forms, self)

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
        if self._inside is None:
            self._inside = tuple(dict.fromkeys(f for fact in self.forms for f in self._of_quotients(fact)))
        yield from self._search(form, (*self._of_quotients(form), *self._of_products(form), *self._inside))

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
        if form not in self._natural:
            bounds = self._search(form, ())
            self._natural[form] = any((least := bound.constant) is not None and least >= 0 for bound in bounds)
        return self._natural[form]

    def _search(self, form: Poly, more: Iterable[Poly]) -> Iterator[Poly]:
        """Forms that are <= a positive multiple of `form`, from these facts and some more."""
        numbers = self._numbers
        walk = _Walk([*self._numbered, *map(numbers.of, more)], numbers, self.free)
        return map(numbers.form, walk.below(numbers.of(form)))


Numbered = dict[int, int]
"""Coefficients of a form by the numbers of its products of names; `_ONE` is that of the constant term."""

_ONE = 0


class Numbers:
    """Numbers products of names: walks look at the same ones over and over, and comparing numbers is quick."""

    def __init__(self) -> None:
        self.products: list[Mono] = [()]
        self.order: list[tuple[str, ...]] = [()]
        self._known: dict[Mono, int] = {(): _ONE}

    def of(self, form: Poly) -> Numbered:
        """A form by numbers."""
        return {self._number(mono): c for mono, c in form.terms}

    def form(self, numbered: Numbered) -> Poly:
        """The form that was numbered."""
        return Poly(tuple((self.products[k], numbered[k]) for k in sorted(numbered, key=self.order.__getitem__)))

    def _number(self, mono: Mono) -> int:
        if mono not in self._known:
            self._known[mono] = len(self.products)
            self.products.append(mono)
            self.order.append(tuple(map(str, mono)))
        return self._known[mono]


class _Walk:
    """A walk that removes one product after the other from a form, by facts in which it has the same sign."""

    def __init__(self, facts: list[Numbered], numbers: Numbers, free: frozenset[str]) -> None:
        self.facts, self.numbers, self.free = facts, numbers, free
        self._with: dict[int, list[int]] = {}  # the places of the facts in which a product is
        for place, fact in enumerate(facts):
            for product in fact:
                self._with.setdefault(product, []).append(place)

    def below(self, form: Numbered) -> Iterator[Numbered]:
        """The form, and forms that are <= a positive multiple of it."""
        levels = [iter([(form, 0)])]
        steps = 0
        while levels:
            found, used = next(levels[-1], (None, 0))
            if found is None:
                levels.pop()
                continue
            steps += 1
            if steps > _STEPS:
                return
            yield found
            if len(levels) <= _DEPTH and not found.keys() <= {_ONE}:
                levels.append(self._smaller(found, used))

    def _smaller(self, form: Numbered, used: int) -> Iterator[tuple[Numbered, int]]:
        """The form without one of its products, by each fact that was not `used`; and the facts used then, as bits."""
        product = self._next(form)
        c = form[product]
        for place in self._with.get(product, ()):
            fact = self.facts[place]
            d = fact[product]
            if c * d > 0 and not used >> place & 1:  # subtracting a multiple of the fact removes the term
                yield _difference(form, abs(d), fact, abs(c)), used | 1 << place

    def _next(self, form: Numbered) -> int:
        """The last product in canonical order that cannot be tested before the loops, or the last of all."""
        products = sorted(form.keys() - {_ONE}, key=self.numbers.order.__getitem__, reverse=True)
        tested = (p for p in products if not self.free.issuperset(self.numbers.products[p]))
        return next(tested, products[0])


def _difference(a: Numbered, x: int, b: Numbered, y: int) -> Numbered:
    """x a - y b, divided by the common factor of its coefficients; its sign stays."""
    found = {product: c * x for product, c in a.items()}
    for product, c in b.items():
        found[product] = found.get(product, 0) - c * y
    found = {product: c for product, c in found.items() if c}
    factor = gcd(*found.values())
    return {product: c // factor for product, c in found.items()} if factor > 1 else found


def _quotient_facts(form: Poly) -> Iterator[Poly]:
    for atom in form.atoms():
        if isinstance(atom, Rem):
            yield var(atom)
            yield const(atom.divisor - 1) - var(atom)
        elif isinstance(atom, Quot):
            inside = atom.inner - var(atom) * atom.divisor
            yield inside
            yield const(atom.divisor - 1) - inside
