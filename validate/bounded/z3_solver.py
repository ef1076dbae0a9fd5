"""Questions to z3 that normal forms leave open: comparisons, integer operations, uninterpreted functions.

`sat` is never an answer by itself: uninterpreted functions have models that no program has. The caller replays the
model.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import z3

from raising.affine.ir.integer_types import is_integer, width, wrapped
from raising.affine.ir.sparse_polynomials import Poly
from raising.grammar.terms.bit_vectors import BITS, defined
from raising.support.record import dataclass
from raising.validate.bounded.ring_polynomial import Atom, Ring
from raising.validate.run.run import Leaf


@dataclass
class Budget:
    """Steps of the solver that are left: its own count of its work, which no clock has a part in."""

    left: int

    def check(self, solver: Any) -> Any:
        """The solver's answer within the steps that are left; the steps that it takes are subtracted from them."""
        if self.left <= 0:
            return z3.unknown
        solver.set("rlimit", self.left)
        before = _count(solver)
        found = solver.check()
        self.left -= _count(solver) - before
        return found


def _count(solver: Any) -> int:
    return int(solver.statistics().get_key_value("rlimit count"))


def zero(ring: Ring, difference: Poly, element: str, budget: Budget) -> bool | dict[Leaf, Any] | None:
    """True if a difference is zero for every input; else a model in which it is not, or None if that is open."""
    encoder = _Encoder(ring)
    try:
        claim = encoder.poly(difference, "real" if not is_integer(element) else element) != 0
    except _CannotEncode:
        return None
    solver = z3.Solver()
    solver.add(*encoder.laws, claim)
    found = budget.check(solver)
    if found == z3.unsat:
        return True if _consistent(encoder.laws, budget) else None
    return encoder.values(solver.model()) if found == z3.sat else None


def _consistent(laws: list[Any], budget: Budget) -> bool:
    """Whether the laws are satisfiable; anything follows from laws that are not."""
    solver = z3.Solver()
    solver.add(*laws)
    return not laws or budget.check(solver) == z3.sat


class _CannotEncode(Exception):
    """An atom that has no form in the solver."""


class _Encoder:
    """Polynomials and atoms as z3 expressions; `laws` hold of the symbols that stand for atoms."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.laws: list[Any] = []
        self.leaves: dict[Leaf, Any] = {}
        self._known: dict[int, Any] = {}

    def poly(self, a: Poly, element: str) -> Any:
        """A polynomial as a sum of products of the type that it is read in."""
        return z3.simplify(self._sum(a, element), som=True)

    def _sum(self, a: Poly, element: str) -> Any:
        total = self._constant(a.get((), 0), element)
        for monomial, c in a.items():
            if monomial:
                product = self._constant(c, element)
                for atom in monomial:
                    product = product * self._in(atom, element)
                total = total + product
        return total

    def _constant(self, value: Any, element: str) -> Any:
        if is_integer(element):
            return z3.BitVecVal(int(value), width(element))
        exact = Fraction(value)
        return z3.RealVal(f"{exact.numerator}/{exact.denominator}")

    def _in(self, number: int, element: str) -> Any:
        """An atom in a sum of that type; a truth value is 0 or 1 there."""
        symbol = self._symbol(number)
        if z3.is_bool(symbol):
            return z3.If(symbol, self._constant(1, element), self._constant(0, element))
        return symbol

    def _symbol(self, number: int) -> Any:
        if number not in self._known:
            self._known[number] = self._encoded(number, self.ring.atoms[number])
        return self._known[number]

    def _args(self, atom: Atom, element: str) -> list[Any]:
        return [self._sum(self.ring.polys[a], element) for a in atom.args]

    def _encoded(self, number: int, atom: Atom) -> Any:
        if atom.op == "leaf":
            fresh = self._fresh(f"leaf{number}", atom.element)
            if atom.given.truth and atom.element != "i1":
                self.laws.append(z3.ULE(fresh, 1))
            self.leaves[atom.given] = fresh
            return self.leaves[atom.given]
        if atom.op in _REAL:
            return self._real(number, atom)
        if atom.op in ("arith.sitofp", "arith.uitofp"):
            return z3.ToReal(z3.BV2Int(self._args(atom, atom.given)[0], atom.op == "arith.sitofp"))
        if atom.op in ("named", "infinity"):
            raise _CannotEncode
        if is_integer(atom.element):
            return self._bits(atom)
        arguments = self._args(atom, "real")
        function = z3.Function(atom.op, *([z3.RealSort()] * (len(arguments) + 1)))
        return function(*arguments)

    def _fresh(self, name: str, element: str) -> Any:
        if element == "i1":
            return z3.Bool(name)
        return z3.BitVec(name, width(element)) if is_integer(element) else z3.Real(name)

    def _real(self, number: int, atom: Atom) -> Any:
        (a,) = self._args(atom, "real")
        if atom.op == "above":
            return a > 0
        if atom.op == "zero":
            return a == 0
        if atom.op == "positive":
            return z3.If(a > 0, a, z3.RealVal(0))
        symbol = z3.Real(f"{atom.op}{number}")
        if atom.op == "reciprocal":
            self.laws.append(symbol * a == 1)
        else:  # nothing is known of the root of a negative number
            self.laws.append(z3.Implies(a >= 0, z3.And(symbol * symbol == a, symbol >= 0)))
        return symbol

    def _bits(self, atom: Atom) -> Any:
        element = atom.element if atom.given is None else str(atom.given)
        if element.startswith("f") or atom.op in ("arith.fptosi", "arith.fptoui"):
            raise _CannotEncode
        arguments = self._args(atom, element)
        if atom.op in _WIDENED:
            more = width(atom.element) - width(element)
            return (z3.SignExt if atom.op == "sign extended" else z3.ZeroExt)(more, arguments[0])
        if atom.op == "truncated":
            return z3.Extract(width(atom.element) - 1, 0, arguments[0])
        meaning = _ATOMS.get(atom.op) or BITS.get(atom.op)
        if meaning is None:
            raise _CannotEncode
        self.laws += defined(atom.op, arguments)  # nothing is claimed of what MLIR leaves undefined
        return meaning(*arguments)

    def values(self, model: Any) -> dict[Leaf, Any]:
        """The leaves' numbers in a model; an irrational one is cut off."""
        return {leaf: _number(model.eval(symbol, True), leaf) for leaf, symbol in self.leaves.items()}


def _number(value: Any, leaf: Leaf) -> Any:
    if z3.is_bool(value):
        return int(z3.is_true(value))
    if is_integer(leaf.element):
        return wrapped(value.as_long(), leaf.element)
    if z3.is_algebraic_value(value):
        value = value.approx(20)
    exact = Fraction(value.numerator_as_long(), value.denominator_as_long())
    return exact.numerator if exact.denominator == 1 else exact


_REAL = frozenset(("above", "zero", "positive", "reciprocal", "root"))
_WIDENED = ("sign extended", "zero extended")


_ATOMS = {
    "equal": lambda a: a == 0,
    "signed above": lambda a, b: a > b,
    "unsigned above": z3.UGT,
    "odd": lambda a: z3.Extract(0, 0, a) == 1,
}
