"""Matching: which productions mean a structured computation, whatever the order of its inputs.

A production whose attributes hold coefficients (strides, dilations) stands for
all of them: they are compared with coefficients erased, and then read off.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations

from raising.grammar.select.rank_generalisation import beyond, rank
from raising.grammar.terms.scalar_ops import combiners
from raising.grammar.terms.structured_op import (
    Body,
    Map,
    Meaning,
    Production,
    coefficients,
    element_fits,
    is_linear,
    with_coefficients,
)
from raising.grammar.terms.term import Apply
from raising.support.record import dataclass

_MOST = 3  # inputs that are tried in every order


@dataclass(frozen=True)
class Said:
    """A production that means a computation, its attributes filled in: its input k is the term's input order[k]."""

    production: Production
    order: tuple[int, ...]

    @property
    def in_order(self) -> bool:
        """True if the inputs stand as in the term."""
        return self.order == tuple(range(len(self.order)))


class Matcher:
    """The productions of a grammar without a family, by meaning; most were probed up to `max_rank`."""

    def __init__(self, productions: Iterable[Production], max_rank: int = 4) -> None:
        self._max_rank = max_rank
        self._by_body: dict[Body, list[Production]] = {}
        self._fixed: dict[Body, dict[Meaning, list[tuple[Production, Meaning]]]] = {}
        self._known: dict[tuple[object, ...], tuple[Said, ...]] = {}
        commutative, ordered = combiners(), dict[int, list[Production]]()
        for p in productions:
            if p.family:
                continue
            number = id(p.meaning.body)  # thousands of productions share some hundred bodies
            if number not in ordered:
                ordered[number] = self._by_body.setdefault(p.meaning.body.ordered(commutative), [])
            ordered[number].append(p)

    def _of(self, body: Body) -> dict[Meaning, list[tuple[Production, Meaning]]]:
        """The productions with fixed maps and this body, by meaning; read when somebody asks for them."""
        if body not in self._fixed:
            found = self._fixed[body] = {}
            for p in self._by_body.get(body, ()):
                if not p.free_maps:
                    meaning = _ordered(p.meaning)
                    found.setdefault(_erased(meaning), []).append((p, meaning))
        return self._fixed[body]

    def said(self, term: Apply) -> tuple[Said, ...]:
        """The productions that mean an application; inputs are exchanged only where none says it as it is."""
        elements = (*(t.type.element for t in term.inputs), term.type.element)
        key = (term.maps, term.body, elements)
        if key not in self._known:
            self._known[key] = self._found(*key)
        return self._known[key]

    def _found(self, maps: tuple[Map, ...], body: Body, elements: tuple[str, ...]) -> tuple[Said, ...]:
        found = self._at(maps, body, elements, tuple(range(len(maps) - 1)))
        if len(maps) - 1 <= _MOST and all(s.production.free_maps for s in found):
            for order in list(permutations(range(len(maps) - 1)))[1:]:
                found += self._at(maps, body, elements, order)
        return tuple(found)

    def _at(self, maps: tuple[Map, ...], body: Body, elements: tuple[str, ...], order: tuple[int, ...]) -> list[Said]:
        places = (*order, len(order))
        meaning = _ordered(Meaning(tuple(maps[k] for k in places), exchanged(body, order)))
        pattern = tuple(elements[k] for k in places)
        fixed = (filled(p, own, meaning) for p, own in self._of(meaning.body).get(_erased(meaning), ()))
        found = [p for p in fixed if p is not None] + [p for p in self._by_body.get(meaning.body, ()) if p.free_maps]
        if rank(meaning) > self._max_rank:
            found += beyond(self._by_body.get(meaning.body, ()), meaning)
        return [Said(p, order) for p in found if _fits(p.elements, pattern)]


def exchanged(body: Body, order: Sequence[int]) -> Body:
    """The same function with its input order[k] as input k."""
    place = {old: new for new, old in enumerate(order)}
    instrs = tuple(replace(i, args=tuple(place.get(a, a) for a in i.args)) for i in body.instrs)
    return Body(body.arity, instrs, place.get(body.result, body.result))


def reordered(term: Apply, order: Sequence[int]) -> Apply:
    """The same application with its input order[k] as input k."""
    maps = (*(term.maps[k] for k in order), term.maps[-1])
    inputs = tuple(term.inputs[k] for k in order)
    return Apply(term.type, exchanged(term.body, order), maps, inputs, term.init)


def filled(p: Production, own: Meaning, meaning: Meaning) -> Production | None:
    """A production with the attributes that give a meaning its coefficients; None if there are none.

    `own` is what the production's sample means, numbered like `meaning`.
    """
    bound: dict[int, int] = {}
    held = {c for _, values, _ in p.factors for c in values}
    for sample, wanted in zip(coefficients(own.maps), coefficients(meaning.maps), strict=True):
        if (bound.setdefault(sample, wanted) if sample in held else sample) != wanted:
            return None
    if not held <= bound.keys():
        return None
    attrs = [(name, form.format(", ".join(str(bound[v]) for v in values))) for name, values, form in p.factors]
    return replace(p, attrs=tuple(sorted((*p.attrs, *attrs)))) if attrs else p


@cache
def _ordered(meaning: Meaning) -> Meaning:
    return Meaning(meaning.maps, meaning.body.ordered(combiners())).canonical()


def _erased(meaning: Meaning) -> Meaning:
    """A meaning without its coefficients."""
    if not is_linear(meaning.maps):
        return meaning
    return Meaning(with_coefficients(meaning.maps, [0] * len(coefficients(meaning.maps))), meaning.body)


def _fits(pattern: tuple[str, ...], elements: tuple[str, ...]) -> bool:
    bound: dict[str, str] = {}
    same = len(pattern) == len(elements)
    return same and all(element_fits(p, e, bound) for p, e in zip(pattern, elements, strict=True))
