"""Learns what the attributes of element-moving operations hold, by measuring many instances.

An attribute has a role if its value equals one measured fact (a start, a
stride, an axis …) in every instance that the verifier accepts.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from raising.grammar.dialects.bindings import INFERS
from raising.grammar.dialects.op_signature import Op
from raising.grammar.measure.instance_reading import Reading
from raising.grammar.measure.verifier import Instance, Typed, completed
from raising.grammar.measure.workbench import NotStructured
from raising.grammar.probe.attribute_fields import Choice, Field, Fields
from raising.grammar.probe.layouts import Flavour, Layouts
from raising.grammar.probe.workshop import Workshop, produced
from raising.grammar.terms.structured_op import Meaning, Production

_BASES = ((), (7,), (5, 4), (3, 4, 2))
_ASKED, _READ, _PATIENCE = 1500, 40, 500  # per list of shapes; the last, without any that is accepted
_GIVE_UP = 10_000  # questions about an operation of which nothing could be read
Sample = tuple[Instance, Choice, Reading]


def families(op: Op, fields: Fields, layouts: Layouts, shop: Workshop, seen: Sequence[Sample]) -> list[Production]:
    """The productions that move elements, one per family, element type and way of using the operands."""
    groups: dict[tuple[object, ...], list[Sample]] = defaultdict(list)
    for sample in (*seen, *_samples(fields, layouts, shop)):
        instance, choice, reading = sample
        cases = tuple(v for f, v in zip(fields.fields, choice, strict=True) if f.sort == "case")
        groups[reading.family, reading.arguments, len(instance.operands), cases].append(sample)
    found: dict[Production, None] = {}
    for samples in groups.values():
        roles = _roles(fields, samples)
        if roles is not None:
            found.update(dict.fromkeys(_productions(fields, shop, samples, roles)))
    return list(found)


# ---- samples -------------------------------------------------------------------------------------


def _samples(fields: Fields, layouts: Layouts, shop: Workshop) -> Iterator[Sample]:
    asked, some = shop.verifier.queries, False
    for segments in layouts.counts(shop.target.max_inputs):
        flavour = Flavour((shop.target.elements[0],) * (sum(segments) + 1))
        for base in _BASES:
            choices = _choices(fields, flavour.elements[-1], base)
            for shapes in _shapes(base, sum(segments)):
                for sample in _read(choices, layouts, shop, flavour, segments, shapes, base):
                    some = True
                    yield sample
                if not some and shop.verifier.queries - asked > _GIVE_UP:
                    return


def _shapes(base: tuple[int, ...], count: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Operand shapes: the base, a longer one along some axis, or none at all."""
    longer = [tuple(n + 2 * (d == axis) for d, n in enumerate(base)) for axis in range(len(base))]
    options = list(dict.fromkeys([base, *longer, ()]))
    for rest in product(options, repeat=max(count - 1, 0)):
        yield (base, *rest)[:count]
    if count > 1 and base:
        yield ((), *[base] * (count - 1))


def _read(
    choices: Sequence[Choice],
    layouts: Layouts,
    shop: Workshop,
    flavour: Flavour,
    segments: tuple[int, ...],
    shapes: tuple[tuple[int, ...], ...],
    base: tuple[int, ...],
) -> Iterator[Sample]:
    reads = 0
    for asked, choice in enumerate(choices):
        if asked > _PATIENCE and reads == 0:
            return
        start = layouts.instance(flavour, shapes, choice, segments)
        if start is None:
            continue
        instance = _typed(shop, start, flavour.elements[-1], base)
        if instance is None:
            continue
        reads += 1
        if reads > _READ:
            return
        try:
            reading = shop.read(instance)[0]
        except NotStructured:
            continue
        if reading.family:
            yield instance, choice, reading


def _typed(shop: Workshop, start: Instance, element: str, base: tuple[int, ...]) -> Instance | None:
    """The instance with a result type: inferred, found by the target's pass, or of the base's shape."""
    if INFERS in start.op.traits:
        return completed(shop.verifier, start)
    if not start.operands:
        return completed(shop.verifier, replace(start, result=Typed(element, base)))
    if not shop.target.infer:
        return None
    return shop.verifier.refined(replace(start, result=Typed(element, (None,) * len(base))))


def _choices(fields: Fields, element: str, base: tuple[int, ...]) -> list[Choice]:
    """Values to try; a random part of them, always the same, where there are many."""
    options = [_options(f, element, base) for f in fields.fields]
    chance = random.Random(0)
    if math.prod(map(len, options)) <= _ASKED:
        level = [c for c in product(*options) if fields.level(c)]
        return chance.sample(level, len(level))
    by_length = [
        [[v for v in values if _length(v) in (None, n)] for values in options] for n in range(2 * len(base) + 1)
    ]
    by_length = [options for options in by_length if all(options)]
    picked = (tuple(chance.choice(v) for v in chance.choice(by_length)) for _ in range(_ASKED))
    return list(dict.fromkeys(picked))


def _length(value: object) -> int | None:
    return len(value) if isinstance(value, tuple) else None


def _options(field: Field, element: str, base: tuple[int, ...]) -> list[tuple[int, ...] | int | str]:
    rank = len(base)
    if field.sort == "case":
        return list(field.cases)
    if field.sort == "int":
        return list(range(max(rank, 1)))
    if field.sort == "dense":
        kind = Typed(element, base)
        return [f"dense<{literal(v, element)}> : {kind}" for v in (0, 1, 3)]
    most = {0: 0, 1: 8, 2: 5}.get(rank, 4)
    if field.attr.startswith("#"):
        return _listed(base, most)
    return [t for length in range(rank + 1) for t in product(range(most), repeat=length)]


