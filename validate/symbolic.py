"""Symbolic arithmetic: what a program computes at given sizes, as polynomials over its leaves.

Floats are real numbers; integers are polynomials modulo 2^w. A comparison is
an atom that is 0 or 1, of the difference of its operands up to a factor, so
that a choice is `c·(x - y) + y`; a maximum is `b + positive(a - b)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from affine.execute import Arithmetic
from affine.program import Compute
from grammar.number import Unsupported
from grammar.scalar import SCALARS, predicate
from validate import exact, integers
from validate.integers import Undefined, is_integer, width, wrapped
from validate.polynomial import ONE, ZERO, Poly, Ring, add, constant, primitive, scale, sub, value_of
from validate.running import Leaf

_MAX_POWER = 16


class Symbolic:
    """Arithmetic on polynomials of one ring, which both programs share.

    `divides` and `roots` become true when an operation needed that a divisor is not zero, an argument not negative.
    """

    def __init__(self) -> None:
        self.ring = Ring()
        self.divides = False
        self.roots = False

    def arithmetic(self, elements: Mapping[str, str]) -> Arithmetic[Poly]:
        """The arithmetic for a program whose values have these element types."""

        def compute(node: Compute, args: Sequence[Poly]) -> Poly:
            return self.apply(node, args, [elements[a] for a in node.args])

        return Arithmetic(compute, self.literal)

    def leaf(self, leaf: Leaf) -> Poly:
        """A leaf as an atom."""
        if leaf.element == "i1":
            return {(self.ring.truth("leaf", (), leaf),): 1}
        return {(self.ring.atom("leaf", (), leaf.element, leaf),): 1}

    def difference(self, a: Poly, b: Poly, element: str) -> Poly:
        """a - b, brought to a common denominator; empty if they are equal."""
        found = self._wrap(sub(a, b), element)
        return found if is_integer(element) else self.ring.cleared(found)

    def literal(self, value: Any, element: str) -> Poly:
        """A constant."""
        number = exact.literal(value, element)
        if isinstance(number, float):
            return {(self._infinity,): 1 if number > 0 else -1}
        return constant(number)

    @property
    def _infinity(self) -> int:
        return self.ring.atom("infinity", (), "real")

    def apply(self, node: Compute, args: Sequence[Poly], elements: Sequence[str]) -> Poly:
        """One scalar operation on polynomials of the given element types."""
        op = node.op
        if op == "arith.select":
            return self._wrap(self.select(*args), node.element)
        if op == "arith.cmpf":
            return self.compare(predicate(op, node.attrs), args[0], args[1])
        if op == "arith.cmpi":
            return self._compare_integers(node, args, elements[0])
        if op in integers.CASTS:
            return self._cast(op, args[0], elements[0], node.element)
        if op in ("arith.sitofp", "arith.uitofp"):
            return self._to_float(op, args[0], elements[0])
        if is_integer(node.element):
            return self._wrap(self._integer(op, args, node.element, elements), node.element)
        return self._real(op, args)

    # ---- reals -----------------------------------------------------------------------------------

    def _real(self, op: str, args: Sequence[Poly]) -> Poly:
        kind = SCALARS[op].residue if op in SCALARS else ""
        ring: dict[str, Callable[..., Poly]] = {
            "add": add,
            "sub": sub,
            "mul": self.ring.mul,
            "neg": lambda a: scale(a, -1),
            "fma": lambda a, b, c: add(self.ring.mul(a, b), c),
            "same": lambda a: a,
            "div": self._divide,
            "greater": self.maximum,
            "less": lambda a, b: scale(self.maximum(scale(a, -1), scale(b, -1)), -1),
            "magnitude": lambda a: sub(scale(self.positive(a), 2), a),
        }
        if kind in ring:
            return ring[kind](*args)
        if op in ("math.sqrt", "math.rsqrt"):
            root = self._root(args[0])
            return root if op == "math.sqrt" else self._divide(ONE, root)
        return self._function(op, args)

    def _divide(self, a: Poly, b: Poly) -> Poly:
        value = value_of(b)
        if value == 0:
            raise Undefined("a division by zero")
        if value is not None:
            return scale(a, Fraction(1) / value)
        self.divides = True
        return self.ring.mul(a, self.ring.reciprocal(b))

    def _root(self, a: Poly) -> Poly:
        value = value_of(a)
        if value is None:
            self.roots = True
            return self.ring.root(a)
        found = exact.real("math.sqrt", [value])
        return self.ring.root(a) if isinstance(found, exact.Interval) else constant(found)

    def _function(self, op: str, args: Sequence[Poly]) -> Poly:
        values = [value_of(a) for a in args]
        if op == "math.powf" and isinstance(values[1], int) and 0 <= values[1] <= _MAX_POWER:
            return self.ring.power(args[0], values[1])
        if all(v is not None for v in values):
            found = exact.real(op, values)
            if not isinstance(found, exact.Interval):
                return constant(found)
        return {(self.ring.atom(op, tuple(args), "real"),): 1}

    # ---- order -----------------------------------------------------------------------------------

    def _infinite(self, a: Poly) -> float | None:
        """The infinity that a polynomial is."""
        sign = a.get((self._infinity,)) if len(a) == 1 else None
        return None if sign is None else math.copysign(math.inf, sign)

    def maximum(self, a: Poly, b: Poly) -> Poly:
        """The greater of two."""
        for one, other in ((a, b), (b, a)):
            infinite = self._infinite(one)
            if infinite is not None:
                return one if infinite > 0 else other
        return add(b, self.positive(sub(a, b)))

    def positive(self, d: Poly) -> Poly:
        """max(d, 0), by positive(c·d) = c·positive(d) for c > 0 and positive(-d) = positive(d) - d."""
        value = value_of(d)
        if value is not None:
            return constant(max(value, 0))
        factor, body = primitive(d)
        part: Poly = {(self.ring.atom("positive", (body,), "real"),): 1}
        return scale(part, factor) if factor > 0 else scale(sub(part, body), -factor)

    def _signs(self, body: Poly) -> tuple[int, int]:
        """The truth values of body > 0 and of body = 0."""
        above, zero = self.ring.truth("above", (body,)), self.ring.truth("zero", (body,))
        self.ring.exclude(above, zero)
        return above, zero

    def compare(self, name: str, a: Poly, b: Poly) -> Poly:
        """A comparison of reals as a polynomial that is 0 or 1."""
        infinite = [self._infinite(x) for x in (a, b)]
        if name in ("ord", "uno", "true", "false"):
            return ONE if name in ("ord", "true") else ZERO
        if any(x is not None for x in infinite):
            left, right = (0.0 if x is None else x for x in infinite)
            return constant(int(exact.ordered(name, left, right)))
        d = sub(a, b)
        value = value_of(d)
        if value is not None:
            return constant(int(exact.ordered(name, value, 0)))
        factor, body = primitive(d)
        above, zero = self._signs(body)
        return _outcome(name if factor > 0 else _FLIPPED.get(name, name), above, zero)

    def select(self, condition: Poly, yes: Poly, no: Poly) -> Poly:
        """`yes` where the condition is 1: c·(yes - no) + no, where d > 0 times d is positive(d)."""
        value = value_of(condition)
        if value is not None:
            return yes if value else no
        difference = sub(yes, no)
        out = no
        if not difference:
            return out
        factor, body = primitive(difference)
        for m, c in condition.items():
            atom = self.ring.atoms[m[0]] if len(m) == 1 else None
            about = atom is not None and atom.op in ("above", "zero") and self.ring.polys[atom.args[0]] == body
            if about and atom is not None:
                part = scale(self.positive(body), c * factor) if atom.op == "above" else ZERO
            else:
                part = self.ring.mul({m: c}, difference)
            out = add(out, part)
        return out

    # ---- integers --------------------------------------------------------------------------------

    def _wrap(self, a: Poly, element: str) -> Poly:
        """Coefficients modulo 2^w; of a truth value nothing changes."""
        if not is_integer(element) or width(element) == 1:
            return a
        out = {m: wrapped(c, element) for m, c in a.items()}
        return {m: c for m, c in out.items() if c}

    def _integer(self, op: str, args: Sequence[Poly], element: str, elements: Sequence[str]) -> Poly:
        values = [value_of(a) for a in args]
        if op in ("arith.fptosi", "arith.fptoui"):
            return self._opaque(op, args, element)
        if all(v is not None for v in values):
            return constant(integers.apply(op, values, element))
        if width(element) == 1:
            return self._logic(op, args)
        if op in _RING:
            return _RING[op](self.ring, *args)
        if op == "arith.shli" and values[1] is not None and 0 <= values[1] < width(element):
            return scale(args[0], 1 << values[1])
        if op in ("arith.maxsi", "arith.minsi"):
            more = self._above(args[0], args[1], "signed", element)
            return self.select(more, *(args if op == "arith.maxsi" else args[::-1]))
        return self._opaque(op, args, element)

    def _opaque(self, op: str, args: Sequence[Poly], element: str) -> Poly:
        if op in _COMMUTE:
            args = sorted(args, key=self.ring.number)
        return {(self.ring.atom(op, tuple(args), element),): 1}

    def _logic(self, op: str, args: Sequence[Poly]) -> Poly:
        """Operations on truth values, as polynomials that are 0 or 1."""
        both = self.ring.mul(args[0], args[1]) if len(args) == 2 else ZERO
        if op in ("arith.andi", "arith.muli", "arith.minui", "arith.maxsi"):
            return both
        if op in ("arith.ori", "arith.maxui", "arith.minsi"):
            return sub(add(args[0], args[1]), both)
        if op in ("arith.xori", "arith.addi", "arith.subi"):
            return sub(add(args[0], args[1]), scale(both, 2))
        raise Unsupported(f"operation '{op}' on truth values")

    def _compare_integers(self, node: Compute, args: Sequence[Poly], element: str) -> Poly:
        values = [value_of(a) for a in args]
        if all(v is not None for v in values):
            return constant(integers.compare(node.attrs, values[0], values[1], element))
        name = predicate(node.op, node.attrs)
        number = int(dict(node.attrs)["predicate"].split(":")[0])
        kind = "unsigned" if number >= integers.FIRST_UNSIGNED else "signed"
        if width(element) == 1:
            args = args if kind == "unsigned" or name in ("eq", "ne") else args[::-1]
            return self._compare_truth(name, args[0], args[1])
        above, equal = self._above(args[0], args[1], kind, element), self._equal(args[0], args[1], element)
        parts = {"gt": above, "eq": equal, "ge": add(above, equal)}
        if name in parts:
            return parts[name]
        return sub(ONE, parts[{"le": "gt", "ne": "eq", "lt": "ge"}[name]])

    def _compare_truth(self, name: str, a: Poly, b: Poly) -> Poly:
        differ = self._logic("arith.xori", (a, b))
        above = self.ring.mul(a, sub(ONE, b))
        found = {"ne": differ, "gt": above, "lt": sub(differ, above)}
        opposite = {"eq": "ne", "le": "gt", "ge": "lt"}
        return found[name] if name in found else sub(ONE, found[opposite[name]])

    def _equal(self, a: Poly, b: Poly, element: str) -> Poly:
        d = self._wrap(sub(a, b), element)
        value = value_of(d)
        if value is not None:
            return constant(int(value == 0))
        return {(self.ring.truth("equal", (self._one_sign(d, element),), element),): 1}

    def _one_sign(self, d: Poly, element: str) -> Poly:
        """d or -d, whichever was met first."""
        other = self._wrap(scale(d, -1), element)
        return min(d, other, key=lambda p: sorted(p.items()))

    def _above(self, a: Poly, b: Poly, kind: str, element: str) -> Poly:
        """a > b as 0 or 1; b > a is 1 - (a > b) - (a = b)."""
        equal = self._equal(a, b, element)
        if value_of(equal) == 1:
            return ZERO
        flipped = self.ring.number(a) > self.ring.number(b)
        if flipped:
            a, b = b, a
        above = self.ring.truth(f"{kind} above", (a, b), element)
        for m in equal:
            self.ring.exclude(above, m[0])
        return sub(sub(ONE, {(above,): 1}), equal) if flipped else {(above,): 1}

    # ---- casts -----------------------------------------------------------------------------------

    def _cast(self, op: str, a: Poly, source: str, target: str) -> Poly:
        value = value_of(a)
        if value is not None:
            return constant(integers.cast(op, value, source, target))
        if width(source) == 1:  # 0 or 1, and -1 where the sign is extended
            signed = op in ("arith.extsi", "arith.index_cast")
            return self._wrap(scale(a, -1) if signed else a, target)
        if width(target) == width(source):
            return a
        if width(target) < width(source):
            return self._truncated(a, target) if width(target) > 1 else self._truth_of(a, source)
        unsigned = op in ("arith.extui", "arith.index_castui")
        return {(self.ring.atom("zero extended" if unsigned else "sign extended", (a,), target, source),): 1}

    def _truth_of(self, a: Poly, source: str) -> Poly:
        return {(self.ring.truth("odd", (a,), source),): 1}

    def _truncated(self, a: Poly, target: str) -> Poly:
        """The low bits, of sums and products those of their operands."""
        out = ZERO
        for m, c in a.items():
            term: Poly = {(): c}
            for atom in m:
                term = self.ring.mul(term, self._low_bits(atom, target))
            out = add(out, term)
        return self._wrap(out, target)

    def _low_bits(self, number: int, target: str) -> Poly:
        atom = self.ring.atoms[number]
        if atom.element == "i1":
            return {(number,): 1}
        if atom.op in ("zero extended", "sign extended") and width(str(atom.given)) >= width(target):
            inner = self.ring.polys[atom.args[0]]
            return inner if width(str(atom.given)) == width(target) else self._truncated(inner, target)
        return {(self.ring.atom("truncated", ({(number,): 1},), target, atom.element),): 1}

    def _to_float(self, op: str, a: Poly, element: str) -> Poly:
        value = value_of(a)
        read = integers.signed if op == "arith.sitofp" else integers.unsigned
        if value is not None:
            return constant(read(value, element))
        if width(element) == 1:
            return scale(a, -1) if op == "arith.sitofp" else a
        if self._is_small(a, element, op == "arith.sitofp"):
            return a
        return {(self.ring.atom(op, (a,), "real", element),): 1}

    def _is_small(self, a: Poly, element: str, with_sign: bool) -> bool:
        """Whether a sum of truth values cannot leave its type's range."""
        truths = all(self.ring.atoms[x].element == "i1" for m in a for x in m)
        positive = with_sign or all(c > 0 for c in a.values())
        return truths and positive and sum(map(abs, a.values())) < 1 << (width(element) - 1)


_RING: dict[str, Callable[..., Poly]] = {
    "arith.addi": lambda ring, a, b: add(a, b),
    "arith.subi": lambda ring, a, b: sub(a, b),
    "arith.muli": lambda ring, a, b: ring.mul(a, b),
}
_COMMUTE = frozenset(("arith.andi", "arith.ori", "arith.xori", "arith.maxui", "arith.minui"))
_FLIPPED = {"gt": "lt", "lt": "gt", "ge": "le", "le": "ge"}


def _outcome(name: str, above: int, zero: int) -> Poly:
    """A comparison with zero from its two truth values."""
    is_above: Poly = {(above,): 1}
    is_zero: Poly = {(zero,): 1}
    parts = {"gt": is_above, "eq": is_zero, "ge": add(is_above, is_zero)}
    if name in parts:
        return parts[name]
    return sub(ONE, parts[{"le": "gt", "ne": "eq", "lt": "ge"}[name]])
