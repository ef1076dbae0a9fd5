"""Integers modulo 2^w as polynomials; operations on bits, and order, become atoms of the ring."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from raising.affine.ir.integer_types import is_integer, limits, signed, unsigned, width, wrapped
from raising.affine.ir.program import Compute
from raising.affine.ir.sparse_polynomials import ONE, ZERO, Poly, add, constant, scale, sub, value_of
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.terms.scalar_ops import predicate
from raising.support.mlir.predicates import FIRST_UNSIGNED, number_of
from raising.validate.arithmetic import integers
from raising.validate.bounded.ring_polynomial import Ring
from raising.validate.bounded.symbolic_reals import Reals, outcome


def wrap(a: Poly, element: str) -> Poly:
    """Coefficients modulo 2^w; of a real number or a truth value nothing changes."""
    if not is_integer(element) or width(element) == 1:
        return a
    out = {m: wrapped(c, element) for m, c in a.items()}
    return {m: c for m, c in out.items() if c}


class Integers:
    """Integer arithmetic in a ring."""

    def __init__(self, ring: Ring, reals: Reals) -> None:
        self.ring, self.reals = ring, reals

    def apply(self, op: str, args: Sequence[Poly], element: str) -> Poly:
        """One operation on integers of a type."""
        return wrap(self._applied(op, args, element), element)

    def _applied(self, op: str, args: Sequence[Poly], element: str) -> Poly:
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
            return self.reals.select(more, *(args if op == "arith.maxsi" else args[::-1]))
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

    def compare(self, node: Compute, args: Sequence[Poly], element: str) -> Poly:
        """`arith.cmpi` as a polynomial that is 0 or 1."""
        values = [value_of(a) for a in args]
        if all(v is not None for v in values):
            return constant(integers.compare(node.attrs, values[0], values[1], element))
        name = predicate(node.op, node.attrs)
        number = number_of(node.attrs)
        kind = "unsigned" if number >= FIRST_UNSIGNED else "signed"
        if width(element) == 1:
            a, b = args if kind == "unsigned" else args[::-1]
            return outcome(name, self.ring.mul(a, sub(ONE, b)), sub(ONE, self._logic("arith.xori", (a, b))))
        above, equal = self._above(args[0], args[1], kind, element), self._equal(args[0], args[1], element)
        return outcome(name, above, equal)

    def _equal(self, a: Poly, b: Poly, element: str) -> Poly:
        d = wrap(sub(a, b), element)
        value = value_of(d)
        if value is not None:
            return constant(int(value == 0))
        return {(self.ring.truth("equal", (self._one_sign(d, element),), element),): 1}

    def _one_sign(self, d: Poly, element: str) -> Poly:
        """d or -d, whichever was met first."""
        other = wrap(scale(d, -1), element)
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

    def cast(self, op: str, a: Poly, source: str, target: str) -> Poly:
        """An integer as one of another type."""
        value = value_of(a)
        if value is not None:
            return constant(integers.cast(op, value, source, target))
        if width(source) == 1:  # 0 or 1, and -1 where the sign is extended
            negative = op in ("arith.extsi", "arith.index_cast")
            return wrap(scale(a, -1) if negative else a, target)
        if width(target) == width(source):
            return a
        if width(target) < width(source):
            return self._truncated(a, target) if width(target) > 1 else self._truth_of(a, source)
        zero = op in ("arith.extui", "arith.index_castui")
        return {(self.ring.atom("zero extended" if zero else "sign extended", (a,), target, source),): 1}

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
        return wrap(out, target)

    def _low_bits(self, number: int, target: str) -> Poly:
        atom = self.ring.atoms[number]
        if atom.element == "i1":
            return {(number,): 1}
        if atom.op in ("zero extended", "sign extended") and width(str(atom.given)) >= width(target):
            inner = self.ring.polys[atom.args[0]]
            return inner if width(str(atom.given)) == width(target) else self._truncated(inner, target)
        return {(self.ring.atom("truncated", ({(number,): 1},), target, atom.element),): 1}

    def to_float(self, op: str, a: Poly, element: str) -> Poly:
        """`arith.sitofp` and `arith.uitofp`."""
        value = value_of(a)
        read = signed if op == "arith.sitofp" else unsigned
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
        return truths and positive and sum(map(abs, a.values())) <= limits(element)[1]


_RING: dict[str, Callable[..., Poly]] = {
    "arith.addi": lambda ring, a, b: add(a, b),
    "arith.subi": lambda ring, a, b: sub(a, b),
    "arith.muli": lambda ring, a, b: ring.mul(a, b),
}
_COMMUTE = frozenset(("arith.andi", "arith.ori", "arith.xori", "arith.maxui", "arith.minui"))
