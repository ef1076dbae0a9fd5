"""Sums in integers of few bits, which wrap around only after more steps than runs at small sizes have.

Programs that add up in the same types wrap around alike. Where the types differ, both are run on the largest and the
least numbers, with loops as long as numbers of 8 bits take to leave 16.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from raising.affine.ir.integer_types import is_integer
from raising.affine.ir.program import Program
from raising.affine.ir.value_names import computes_of
from raising.grammar.evaluate.extents import Accesses
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.evaluate.size_vectors import Unsizable, fits
from raising.grammar.terms.scalar_ops import SCALARS
from raising.validate.base.verdict import Counterexample
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.replay import shown_on
from raising.validate.run.run import TooLarge
from raising.validate.run.sizes_to_run import small_sizes
from raising.validate.run.telling_inputs import extremes

_LENGTH = 300
_STEPS = 20_000


def unlike_sums(pair: Pair) -> bool:
    """Whether the programs add up, or multiply, integers of different types."""
    return _types(pair.source) != _types(pair.target)


def wrapped(pair: Pair, assumed: Assumptions) -> Counterexample | None:
    """An input on which long sums differ; None if no run shows one."""
    for sizes in _lengths(pair):
        with suppress(TooLarge, Unsupported):
            found = shown_on(pair, sizes, assumed, extremes())
            if found is not None:
                return found
    return None


def _types(program: Program) -> set[str]:
    computed = (n for n in computes_of(program).values() if is_integer(n.element) and n.op in SCALARS)
    return {n.element for n in computed if SCALARS[n.op].residue in ("add", "sub", "mul")}


def _lengths(pair: Pair) -> Iterator[dict[str, int]]:
    """Sizes of which one is large, and the extents that it needs."""
    with suppress(Unsizable):
        small, accesses = small_sizes(pair, 1)[0], Accesses(pair.source)
        for name in small:
            sizes = accesses.reached({**small, name: _LENGTH})
            if fits(accesses, sizes, _STEPS):
                yield sizes
