"""Productions at ranks beyond those that were probed, learned from the ones that there are.

An elementwise operation means the same at every rank. Where one attribute lists dimensions, and is one fact
of the maps in every production of the operation, it is written from the maps of more dimensions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from raising.grammar.terms.structured_op import Map, Meaning, Production, is_projection
from raising.support.record import dataclass

_LISTED = re.compile(r"array<(i\d+)(?:: ([-\d, ]+))?>")

Fact = Callable[[Map, Map], Sequence[object]]  # of the maps of the only input and of the result; ValueError: is none


def _places(source: Map, out: Map) -> Sequence[object]:
    """For each dimension of the input the one of the result."""
    return [out.index(d) for d in source]


def _order(source: Map, out: Map) -> Sequence[object]:
    """For each dimension of the result the one of the input, which has no others."""
    if len(source) > len(out):
        raise ValueError(source)
    return [source.index(d) for d in out]


def _reduced(source: Map, out: Map) -> Sequence[object]:
    """The dimensions of the input that are not in the result, which has the others in their order."""
    if [d for d in source if d in out] != list(out):
        raise ValueError(out)
    return [k for k, d in enumerate(source) if d not in out]


def _added(source: Map, out: Map) -> Sequence[object]:
    """The dimensions of the result that are not in the input, which has the others in their order."""
    return _reduced(out, source)


_FACTS: tuple[Fact, ...] = (_places, _order, _reduced, _added)


@dataclass(frozen=True)
class _Rule:
    """How an operation is written at any rank: which fact of the maps `attribute` lists, if it lists one."""

    sample: Production
    attribute: str = ""
    kind: str = ""
    fact: Fact | None = None

    def at(self, meaning: Meaning) -> Production | None:
        """The production that means this; None if the operation does not."""
        if self.fact is None:
            return replace(self.sample, meaning=meaning) if _elementwise(meaning.maps) else None
        values = _listed(self.fact, meaning)
        if values is None:
            return None
        text = f"array<{self.kind}: {values}>" if values else f"array<{self.kind}>"
        attrs = tuple((n, text if n == self.attribute else t) for n, t in self.sample.attrs)
        return replace(self.sample, meaning=meaning, attrs=attrs)


def rank(meaning: Meaning) -> int:
    """The number of dimensions of the largest tensor."""
    return max(map(len, meaning.maps))


def beyond(productions: Iterable[Production], meaning: Meaning) -> Iterator[Production]:
    """Productions for a meaning of a higher rank than any of `productions`, which share its scalar body."""
    alike: dict[tuple[object, ...], list[Production]] = {}
    for p in productions:
        if not (p.free_maps or p.family or p.factors or p.units):
            cases = tuple((n, t) for n, t in p.attrs if not _LISTED.fullmatch(t))
            alike.setdefault((p.op, cases, p.elements, p.operands, p.meaning.body), []).append(p)
    for group in alike.values():
        rule = _learned(group) if max(rank(p.meaning) for p in group) < rank(meaning) else None
        made = rule.at(replace(meaning, body=group[0].meaning.body)) if rule is not None else None
        if made is not None:
            yield made


def _learned(group: list[Production]) -> _Rule | None:
    sample = max(group, key=lambda p: rank(p.meaning))
    listed = {n: m[1] for p in group for n, t in p.attrs if (m := _LISTED.fullmatch(t))}
    if not listed:
        return _Rule(sample) if all(_elementwise(p.meaning.maps) for p in group) else None
    if len(listed) > 1:
        return None
    ((name, kind),) = listed.items()
    fact = next((f for f in _FACTS if all(_holds(f, p, name) for p in group)), None)
    return _Rule(sample, name, kind, fact) if fact is not None else None


def _holds(fact: Fact, p: Production, name: str) -> bool:
    match = _LISTED.fullmatch(dict(p.attrs).get(name, ""))
    return match is not None and _listed(fact, p.meaning) == (match[2] or "")


def _listed(fact: Fact, meaning: Meaning) -> str | None:
    """A fact of the maps of one input and the result as text; None if they do not have it."""
    if len(meaning.maps) != 2 or not all(map(is_projection, meaning.maps)):
        return None
    try:
        return ", ".join(map(str, fact(*meaning.maps)))
    except ValueError:
        return None


def _elementwise(maps: Sequence[Map]) -> bool:
    return len(set(maps)) == 1 and is_projection(maps[0])
