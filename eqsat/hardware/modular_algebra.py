"""Circuits as polynomials with integer coefficients: a proof of equality at full width where z3 would multiply.

Each net of `w` bits equals its polynomial modulo 2^w. What is no sum or product is an atom: a whole number with bounds,
the same one for the same operation on equal polynomials. A choice is `b + c (a - b)` with a bit `c`, whose square is
`c`; a shift left by `n` is a product by the atom `2^n`, and `2^(m + n)` is the product of two. Where the bounds of a
polynomial say that nothing wraps around, it is the number itself, and may be widened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from raising.affine.ir.sparse_polynomials import Monomial, Poly, accumulate, add, constant, scale, sub, without
from raising.eqsat.hardware.circuit import Circuit, Net
from raising.support.record import dataclass

_MOST_TERMS = 600
_LARGEST_SHIFT = 1024
_TESTS = 5  # bits of which both cases are looked at for bounds


class TooLarge(Exception):
    """A polynomial has too many terms."""


@dataclass(frozen=True)
class _Atom:
    key: Any
    low: int
    high: int


class Algebra:
    """Polynomials over atoms, which all circuits that are compared share."""

    def __init__(self) -> None:
        self.atoms: list[_Atom] = []
        self.numbers: dict[Any, int] = {}

    def roots(self, circuit: Circuit) -> list[Any]:
        """Each root modulo 2 to its width, equal if they are equal by algebra; `TooLarge` if that takes too long."""
        found: dict[int, Poly] = {}
        for n in circuit.used():
            net = circuit.nets[n]
            widths = [circuit.width(a) for a in net.args]
            found[n] = self._poly(net, [found[a] for a in net.args], widths)
        return [_modulo(found[r], circuit.width(r)) for r in circuit.roots]

    def _poly(self, net: Net, args: list[Poly], widths: list[int]) -> Poly:
        op = net.op
        if op == "in":
            return self._atom(("in", net.value), 0, (1 << net.width) - 1)
        if op == "const":
            return constant(net.value)
        return _OPERATIONS.get(op, Algebra._opaque)(self, net, args, widths)

    # ---- operations ----

    def _ext(self, net: Net, args: list[Poly], widths: list[int]) -> Poly:
        if net.value == 0:
            return args[0]
        if net.width == 1 and net.value == widths[0] - 1:
            return self._sign(args[0], widths[0])
        key = ("ext", net.value, net.width, _modulo(args[0], net.value + net.width))
        return self._atom(key, 0, (1 << net.width) - 1)

    def _and(self, net: Net, args: list[Poly], widths: list[int]) -> Poly:
        if net.width == 1:
            return self._times(self._whole(args[0], 1), self._whole(args[1], 1))
        return self._opaque(net, args, widths)

    def _or(self, net: Net, args: list[Poly], widths: list[int]) -> Poly:
        if net.width == 1:
            one, other = (self._whole(a, 1) for a in args)
            return sub(add(one, other), self._times(one, other))
        return self._opaque(net, args, widths)

    def _xor(self, net: Net, args: list[Poly], widths: list[int]) -> Poly:
        if net.width == 1:
            one, other = (self._whole(a, 1) for a in args)
            return sub(add(one, other), scale(self._times(one, other), 2))
        for one, other in (args, args[::-1]):
            bit = self._all_alike(one, net.width)
            if bit is not None:  # all bits inverted, or none: ~b = -1 - b
                return self._chosen(bit, sub(constant(-1), other), other)
        return self._opaque(net, args, widths)

    def _all_alike(self, value: Poly, width: int) -> Poly | None:
        """The bit that a net repeats, if its polynomial is that of such a net."""
        top = (1 << width) - 1
        terms = list(_modulo(value, width))
        if terms == [((), top)]:
            return constant(1)
        if len(terms) == 1 and terms[0][1] == top and len(terms[0][0]) == 1:
            atom = self.atoms[terms[0][0][0]]
            return {terms[0][0]: 1} if (atom.low, atom.high) == (0, 1) else None
        return None

    def _shru(self, net: Net, args: list[Poly], widths: list[int]) -> Poly:
        """The floor of a quotient: multiples of the power are taken out, and amounts added up."""
        value, amount = self._whole(args[0], widths[0]), self._whole(args[1], widths[1])
        power = self._power(amount)
        (factor,) = power if len(power) == 1 else ((),)
        whole: dict[Monomial, int] = {}
        rest: dict[Monomial, int] = {}
        for term, c in value.items():
            less = without(term, factor)
            into = rest if less is None or c % power[factor] else whole
            into[term if less is None or c % power[factor] else less] = c // (1 if into is rest else power[factor])
        return add(whole, self._floor(rest, amount))

    def _floor(self, value: Poly, amount: Poly) -> Poly:
        low, high = self._range(value)
        if not value:
            return {}
        if len(value) == 1 and list(value.values()) == [1]:
            ((term, _),) = value.items()
            atom = self.atoms[term[0]] if len(term) == 1 else None
            if atom is not None and atom.key[0] == "floor":
                return self._floor(dict(atom.key[1]), add(dict(atom.key[2]), amount))
        return self._atom(("floor", _key(value), _key(amount)), min(low, 0), max(high, 0))

    def _eq(self, _: Net, args: list[Poly], widths: list[int]) -> Poly:
        less = _modulo(sub(args[0], args[1]), widths[0])
        more = _modulo(sub(args[1], args[0]), widths[0])
        return self._atom(("eq", frozenset((less, more))), 0, 1)

    def _less(self, _: Net, args: list[Poly], widths: list[int]) -> Poly:
        one, other = (self._whole(a, w) for a, w in zip(args, widths, strict=True))
        return self._negative(sub(one, other))

    def _less_signed(self, _: Net, args: list[Poly], widths: list[int]) -> Poly:
        one, other = (self._signed(a, w) for a, w in zip(args, widths, strict=True))
        return self._negative(sub(one, other))

    def _opaque(self, net: Net, args: list[Poly], widths: list[int]) -> Poly:
        keys = [_modulo(a, w) for a, w in zip(args, widths, strict=True)]
        both: Any = frozenset(keys) if net.op in ("and", "or", "xor") and keys[0] != keys[1] else tuple(keys)
        return self._atom((net.op, net.width, both), 0, (1 << net.width) - 1)

    # ---- numbers ----

    def _atom(self, key: Any, low: int, high: int) -> Poly:
        if key not in self.numbers:
            self.numbers[key] = len(self.atoms)
            self.atoms.append(_Atom(key, low, high))
        return {(self.numbers[key],): 1}

    def _whole(self, value: Poly, width: int) -> Poly:
        """The number without a sign that a net holds."""
        for poly in (value, dict(_modulo(value, width))):
            low, high = (bound >> width for bound in self._range(poly))
            if low == high:  # it wraps around as often whatever its atoms are
                return add(poly, constant(-low << width))
        return self._atom(("low", width, _modulo(value, width)), 0, (1 << width) - 1)

    def _signed(self, value: Poly, width: int) -> Poly:
        """The number with a sign."""
        low, high = self._range(value)
        if low >= -(1 << (width - 1)) and high < 1 << (width - 1):
            return value
        return sub(self._whole(value, width), scale(self._sign(value, width), 1 << width))

    def _sign(self, value: Poly, width: int) -> Poly:
        """The highest bit: whether the number is negative, where it fits with a sign."""
        if width == 1:
            return self._whole(value, 1)
        low, high = self._range(value)
        if low >= -(1 << (width - 1)) and high < 1 << (width - 1):
            return self._negative(value)
        return self._atom(("ext", width - 1, 1, _modulo(value, width)), 0, 1)

    def _negative(self, value: Poly) -> Poly:
        low, high = self._range(value)
        if high < 0:
            return constant(1)
        return {} if low >= 0 else self._atom(("negative", _key(value)), 0, 1)

    def _chosen(self, bit: Poly, one: Poly, other: Poly) -> Poly:
        return add(other, self._times(bit, sub(one, other)))

    def _power(self, amount: Poly) -> Poly:
        """Two to an amount, a factor for each of its terms."""
        high = self._range(amount)[1]
        if high > _LARGEST_SHIFT:
            raise TooLarge
        if any(c < 0 for c in amount.values()):
            return self._atom(("power", _key(amount)), 0, 1 << max(high, 0))
        found = constant(1 << amount.get((), 0))
        for term, c in sorted(amount.items()):
            if term:
                factor = self._atom(("power", _key({term: 1})), 1, 1 << self._range({term: 1})[1])
                for _ in range(c):
                    found = self._times(found, factor)
        return found

    def _range(self, value: Poly, tests: int = _TESTS) -> tuple[int, int]:
        """Bounds of a polynomial, in both cases of the first few bits that are factors."""
        bits = (n for term in value for n in term if (self.atoms[n].low, self.atoms[n].high) == (0, 1))
        bit = next(bits, None) if tests and any(c < 0 for c in value.values()) else None
        if bit is None:
            return self._by_terms(value)
        zero = {t: c for t, c in value.items() if bit not in t}
        ones: Poly = zero
        for term, c in value.items():
            if bit in term:
                ones = add(ones, {tuple(n for n in term if n != bit): c})
        ends = [self._range(case, tests - 1) for case in (zero, ones)]
        return min(e[0] for e in ends), max(e[1] for e in ends)

    def _by_terms(self, value: Poly) -> tuple[int, int]:
        low = high = 0
        for term, c in value.items():
            ends = (1, 1)
            for atom in term:
                a = self.atoms[atom]
                corners = [x * y for x in ends for y in (a.low, a.high)]
                ends = min(corners), max(corners)
            corners = [c * ends[0], c * ends[1]]
            low, high = low + min(corners), high + max(corners)
        return low, high

    def _times(self, one: Poly, other: Poly) -> Poly:
        found: dict[Monomial, int] = {}
        if len(one) * len(other) > _MOST_TERMS**2:
            raise TooLarge
        for a, x in one.items():
            for b, y in other.items():
                accumulate(found, self._product(a, b), x * y)
        if len(found) > _MOST_TERMS:
            raise TooLarge
        return {t: c for t, c in found.items() if c}

    def _product(self, one: Monomial, other: Monomial) -> Monomial:
        """Two terms multiplied; the square of a bit is the bit."""
        found: list[int] = []
        for atom in sorted((*one, *other)):
            bit = (self.atoms[atom].low, self.atoms[atom].high) == (0, 1)
            if not (bit and found and found[-1] == atom):
                found.append(atom)
        return tuple(found)


_OPERATIONS: dict[str, Callable[[Algebra, Net, list[Poly], list[int]], Poly]] = {
    "add": lambda of, net, args, widths: add(args[0], args[1]),
    "sub": lambda of, net, args, widths: sub(args[0], args[1]),
    "mul": lambda of, net, args, widths: of._times(args[0], args[1]),
    "lsl": lambda of, net, args, widths: scale(args[0], 1 << net.value),
    "shl": lambda of, net, args, widths: of._times(args[0], of._power(of._whole(args[1], widths[1]))),
    "shru": Algebra._shru,
    "zext": lambda of, net, args, widths: of._whole(args[0], widths[0]),
    "sext": lambda of, net, args, widths: of._signed(args[0], widths[0]),
    "cat": lambda of, net, args, widths: add(of._whole(args[1], widths[1]), scale(args[0], 1 << widths[1])),
    "ext": Algebra._ext,
    "mux": lambda of, net, args, widths: of._chosen(of._whole(args[0], 1), args[1], args[2]),
    "and": Algebra._and,
    "or": Algebra._or,
    "xor": Algebra._xor,
    "eq": Algebra._eq,
    "ult": Algebra._less,
    "ule": lambda of, net, args, widths: sub(constant(1), of._less(net, args[::-1], widths)),
    "slt": Algebra._less_signed,
    "sle": lambda of, net, args, widths: sub(constant(1), of._less_signed(net, args[::-1], widths)),
}


def _key(value: Poly) -> frozenset[tuple[Monomial, int]]:
    return frozenset(value.items())


def _modulo(value: Poly, width: int) -> frozenset[tuple[Monomial, int]]:
    """The coefficients modulo 2 to the width."""
    return frozenset((t, c % (1 << width)) for t, c in value.items() if c % (1 << width))
