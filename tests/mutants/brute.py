"""An interpreter of its own: whether two programs differ, decided by running them on numbers.

It shares no code with the checks. Floats are rationals as long as they can be;
a root or another function gives a Python float, and then results count as
different only if they are far apart. Integers wrap.
"""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from affine.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Store

FAR = 1e-7
MAX_STEPS = 8_000
MAX_BITS = 2_000


class Stuck(Exception):
    """A division by zero, the root of a negative number, or an order that rounding decides."""


class Outside(Exception):
    """An access outside of its array."""


class Long(Exception):
    """Too many steps."""


class Run:
    """One program run at sizes; `given(array, index)` are the numbers that arguments hold."""

    def __init__(self, program: Program, sizes: Mapping[str, int], given: Callable[[str, tuple[int, ...], str], Any]):
        self.program, self.names, self.given = program, dict(sizes), given
        self.arrays: dict[str, dict[tuple[int, ...], Any]] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.values: dict[str, tuple[Any, str]] = {}
        self.steps = 0
        for array in program.arrays.values():
            shape = tuple(f.evaluate(sizes) for f in array.shape)
            self.shapes[array.name] = shape
            own = array.name if array.kind == "argument" else f"unset {array.name}"
            self.arrays[array.name] = {i: given(own, i, array.element) for i in product(*map(range, shape))}
        for scalar in program.scalars.values():
            if scalar.literal is None:
                self.values[scalar.name] = given(scalar.name, (), scalar.element), scalar.element
            else:
                self.values[scalar.name] = _number(scalar.literal, scalar.element), scalar.element
        self.nodes(program.body)

    def nodes(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self.steps += 1
            if self.steps > MAX_STEPS:
                raise Long
            if isinstance(node, Loop):
                low = max(f.evaluate(self.names) for f in node.lower)
                for value in range(low, min(f.evaluate(self.names) for f in node.upper), node.step):
                    self.names[node.iv] = value
                    self.nodes(node.body)
            elif isinstance(node, Guard):
                if all(c.holds(self.names) for c in node.conds):
                    self.nodes(node.body)
            else:
                self._statement(node)

    def _statement(self, node: Load | Store | IndexValue | Compute) -> None:
        match node:
            case Load():
                element = self.program.arrays[node.array].element
                self.values[node.dst] = self.arrays[node.array][self._place(node)], element
            case Store():
                place = self._place(node)
                self.arrays[node.array][place] = self.values[node.value][0]
            case IndexValue():
                self.values[node.dst] = _wrap(node.form.evaluate(self.names), node.element), node.element
            case Compute():
                self.values[node.dst] = _compute(node, [self.values[a] for a in node.args]), node.element

    def _place(self, node: Load | Store) -> tuple[int, ...]:
        place = tuple(f.evaluate(self.names) for f in node.subscripts)
        if not all(0 <= i < n for i, n in zip(place, self.shapes[node.array], strict=True)):
            raise Outside(f"{node.array}{list(place)}")
        return place


# ---- numbers -------------------------------------------------------------------------------------


def _bits(element: str) -> int:
    return 64 if element == "index" else int(element[1:])


def _wrap(value: int, element: str) -> int:
    if element == "i1":
        return value & 1
    half = 1 << (_bits(element) - 1)
    return (value + half) % (2 * half) - half


def _is_integer(element: str) -> bool:
    return element == "index" or element[0] == "i"


def _number(text: str, element: str) -> Any:
    if _is_integer(element):
        return _wrap(int(text), element)
    value = float(text)
    return Fraction(value) if math.isfinite(value) else value


def _quotient(a: Any, b: Any) -> Any:
    if b == 0:
        raise Stuck
    return a / b


def _integer_quotient(a: int, b: int) -> int:
    if b == 0:
        raise Stuck
    return int(Fraction(a, b))


def _shift(a: int, b: int) -> int:
    if not 0 <= b < 64:
        raise Stuck
    return a >> b


def _sure(a: int) -> int:
    """Bits that mean the same with and without a sign."""
    if a < 0:
        raise Stuck
    return a


def _unsigned(function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    """On 64 bits; of narrower numbers only those that are not negative are sure."""

    def apply(a: int, b: int) -> int:
        if a < 0 or b < 0:
            raise Stuck
        return function(a, b)

    return apply


_FLOATS: dict[str, Callable[..., Any]] = {
    "arith.addf": operator.add,
    "arith.subf": operator.sub,
    "arith.mulf": operator.mul,
    "arith.divf": _quotient,
    "arith.negf": operator.neg,
    "arith.maximumf": max,
    "arith.maxnumf": max,
    "arith.minimumf": min,
    "arith.minnumf": min,
    "arith.extf": lambda a: a,
    "arith.truncf": lambda a: a,
    "arith.sitofp": Fraction,
    "arith.uitofp": lambda a: Fraction(_sure(a)),
    "math.absf": abs,
    "math.fma": lambda a, b, c: a * b + c,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"math.powf": pow, "math.rsqrt": lambda a: 1 / math.sqrt(a)}
_INTEGERS: dict[str, Callable[..., Any]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.divsi": _integer_quotient,
    "arith.remsi": lambda a, b: a - b * _integer_quotient(a, b),
    "arith.divui": _unsigned(_integer_quotient),
    "arith.remui": _unsigned(lambda a, b: a - b * _integer_quotient(a, b)),
    "arith.fptosi": int,
    "math.absi": abs,
    "arith.andi": operator.and_,
    "arith.ori": operator.or_,
    "arith.xori": operator.xor,
    "arith.shrsi": _shift,
    "arith.shli": lambda a, b: a << (b if 0 <= b < 64 else 0),
    "arith.index_cast": lambda a: a,
    "arith.extsi": lambda a: a,
    "arith.extui": _sure,
    "arith.trunci": lambda a: a,
}
_CMPF = {1: operator.eq, 2: operator.gt, 3: operator.ge, 4: operator.lt, 5: operator.le, 6: operator.ne}
_CMPF |= {k + 7: f for k, f in list(_CMPF.items())}
_CMPI: dict[int, Callable[..., Any]] = {
    0: operator.eq,
    1: operator.ne,
    2: operator.lt,
    3: operator.le,
    4: operator.gt,
    5: operator.ge,
}


_UNKNOWN = frozenset(("arith.fptoui", "arith.shrui", "arith.maxui", "arith.minui", "math.ctpop", "math.ctlz"))


def _compute(node: Compute, args: list[tuple[Any, str]]) -> Any:
    values = [v for v, _ in args]
    if node.op in _UNKNOWN:
        raise Stuck
    if node.op == "arith.select":
        return values[1] if values[0] else values[2]
    if node.op in ("arith.cmpf", "arith.cmpi"):
        table, number = _CMPF if node.op == "arith.cmpf" else _CMPI, int(dict(node.attrs)["predicate"].split(":")[0])
        if number not in table:
            raise Stuck
        return int(table[number](*values))
    if _is_integer(node.element):
        return _wrap(_INTEGERS[node.op](*values), node.element)
    return _real(node.op, values)


def _real(op: str, values: list[Any]) -> Any:
    if op in _FLOATS:
        value = _FLOATS[op](*values)
    elif op == "math.sqrt" and values[0] < 0:
        raise Stuck
    else:
        try:
            value = _FUNCTIONS.get(op, getattr(math, op.removeprefix("math."), None))(*values)  # type: ignore
        except (ValueError, OverflowError, TypeError) as error:
            raise Stuck from error
    if isinstance(value, float) and math.isnan(value):
        raise Stuck
    if isinstance(value, Fraction) and max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise Long
    return value


def _differ(a: Any, b: Any) -> bool:
    if isinstance(a, float) or isinstance(b, float):
        return not math.isclose(a, b, rel_tol=FAR, abs_tol=FAR)
    return bool(a != b)


# ---- judging -------------------------------------------------------------------------------------


def _inputs(kind: int, seed: str) -> Callable[[str, tuple[int, ...], str], Any]:
    dice, known = random.Random(seed), {}

    def given(name: str, index: tuple[int, ...], element: str) -> Any:
        key = name, index
        if key not in known:
            if _is_integer(element):
                known[key] = _wrap(dice.randint(-8, 8) if kind else dice.getrandbits(70), element)
            else:
                known[key] = (
                    Fraction(dice.randint(1, 40), 8),
                    Fraction(dice.randint(-40, 40), 8),
                    Fraction(dice.randint(-2, 2)),
                    Fraction(dice.randint(1, 40), 8) + (40 if len(set(index)) < len(index) else 0),
                )[kind % 4]
        return known[key]

    return given


def difference(
    source: Program,
    target: Program,
    outputs: Sequence[tuple[str, str]],
    sizes: Sequence[Mapping[str, int]],
    tries: int = 4,
    inside: bool = False,
) -> str:
    """How two programs differ at one of these sizes; empty if no run shows it.

    With `inside`, a target that leaves its arrays is no difference.
    """
    for vector, kind in product(sizes, range(tries)):
        given = _inputs(kind, f"{kind} {sorted(vector.items())}")
        try:
            before = Run(source, vector, _of(given, "source"))
        except (Stuck, Long, Outside):
            continue
        try:
            after = Run(target, vector, _of(given, "target"))
        except Outside as error:
            if inside:
                continue
            return f"outside {error} at {vector}"
        except (Stuck, Long):
            continue
        for place in _places(before, after, outputs):
            return f"{place} at {vector}, inputs {kind}"
    return ""


def _of(given: Callable[..., Any], side: str) -> Callable[[str, tuple[int, ...], str], Any]:
    """What memory holds that nobody has set is a side's own."""
    return lambda name, index, element: given(f"{side} {name}" if name.startswith("unset") else name, index, element)


def _places(before: Run, after: Run, outputs: Sequence[tuple[str, str]]) -> Iterator[str]:
    for one, other in outputs:
        for index, a in before.arrays[one].items():
            if _differ(a, after.arrays[other][index]):
                yield f"{one}{list(index)}: {a} and {after.arrays[other][index]}"
