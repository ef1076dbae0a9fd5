"""Clamps: the second of two comparisons looks at what the first one left, so that each becomes one instruction.

A minimum or a maximum of vectors is a selection between the two values that are compared. In C, both bounds are mostly
compared with the value itself. The result is the same to the bit for all values, NaN and -0.0 included: a value that
the first bound replaced lies on the right side of the second one, and all others, NaN too, are left as they are.

    before  select(x < 0.0, 0.0, select(x > 6.0, 6.0, x))
    after   select(c < 0.0, 0.0, c) of c = select(x > 6.0, 6.0, x)

Where a float is converted and then bounded (`v > 255.0f ? 255 : (uint8_t)v`), it is bounded and then converted: a bound
that is a whole number converts to itself.

    before  select(x > 255.0, 255, fptoui(x))
    after   fptoui(select(x > 255.0, 255.0, x))
"""

from __future__ import annotations

import re
from dataclasses import field, replace

from raising.native.nest.nest import Nest, Scalar
from raising.support.record import dataclass

_PREDICATE = re.compile(r"predicate = (\d+) : i64")
_NUMBER = re.compile(r"value = ([-+.\deE]+) : f(?:16|32|64)\b")
_SIDES = {2: 1, 3: 1, 4: -1, 5: -1, 9: 1, 10: 1, 11: -1, 12: -1}
"""Of predicates of `arith.cmpf`: whether values above a bound fulfil it, or values below."""
_ORDERED = (2, 3, 4, 5)


@dataclass(frozen=True)
class _Bound:
    """A selection that puts a bound in place of the values of a name on one side, and leaves `rest` else."""

    compare: Scalar
    place: int
    side: int
    bound: float
    rest: str
    ordered: bool


_INTEGER = re.compile(r"value = (-?\d+) : i\d+")
_DIGITS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
"""Binary digits of a float: whole numbers of no more are exact."""
_TO_INTEGERS, _OF_INTEGERS = ("arith.fptosi", "arith.fptoui"), ("arith.trunci", "arith.extsi", "arith.extui")


def clamped(nest: Nest) -> Nest:
    """The nest with bounds before conversions, and two bounds of a value one after the other; itself if none are."""
    nest = _converted_last(nest)
    found = {
        f"v{number}": inner for number, scalar in enumerate(nest.body) if (inner := _clamp(nest, scalar)) is not None
    }
    if not found:
        return nest
    writer = _Writer(nest, found)
    yields = tuple(map(writer.name, nest.yields))
    return replace(nest, body=tuple(writer.body), yields=yields)


def _clamp(nest: Nest, scalar: Scalar) -> _Bound | None:
    """The outer bound of a clamp; None if the operation is no such selection."""
    outer = _bound(nest, scalar)
    inner = _bound(nest, _made(nest, outer.rest)) if outer is not None else None
    if outer is None or inner is None or not inner.ordered or inner.side != -outer.side:
        return None
    value = _compared(outer)
    apart = (inner.bound - outer.bound) * inner.side > 0
    return outer if apart and _compared(inner) == value and inner.rest == value else None


def _compared(bound: _Bound) -> str:
    return bound.compare.args[bound.place]


def _made(nest: Nest, name: str) -> Scalar | None:
    return nest.body[int(name[1:])] if name.startswith("v") else None


def _bound(nest: Nest, scalar: Scalar | None) -> _Bound | None:
    """A selection as a bound; where it is the second choice, NaN gets it too."""
    compare = _made(nest, scalar.args[0]) if scalar is not None and scalar.name == "arith.select" else None
    found = _PREDICATE.search(compare.properties) if compare is not None and compare.name == "arith.cmpf" else None
    side = _SIDES.get(int(found[1])) if found else None
    if scalar is None or compare is None or found is None or side is None:
        return None
    numbers = [_number(nest, name) for name in compare.args]
    place = 0 if numbers[1] is not None else 1
    bound = numbers[1 - place]
    if bound is None or numbers[place] is not None:
        return None
    side = side if place == 0 else -side
    for first, rest in ((1, 2), (2, 1)):
        if _same(nest, scalar.args[first], compare.args[1 - place]):
            ordered = first == 1 and int(found[1]) in _ORDERED
            return _Bound(compare, place, side if first == 1 else -side, bound, scalar.args[rest], ordered)
    return None


def _number(nest: Nest, name: str) -> float | None:
    """The value of a constant float that is written in decimals."""
    scalar = _made(nest, name)
    found = _NUMBER.search(scalar.properties) if scalar is not None and scalar.name == "arith.constant" else None
    return float(found[1]) if found else None