def _listed(base: tuple[int, ...], most: int) -> list[tuple[int, ...] | int | str]:
    """Values for an operand that lists numbers: one or two per dimension, and other shapes of as many elements."""
    shapes = {base, base[::-1], (math.prod(base),), (1, *base), (*base, 1), base[:1] + (1,) + base[1:]}
    few = range(min(most, 3 if len(base) > 2 else most))
    pairs = product(range(3), repeat=2 * len(base)) if len(base) < 3 else ()
    return [*sorted(shapes), *product(few, repeat=len(base)), *pairs]


def literal(value: int, element: str) -> str:
    """An integer as a literal of an element type."""
    return f"{float(value)!r}" if element.startswith("f") else str(value)


# ---- roles ---------------------------------------------------------------------------------------

Roles = tuple[tuple[int, str], ...]


def _roles(fields: Fields, samples: list[Sample]) -> Roles | None:
    """The role of each field; None if one has none."""
    found = []
    for k, field in enumerate(fields.fields):
        if field.sort == "case":
            continue
        role = next((r for r in _ROLES if all(_holds(r, c[k], reading) for _, c, reading in samples)), None)
        if role is None:
            return None
        found.append((k, role))
    return tuple(found)


_ROLES = ("value", "start", "stride", "extent", "limit", "gap", "rest", "edges", "times", "axis", "axes")


def _holds(role: str, value: object, reading: Reading) -> bool:
    if role == "value":
        return reading.family == "fill" and isinstance(value, str) and _same_value(value, reading)
    facts = dict(reading.facts)
    given = value if isinstance(value, tuple) else (value,)
    if role == "limit" and {"start", "stride", "extent", "source"} <= facts.keys():
        return len(given) == len(facts["start"]) and all(_is_limit(v, facts, d) for d, v in enumerate(given))
    if role not in facts or len(facts[role]) != len(given):
        return False
    if role == "axes":
        return sorted(given) == sorted(facts[role])  # type: ignore[type-var]
    return all(f is None or v == f for v, f in zip(given, facts[role], strict=True))


def _is_limit(value: object, facts: dict[str, tuple[int | None, ...]], d: int) -> bool:
    start, extent, stride = facts["start"][d], facts["extent"][d], facts["stride"][d]
    assert isinstance(value, int) and start is not None and extent is not None
    if stride is None:
        return value > start
    return start + (extent - 1) * stride < value <= start + extent * stride


def _same_value(text: str, reading: Reading) -> bool:
    number = text.partition("<")[2].partition(">")[0]
    measured = dict(reading.meaning.body.instrs[0].attrs)["value"].split(":")[0].strip()
    truth = {"true": "1", "false": "0"}
    return float(truth.get(number, number)) == float(truth.get(measured, measured))


# ---- productions ---------------------------------------------------------------------------------


def _productions(fields: Fields, shop: Workshop, samples: list[Sample], roles: Roles) -> Iterator[Production]:
    instance, choice, _ = max(samples, key=lambda s: sum(len(t.shape) for t in s[0].operands))
    names = {t.element for t in instance.types()}
    written = tuple((fields.fields[k].attr, role, _format(fields, k)) for k, role in roles)
    held = {fields.fields[k].attr for k, _ in roles}
    for element in shop.target.elements if len(names) == 1 else ():
        other = _retyped(fields, instance, choice, element)
        accepted = completed(shop.verifier, other)
        if accepted is None:
            continue
        try:
            reading = shop.checked(accepted)
            made = produced(accepted, reading)
        except NotStructured:
            continue
        if reading.family == samples[0][2].family:
            attrs = tuple((n, t) for n, t in made.attrs if n not in held)
            operands = tuple(r for r in made.operands if not r.startswith('"'))
            operands += tuple(fields.open(element))
            yield replace(made, attrs=attrs, operands=operands, meaning=_sample(reading), roles=written)


def _sample(reading: Reading) -> Meaning:
    """The meaning on one dimension, which stands for all ranks."""
    maps = tuple(m[:1] for m in reading.meaning.maps)
    return replace(reading.meaning, maps=maps)


def _retyped(fields: Fields, instance: Instance, choice: Choice, element: str) -> Instance:
    operands = tuple(Typed(element, t.shape) for t in instance.operands)
    assert instance.result is not None
    result = None if INFERS in instance.op.traits else Typed(element, instance.result.shape)
    values = tuple(
        f"dense<{literal(1, element)}> : {Typed(element, instance.result.shape)}" if f.sort == "dense" else v
        for f, v in zip(fields.fields, choice, strict=True)
    )
    attrs, bound = fields.split(fields.attrs(values) or (), element)
    return replace(instance, operands=operands, attrs=attrs, bound=bound, result=result)


def _format(fields: Fields, number: int) -> str:
    """How the attribute is written, with `{}` for its value."""
    field = fields.fields[number]
    if field.sort == "dense":
        return "dense<{}> : {type}"
    if field.attr.startswith("#"):
        return "{}"
    mark: tuple[int, ...] | int = (777,) if field.sort == "dims" else 777
    form = next(f for f in fields.forms if f.attr == field.attr)
    return str(form.text((mark,))).replace("777", "{}")
