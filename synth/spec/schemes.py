"""Schemes: the ways a grammar can combine values, told apart by meaning only.

Productions with the same scalar body are one scheme; which of them spells a
given application is decided when the term is built.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property, lru_cache

import numpy as np

from raising.affine.ir.affine_expr import Lin
from raising.grammar.dialects.load import Grammar
from raising.grammar.evaluate.evaluator import run_body
from raising.grammar.evaluate.number import Num
from raising.grammar.terms.scalar_ops import SCALARS, combiners
from raising.grammar.terms.structured_op import CONSTANT, Body, Instr, Map, element_fits, scalar_part
from raising.grammar.terms.term import TensorType
from raising.support.record import dataclass


@dataclass(frozen=True)
class Scheme:
    """A scalar body over `arity` inputs, with the element patterns it takes and its combiner.

    With `starts_only`, the target cannot say it by itself: it stands for what an accumulation starts from.
    """

    body: Body
    elements: tuple[tuple[str, ...], ...]
    combiner: str | None
    starts_only: bool = False

    @property
    def arity(self) -> int:
        """The number of inputs."""
        return self.body.arity - 1

    @cached_property
    def commutative(self) -> bool:
        """Whether exchanging the two inputs changes nothing: measured, but only of schemes that come into use."""
        return _commutes(self.body)

    @property
    def operations(self) -> frozenset[str]:
        """The scalar operations of the body."""
        return frozenset(i.op for i in self.body.instrs)

    def result_element(self, types: tuple[TensorType, ...]) -> str | None:
        """The element type of the result for inputs of these types; None if they do not fit."""
        for pattern in self.elements:
            bound: dict[str, str] = {}
            if all(element_fits(p, t.element, bound) for p, t in zip(pattern[:-1], types, strict=True)):
                out = bound.get(pattern[-1], pattern[-1])
                if element_fits(pattern[-1], out, bound):
                    return out
        return None


@lru_cache(maxsize=8)
def schemes(grammar: Grammar) -> tuple[Scheme, ...]:
    """The schemes of a grammar; without identity bodies."""
    productions = grammar.productions
    patterns: dict[int, dict[tuple[str, ...], None]] = {}
    known, commutative = SCALARS.keys() | {CONSTANT}, combiners()
    bodies = {id(p.meaning.body): p.meaning.body for p in productions}  # thousands of productions share some hundred
    same: dict[Body, Body] = {}
    ordered = {number: same.setdefault(b, b) for number, body in bodies.items() for b in [body.ordered(commutative)]}
    told = {id(b) for b in same if b.instrs and {i.op for i in b.instrs} <= known and not _shaped_by_operand(b)}
    for production in productions:
        number = id(ordered[id(production.meaning.body)])
        if not production.family and number in told:
            patterns.setdefault(number, {})[production.elements] = None
    result = []
    named = {id(body): body for body in same}
    for number, elements in patterns.items():
        try:
            _, op = scalar_part(named[number])
            result.append(Scheme(named[number], tuple(elements), op))
        except ValueError:
            continue
    return tuple(sorted(result, key=lambda s: (s.combiner is None, s.arity, len(s.body.instrs), repr(s.body))))


def starts(available: tuple[Scheme, ...]) -> tuple[Scheme, ...]:
    """The combiners of accumulations that no pointwise scheme says: what is accumulated may still start anywhere."""
    alone = {s.body.instrs[0].op for s in available if s.combiner is None and len(s.body.instrs) == 1}
    patterns: dict[str, dict[tuple[str, ...], None]] = {}
    for scheme in available:
        if scheme.combiner is not None and scheme.combiner not in alone:
            found = patterns.setdefault(scheme.combiner, {})
            found.update(dict.fromkeys((pattern[-1],) * 3 for pattern in scheme.elements))
    return tuple(
        Scheme(Body(3, (Instr(op, (0, 1)),), 3), tuple(elements), None, starts_only=True)
        for op, elements in patterns.items()
    )


def _shaped_by_operand(body: Body) -> bool:
    """True if some input only gives its shape (a pooling window); `raising.grammar.terms.simplify` adds it where
    it is needed.
    """
    return not all(body.uses(k) for k in range(body.arity - 1))


def _commutes(body: Body) -> bool:
    """Whether exchanging two inputs changes nothing, by measurement at random numbers."""
    if body.arity != 3:
        return False
    inner, _ = scalar_part(body)
    rng = np.random.default_rng(7)
    draws = rng.integers(1, 1 << 40, size=(2, 16), dtype=np.uint64)
    a, b = (Num(d, d.astype(np.float64)) for d in draws)
    return bool(np.array_equal(run_body(inner, (a, b)).res, run_body(inner, (b, a)).res))


# ---- maps ----------------------------------------------------------------------------------------


def pairings(first: tuple[Lin, ...], second: tuple[Lin, ...]) -> Iterator[tuple[Map, Map]]:
    """Maps of two operands to common iteration dimensions: equal extents may meet, or stay apart."""
    rank = len(first)
    choices = [[*(d for d in range(rank) if first[d] == extent), rank + k] for k, extent in enumerate(second)]
    for chosen in itertools.product(*choices):
        if len(set(chosen)) == len(chosen):
            fresh = sorted(d for d in chosen if d >= rank)
            yield tuple(range(rank)), tuple(rank + fresh.index(d) if d >= rank else d for d in chosen)


def embeddings(small: tuple[Lin, ...], large: tuple[Lin, ...]) -> Iterator[Map]:
    """Every way to place the dimensions of `small` at distinct dimensions of `large` of equal extent."""
    for chosen in itertools.permutations(range(len(large)), len(small)):
        if all(large[c] == s for c, s in zip(chosen, small, strict=True)):
            yield chosen


def reductions(shared: list[int]) -> Iterator[tuple[int, ...]]:
    """Every non-empty subset of the shared dimensions."""
    for size in range(1, len(shared) + 1):
        yield from itertools.combinations(shared, size)
