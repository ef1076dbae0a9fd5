"""Programs that carry bounds on their own rounding: beside each float, how far it may be from the exact number.

The rules are those of `raising.validate.run.running_error`, written as operations of the program itself, so that they
can be compiled and run at sizes at which an interpreter takes hours (running error analysis: Wilkinson 1963; Higham
2002, section 3.3). Bounds are f64. Where a comparison is decided by rounding, a selected value has the bound of both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Scalar, Store
from raising.affine.ir.real_functions import REALS
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.terms.scalar_ops import SCALARS, predicate
from raising.validate.arithmetic.integers import is_integer, width
from raising.validate.run.run import elements_of
from raising.validate.run.running_error import TINY, UNIT

WIDE = "f64"
_MANTISSA = {"f64": 53, "f32": 24, "f16": 11}
_NUMPY: dict[str, Callable[[float], Any]] = {"f64": np.float64, "f32": np.float32, "f16": np.float16}


def bound_of(array: str) -> str:
    """The array of the bounds of an array's elements."""
    return f"{array}.bound"


def with_bounds(program: Program) -> Program:
    """The program with an array of bounds for each array of floats that it writes; `Unsupported` if it has no rule."""
    return _Writer(program).program()


class _Writer:
    def __init__(self, program: Program) -> None:
        self.given = program
        self.elements = elements_of(program)
        stored = {n.array for n in program.stores()}
        self.bounded = {n for n in stored if not is_integer(program.arrays[n].element)}
        self.scalars: dict[str, Scalar] = {}
        self.errors: dict[str, str | None] = {}  # of each float; None is no error at all
        self.doubtful: dict[str, str | None] = {}  # of each truth value: whether rounding may have decided it
        self.nodes: list[Node] = []
        self.count = 0
        self.node: Compute | None = None

    def program(self) -> Program:
        """The whole program."""
        for scalar in self.given.scalars.values():
            if not is_integer(scalar.element):
                self.errors[scalar.name] = self._of_literal(scalar)
        body = self._body(self.given.body)
        arrays = {bound_of(n): replace(self.given.arrays[n], name=bound_of(n), element=WIDE) for n in self.bounded}
        scalars = {**self.given.scalars, **self.scalars}
        return replace(self.given, body=body, arrays={**self.given.arrays, **arrays}, scalars=scalars)

    def _of_literal(self, scalar: Scalar) -> str | None:
        """The distance between a float constant and the decimal number that it is written as."""
        if scalar.element not in UNIT:
            raise Unsupported(f"rounding of {scalar.element}")
        if scalar.literal is None:
            return None
        number = float(scalar.literal)
        apart = abs(float(_NUMPY[scalar.element](number)) - number)
        return self._number(apart) if 0 < apart < float("inf") else None

    # ---- the body --------------------------------------------------------------------------------

    def _body(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        outer, self.nodes = self.nodes, []
        for node in nodes:
            if isinstance(node, Loop | Guard):
                self.nodes.append(replace(node, body=self._body(node.body)))
            else:
                self.nodes.append(node)
                self._beside(node)
        found, self.nodes = tuple(self.nodes), outer
        return found

    def _beside(self, node: Load | Store | IndexValue | Compute) -> None:
        match node:
            case Load() if node.array in self.bounded:
                self.errors[node.dst] = bound = self._new()
                self.elements[bound] = WIDE
                self.nodes.append(replace(node, dst=bound, array=bound_of(node.array)))
            case Load():
                self.errors[node.dst] = None
            case Store() if node.array in self.bounded:
                bound = self.errors.get(node.value) or self._number(0.0)
                self.nodes.append(replace(node, label=f"{node.label}.bound", array=bound_of(node.array), value=bound))
            case Compute():
                self.node = node
                self._computed(node)
            case _:
                pass

    def _computed(self, node: Compute) -> None:
        kind = SCALARS[node.op].residue if node.op in SCALARS else ""
        doubts = [d for a in node.args if (d := self.doubtful.get(a)) is not None]
        if kind == "compare" and node.op.endswith("f"):
            self.doubtful[node.dst] = self._doubt(node)
        elif kind == "truth":
            self.doubtful[node.dst] = None  # an operand is finite where what it stands for is
        elif doubts and kind == "logic" and node.element == "i1":
            self.doubtful[node.dst] = self._any(doubts)
        elif doubts and (kind != "select" or is_integer(node.element)):
            raise Unsupported(f"operation '{node.op}' on a comparison that rounding may decide")
        elif not is_integer(node.element):
            self.errors[node.dst] = self._error(node, kind)
        elif any(not is_integer(self.elements[a]) for a in node.args):
            raise Unsupported(f"operation '{node.op}' has no error bound")

    def _error(self, node: Compute, kind: str) -> str | None:
        if node.element not in UNIT:
            raise Unsupported(f"rounding of {node.element}")
        if kind in _EXACT:
            return _EXACT[kind](self, *node.args)
        if kind == "select":
            return self._selected(*node.args)
        if node.op == "arith.extf":
            return self.errors[node.args[0]]
        if node.op in ("arith.sitofp", "arith.uitofp"):
            exact = width(self.elements[node.args[0]]) <= _MANTISSA[node.element]
            return None if exact else self._rounded(None, node)
        if kind in _RULES:
            return self._rounded(_RULES[kind](self, node.dst, *node.args), node)
        row = REALS.get(node.op)
        if row is not None and (row.gentle or row.rising):
            error = self.errors[node.args[0]] if row.gentle else self._monotone(node)
            return self._rounded(error, node, 1 + (1 if row.gentle else 2) * 2 * row.ulps)
        if node.op == "arith.truncf":
            return self._rounded(self.errors[node.args[0]], node)
        raise Unsupported(f"operation '{node.op}' has no error bound")

    # ---- rules -----------------------------------------------------------------------------------

    def _rounded(self, error: str | None, node: Compute, times: float = 1.0) -> str:
        """With the rounding of the result itself."""
        unit = self._do("mulf", self._number(times * UNIT[node.element]), self.size(node.dst))
        own = self._do("addf", unit, self._number(TINY[node.element]))
        return own if error is None else self._do("addf", error, own)

    def sum(self, _: str, a: str, b: str) -> str | None:
        return self._plus(self.errors[a], self.errors[b])

    def product(self, _: str, a: str, b: str) -> str | None:
        one, other = self.errors[a], self.errors[b]
        parts = [self._do("mulf", self.size(x), e) for x, e in ((a, other), (b, one)) if e is not None]
        if one is not None and other is not None:
            parts.append(self._do("mulf", one, other))
        return self._total(parts)

    def quotient(self, value: str, a: str, b: str) -> str | None:
        one, other = self.errors[a], self.errors[b]
        if other is None:
            return None if one is None else self._do("divf", one, self.size(b))
        above = self._total([*([one] if one else []), self._do("mulf", self.size(value), other)]) or ""
        return self._over(above, self._do("subf", self.size(b), other))

    def root(self, value: str, a: str) -> str | None:
        return self._root(self.wide(value), a)

    def inverse_root(self, value: str, a: str) -> str | None:
        plain = self._do("sqrt", self.wide(a), dialect="math")
        error = self._root(plain, a)
        if error is None:
            return None
        return self._over(self._do("mulf", self.size(value), error), self._do("subf", plain, error))

    def fused(self, value: str, a: str, b: str, c: str) -> str | None:
        return self._plus(self.product(value, a, b), self.errors[c])

    def same(self, a: str) -> str | None:
        return self.errors[a]

    def larger(self, a: str, b: str) -> str | None:
        one, other = self.errors[a], self.errors[b]
        return self._do("maximumf", one, other) if one is not None and other is not None else one or other

    def _root(self, value: str, a: str) -> str | None:
        """√a − √(a − e) = e / (√a + √(a − e)), which is not a number where a − e is negative."""
        error = self.errors[a]
        if error is None:
            return None
        least = self._do("sqrt", self._do("subf", self.wide(a), error), dialect="math")
        some = self._do("divf", error, self._do("addf", value, least))
        none = self._compare("eq", error, self._number(0.0))
        return self._choose(none, self._number(0.0), some)

    def _monotone(self, node: Compute) -> str | None:
        error = self.errors[node.args[0]]
        if error is None:
            return None
        value, at, name = self.wide(node.dst), self.wide(node.args[0]), node.op.removeprefix("math.")
        low, high = (self._do(name, self._do(way, at, error), dialect="math") for way in ("subf", "addf"))
        below, above = (self._do("absf", self._do("subf", end, value), dialect="math") for end in (low, high))
        return self._do("maximumf", below, above)

    def _doubt(self, node: Compute) -> str | None:
        """Whether two numbers are closer to each other than to the exact ones; equal constants are no doubt."""
        error = self._plus(*(self.errors[a] for a in node.args))
        if error is None or predicate(node.op, node.attrs) in ("true", "false", "ord", "uno"):
            return None
        return self._compare("le", self._apart(*node.args), error)

    def _selected(self, condition: str, a: str, b: str) -> str | None:
        one, other = (self.errors[x] for x in (a, b))
        doubt = self.doubtful.get(condition)
        if doubt is None and one is None and other is None:
            return None
        zero = self._number(0.0)
        plain = self._choose(condition, one or zero, other or zero)
        if doubt is None:
            return plain
        left = self._choose(condition, other or zero, one or zero)
        both = self._do("maximumf", plain, self._do("addf", self._apart(a, b), left))
        return self._choose(doubt, both, plain)

    # ---- single operations -----------------------------------------------------------------------

    def wide(self, value: str) -> str:
        """A float in the type of bounds."""
        element = self.elements[value]
        return value if element == WIDE else self._do("extf", value)

    def size(self, value: str) -> str:
        """The magnitude of a float."""
        return self._do("absf", self.wide(value), dialect="math")

    def _apart(self, a: str, b: str) -> str:
        return self._do("absf", self._do("subf", self.wide(a), self.wide(b)), dialect="math")

    def _over(self, above: str, least: str) -> str:
        """A quotient by something positive; infinite if it is not."""
        positive = self._compare("gt", least, self._number(0.0))
        return self._choose(positive, self._do("divf", above, least), self._number(float("inf")))

    def _plus(self, a: str | None, b: str | None) -> str | None:
        return self._total([x for x in (a, b) if x is not None])

    def _total(self, parts: Sequence[str]) -> str | None:
        total = None
        for part in parts:
            total = part if total is None else self._do("addf", total, part)
        return total

    def _any(self, doubts: Sequence[str]) -> str:
        total = doubts[0]
        for other in doubts[1:]:
            total = self._put("arith.ori", (total, other), "i1")
        return total

    def _compare(self, name: str, a: str, b: str) -> str:
        number = {"eq": 1, "gt": 2, "le": 5}[name]
        return self._put("arith.cmpf", (a, b), "i1", (("predicate", f"{number} : i64"),))

    def _choose(self, condition: str, a: str, b: str) -> str:
        return self._put("arith.select", (condition, a, b), WIDE)

    def _do(self, name: str, *args: str, dialect: str = "arith") -> str:
        return self._put(f"{dialect}.{name}", args, WIDE)

    def _put(self, op: str, args: tuple[str, ...], element: str, attrs: tuple[tuple[str, str], ...] = ()) -> str:
        assert self.node is not None
        name = self._new()
        self.elements[name] = element
        self.nodes.append(Compute(name, op, args, attrs, element, self.node.loc))
        return name

    def _number(self, value: float) -> str:
        name = f"number {value!r}"
        self.scalars[name] = Scalar(name, WIDE, repr(value))
        self.elements[name] = WIDE
        return name

    def _new(self) -> str:
        self.count += 1
        return f"bound {self.count}"


_RULES: dict[str, Callable[..., str | None]] = {
    "add": _Writer.sum,
    "sub": _Writer.sum,
    "mul": _Writer.product,
    "div": _Writer.quotient,
    "root": _Writer.root,
    "inverse_root": _Writer.inverse_root,
    "fma": _Writer.fused,
}
_EXACT: dict[str, Callable[..., str | None]] = {
    "neg": _Writer.same,
    "magnitude": _Writer.same,
    "greater": _Writer.larger,
    "less": _Writer.larger,
}
