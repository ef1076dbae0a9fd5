"""Programs that carry bounds on their own rounding: beside each float, how far it may be from the exact number.

The rules are those of `raising.validate.run.running_error`, written as operations of the program itself, so that they
can be compiled and run at sizes at which an interpreter takes hours (running error analysis: Wilkinson 1963; Higham
2002, section 3.3). Bounds are f64. Where a comparison is decided by rounding, a selected value has the bound of both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

from raising.affine.ir.integer_types import is_integer, width
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Scalar, Store
from raising.affine.ir.real_functions import REALS
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.terms.scalar_ops import SCALARS, predicate
from raising.validate.arithmetic.concrete import ALWAYS
from raising.validate.native.bound_numbers import WIDE, Code, Float, Number
from raising.validate.run.run import elements_of
from raising.validate.run.running_error import FLOATS, TINY, UNIT, stored


def bound_of(array: str) -> str:
    """The array of the bounds of an array's elements."""
    return f"{array}.bound"


def with_bounds(program: Program) -> Program:
    """The program with an array of bounds for each array of floats that it writes; `Unsupported` if it has no rule."""
    return _Writer(program).program()


class _Writer:
    """Writes a program with the bound of each of its floats (`errors`).

    `doubts` are the truth values that rounding may have decided, each with the truth value that says whether it may.
    """

    def __init__(self, program: Program) -> None:
        self.given = program
        self.code = Code(elements_of(program))
        written = {n.array for n in program.stores()}
        self.bounded = {n for n in written if not is_integer(program.arrays[n].element)}
        floats = (s for s in program.scalars.values() if not is_integer(s.element))
        self.errors: dict[str, Number] = {s.name: self._of_literal(s) for s in floats}
        self.doubts: dict[str, str] = {}

    def program(self) -> Program:
        """The whole program."""
        body = self._body(self.given.body)
        arrays = {bound_of(n): replace(self.given.arrays[n], name=bound_of(n), element=WIDE) for n in self.bounded}
        scalars = {**self.given.scalars, **self.code.scalars}
        return replace(self.given, body=body, arrays={**self.given.arrays, **arrays}, scalars=scalars)

    def _of_literal(self, scalar: Scalar) -> Number:
        """The distance between a float constant and the decimal number that it is written as."""
        number = float(scalar.literal or 0)
        apart = abs(stored(number, scalar.element) - number)
        return self.code.number(apart) if 0 < apart < float("inf") else self.code.zero

    def _float(self, name: str) -> Float:
        return Float(self.code, name, self.errors[name])

    # ---- the body --------------------------------------------------------------------------------

    def _body(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        outer, self.code.nodes = self.code.nodes, []
        for node in nodes:
            if isinstance(node, Loop | Guard):
                self.code.nodes.append(replace(node, body=self._body(node.body)))
            else:
                self.code.nodes.append(node)
                self._beside(node)
        found, self.code.nodes = tuple(self.code.nodes), outer
        return found

    def _beside(self, node: Load | Store | IndexValue | Compute) -> None:
        """Write what computes, loads or stores the bound of a value."""
        match node:
            case Load() if node.array in self.bounded:
                bound = self.code.new()
                self.errors[node.dst] = Number(self.code, bound)
                self.code.nodes.append(replace(node, dst=bound, array=bound_of(node.array)))
            case Load():
                self.errors[node.dst] = self.code.zero
            case Store() if node.array in self.bounded:
                bound, label = self.errors.get(node.value, self.code.zero).name, f"{node.label}.bound"
                self.code.nodes.append(replace(node, label=label, array=bound_of(node.array), value=bound))
            case Compute():
                self.code.loc = node.loc
                self._computed(node)
            case _:
                pass

    def _computed(self, node: Compute) -> None:
        kind = SCALARS[node.op].residue if node.op in SCALARS else ""
        doubts = [self.doubts[a] for a in node.args if a in self.doubts]
        if kind == "compare" and node.op.endswith("f"):
            self._compared(node)
        elif kind == "truth":
            pass  # an operand is finite where what it stands for is
        elif doubts and kind == "logic" and node.element == "i1":
            self.doubts[node.dst] = self._any(doubts)
        elif doubts and (kind != "select" or is_integer(node.element)):
            raise Unsupported(f"operation '{node.op}' on a comparison that rounding may decide")
        elif not is_integer(node.element):
            if node.element not in UNIT:
                raise Unsupported(f"rounding of {node.element}")
            self.errors[node.dst] = self._error(node, kind)
        elif any(not is_integer(self.code.elements[a]) for a in node.args):
            raise Unsupported(f"operation '{node.op}' has no error bound")

    def _error(self, node: Compute, kind: str) -> Number:
        if kind == "select":
            return self._selected(node.args[0], *map(self._float, node.args[1:]))
        if node.op in ("arith.sitofp", "arith.uitofp"):
            exact = width(self.code.elements[node.args[0]]) <= FLOATS[node.element].digits
            return self.code.zero if exact else self._rounded(self.code.zero, node)
        if kind in _EXACT or node.op == "arith.extf":
            return _EXACT.get(kind, _same)(*map(self._float, node.args))
        if kind in _RULES:
            result = Float(self.code, node.dst, self.code.zero)
            return self._rounded(_RULES[kind](result, *map(self._float, node.args)), node)
        row = REALS.get(node.op)
        if row is not None and (row.gentle or row.rising):
            error = self.errors[node.args[0]] if row.gentle else self._monotone(node)
            return self._rounded(error, node, 1 + (1 if row.gentle else 2) * 2 * row.ulps)
        if node.op == "arith.truncf":
            return self._rounded(self.errors[node.args[0]], node)
        raise Unsupported(f"operation '{node.op}' has no error bound")

    def _rounded(self, error: Number, node: Compute, times: float = 1.0) -> Number:
        """With the rounding of the result itself."""
        size = Float(self.code, node.dst, error).size
        return error + (self.code.number(times * UNIT[node.element]) * size + self.code.number(TINY[node.element]))

    def _monotone(self, node: Compute) -> Number:
        """How far a rising function gets from its value where its operand is in error."""
        operand, result = self._float(node.args[0]), Float(self.code, node.dst, self.code.zero)
        if operand.error.is_zero:
            return operand.error
        value, at = result.wide, operand.wide
        low, high = (at - operand.error).apply(node.op), (at + operand.error).apply(node.op)
        return abs(low - value).apply("arith.maximumf", abs(high - value))

    # ---- comparisons -----------------------------------------------------------------------------

    def _compared(self, node: Compute) -> None:
        """Doubt whether two numbers are closer to each other than to the exact ones; not that of equal constants."""
        one, other = map(self._float, node.args)
        error = one.error + other.error
        if not error.is_zero and predicate(node.op, node.attrs) not in ALWAYS:
            self.doubts[node.dst] = _apart(one, other).is_("<=", error)

    def _any(self, doubts: Sequence[str]) -> str:
        return reduce(lambda one, other: self.code.put("arith.ori", (one, other), "i1"), doubts)

    def _selected(self, condition: str, one: Float, other: Float) -> Number:
        doubt = self.doubts.get(condition)
        if doubt is None and one.error.is_zero and other.error.is_zero:
            return self.code.zero
        plain = self.code.choose(condition, one.error, other.error)
        if doubt is None:
            return plain
        left = self.code.choose(condition, other.error, one.error)
        both = plain.apply("arith.maximumf", _apart(one, other) + left)
        return self.code.choose(doubt, both, plain)


# ---- the bound on a result before it is rounded, and of operations that do not round -------------


def _same(a: Float) -> Number:
    return a.error


def _larger(a: Float, b: Float) -> Number:
    return a.error.larger(b.error)


def _sum(_: Float, a: Float, b: Float) -> Number:
    return a.error + b.error


def _product(_: Float, a: Float, b: Float) -> Number:
    return a.times(b.error) + b.times(a.error) + a.error * b.error


def _quotient(value: Float, a: Float, b: Float) -> Number:
    if b.error.is_zero:
        return a.error if a.error.is_zero else a.error / b.size
    return _over(a.error + value.times(b.error), b.size - b.error)


def _inverse_root(value: Float, a: Float) -> Number:
    plain = a.wide.apply("math.sqrt")
    error = _root_error(plain, a)
    return error if error.is_zero else _over(value.times(error), plain - error)


def _root_error(root: Number, a: Float) -> Number:
    """√a − √(a − e) = e / (√a + √(a − e)), which is not a number where a − e is negative."""
    if a.error.is_zero:
        return a.error
    zero = a.code.zero
    some = a.error / (root + (a.wide - a.error).apply("math.sqrt"))
    return a.code.choose(a.error.is_("==", zero), zero, some)


def _over(above: Number, least: Number) -> Number:
    """A quotient by something positive; infinite if it is not."""
    code = above.code
    return code.choose(least.is_(">", code.zero), above / least, code.number(float("inf")))


def _apart(one: Float, other: Float) -> Number:
    return abs(one.wide - other.wide)


_RULES: dict[str, Callable[..., Number]] = {
    "add": _sum,
    "sub": _sum,
    "mul": _product,
    "div": _quotient,
    "root": lambda value, a: _root_error(value.wide, a),
    "inverse_root": _inverse_root,
    "fma": lambda value, a, b, c: _product(value, a, b) + c.error,
}
_EXACT: dict[str, Callable[..., Number]] = {"neg": _same, "magnitude": _same, "greater": _larger, "less": _larger}