def _same(nest: Nest, one: str, two: str) -> bool:
    """Whether two names are one constant, to the sign of zero."""
    return one == two or (_number(nest, one) is not None and _made(nest, one) == _made(nest, two))


@dataclass
class _Writer:
    """The operations that results need, written again."""

    nest: Nest
    clamps: dict[str, _Bound]
    body: list[Scalar] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)

    def name(self, old: str) -> str:
        """The name of a value in the new body."""
        if old.startswith("v") and old not in self._names:
            scalar = self.nest.body[int(old[1:])]
            if old in self.clamps:
                args = [self._compare(self.clamps[old]), *map(self.name, scalar.args[1:])]
            else:
                args = [*map(self.name, scalar.args)]
            self._names[old] = self._add(replace(scalar, args=tuple(args)))
        return self._names.get(old, old)

    def _compare(self, bound: _Bound) -> str:
        """The comparison of a bound with what the other one leaves."""
        args = list(map(self.name, bound.compare.args))
        args[bound.place] = self.name(bound.rest)
        return self._add(replace(bound.compare, args=tuple(args)))

    def _add(self, scalar: Scalar) -> str:
        self.body.append(scalar)
        return f"v{len(self.body) - 1}"


def _converted_last(nest: Nest) -> Nest:
    """The nest with floats bounded before they are converted; itself if none is."""
    body, names, changed = list[Scalar](), dict[str, str](), False
    for number, scalar in enumerate(nest.body):
        own = replace(scalar, args=tuple(names.get(arg, arg) for arg in scalar.args))
        steps = _late_bound(replace(nest, body=tuple(body)), own) if scalar.name == "arith.select" else []
        for step in steps:
            body.append(replace(step, args=(f"v{len(body) - 1}",)) if step.name != "arith.select" else step)
        changed |= bool(steps)
        body += [] if steps else [own]
        names[f"v{number}"] = f"v{len(body) - 1}"
    if not changed:
        return nest
    writer = _Writer(replace(nest, body=tuple(body)), {})
    yields = tuple(writer.name(names.get(each, each)) for each in nest.yields)
    return replace(nest, body=tuple(writer.body), yields=yields)


def _late_bound(nest: Nest, scalar: Scalar) -> list[Scalar]:
    """A choice between a whole number and a converted float as a choice of floats and what is done to it, each in turn.

    It is one only where the float is compared with that number; else nothing.
    """
    compare = _made(nest, scalar.args[0])
    for place in (1, 2):
        whole, steps = _made(nest, scalar.args[place]), _conversion(nest, scalar.args[3 - place])
        found = _INTEGER.search(whole.properties) if whole is not None and whole.name == "arith.constant" else None
        if compare is None or compare.name != "arith.cmpf" or found is None or not steps:
            continue
        (kind,), number = steps[0].operands, int(found[1])
        same = [arg for arg in compare.args if _number(nest, arg) == number]
        exact = compare.operands[0] == kind and abs(number) <= 1 << _DIGITS.get(kind, 0)
        if same and exact and _through(steps, number) == _wrapped(number, scalar.result):
            sides = (same[0], steps[0].args[0]) if place == 1 else (steps[0].args[0], same[0])
            choice = replace(scalar, args=(scalar.args[0], *sides), operands=("i1", kind, kind), result=kind)
            return [choice, *steps]
    return []


def _conversion(nest: Nest, name: str) -> list[Scalar]:
    """What is done to a float to get an integer: the conversion, and changes of its width; nothing else."""
    steps = list[Scalar]()
    while (scalar := _made(nest, name)) is not None and scalar.name in (*_TO_INTEGERS, *_OF_INTEGERS):
        steps.insert(0, scalar)
        if scalar.name in _TO_INTEGERS:
            return steps
        (name,) = scalar.args
    return []


def _through(steps: list[Scalar], number: int) -> int | None:
    """What these steps make of a whole number; None if it cannot be converted."""
    for step in steps:
        bits = int(step.result[1:])
        low = 0 if step.name == "arith.fptoui" else -(1 << (bits - 1))
        if step.name in _TO_INTEGERS and not low <= number < low + (1 << bits):
            return None
        if step.name == "arith.extui":
            number %= 1 << int(step.operands[0][1:])
        number = _wrapped(number, step.result)
    return number


def _wrapped(number: int, kind: str) -> int:
    """A number with its sign, in as many bits as the type has."""
    half = 1 << (int(kind[1:]) - 1)
    return (number + half) % (2 * half) - half
