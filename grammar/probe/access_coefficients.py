"""Coefficients of access maps: which attributes hold them, learned by measuring instances with distinct primes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from raising.grammar.dialects.op_signature import Attr, Op
from raising.grammar.measure.workbench import Attrs
from raising.grammar.probe.worker_pool import survivors
from raising.grammar.terms.structured_op import Meaning, coefficients, with_coefficients
from raising.support.record import dataclass

_KIND = "DenseIntElementsAttr"
_FORM = "dense<[{{}}]> : tensor<{}xi64>"
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23)
_LENGTHS = (1, 2, 3)  # one number per dimension that a window moves along

Measure = Callable[[Attrs], Meaning | None]


@dataclass(frozen=True)
class Factors:
    """The attributes of a sample instance, what it means, and which coefficients their elements stand for."""

    attrs: Attrs
    meaning: Meaning
    held: tuple[tuple[str, tuple[int, ...], str], ...]


def learn(op: Op, accepts: Callable[[Attrs], bool], measure: Measure) -> Factors | None:
    """The coefficients that optional attributes of integers hold; None if they hold none.

    `accepts` may end the process; `measure` gives the meaning of an accepted instance.
    """
    lengths = {a.name: _length(a, accepts, measure) for a in op.attrs if a.optional and a.kind == _KIND}
    held = [(name, n) for name, n in lengths.items() if n]
    sample = _measured(held, _PRIMES, measure)
    other = _measured(held, _PRIMES[::-1], measure)
    if not held or sample is None or other is None:
        return None
    exchanged = dict(zip(_PRIMES, _PRIMES[::-1], strict=True))
    expected = [exchanged.get(c, c) for c in coefficients(sample.meaning.maps)]
    told = {v for _, values, _ in sample.held for v in values} <= set(coefficients(sample.meaning.maps))
    return sample if told and with_coefficients(sample.meaning.maps, expected) == other.meaning.maps else None


def _length(attr: Attr, accepts: Callable[[Attrs], bool], measure: Measure) -> int:
    """How many elements an attribute has that all show up as coefficients; 0 if there is no such number."""
    for n in survivors(list(_LENGTHS), lambda n: accepts(_written([(attr.name, n)], _PRIMES))):
        sample = _measured([(attr.name, n)], _PRIMES, measure)
        if sample is not None and set(_PRIMES[:n]) <= set(coefficients(sample.meaning.maps)):
            return n
    return 0


def _measured(held: Sequence[tuple[str, int]], primes: Sequence[int], measure: Measure) -> Factors | None:
    meaning = measure(_written(held, primes))
    if meaning is None:
        return None
    values = [values for _, values in _parts(held, primes)]
    marks = tuple((name, v, _FORM.format(n)) for (name, n), v in zip(held, values, strict=True))
    return Factors(_written(held, primes), meaning, marks)


def _parts(held: Sequence[tuple[str, int]], primes: Sequence[int]) -> list[tuple[str, tuple[int, ...]]]:
    rest = iter(primes)
    return [(name, tuple(next(rest) for _ in range(n))) for name, n in held]


def _written(held: Sequence[tuple[str, int]], primes: Sequence[int]) -> Attrs:
    """The attributes with each element a prime of its own."""
    return tuple((name, _FORM.format(len(v)).format(", ".join(map(str, v)))) for name, v in _parts(held, primes))
