"""Branches: conditions over loop variables and sizes become domains, those over data become branches on values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from pycparser import c_ast

from raising.frontend.c.ir.module import place
from raising.frontend.c.ir.nodes import Alternatives, Cond, If, Node
from raising.frontend.c.ir.polynomial import Poly, const
from raising.frontend.c.ir.types import common
from raising.frontend.c.known.integer_domains import (
    cases_of,
    combined,
    conjunction,
    known_in,
    negation,
    of_branches,
    relation,
    simplified,
)
from raising.frontend.c.known.typed_values import Cases, Demote, Extremum, Held, Ptr, Sym, Unknown
from raising.frontend.c.lower.arithmetic import Numeric
from raising.frontend.c.lower.expressions import COMPARISONS, TRUTH, Expressions
from raising.support.source import Loc

MAX_ALTERNATIVES = 16
MAX_CHAIN, MAX_CHAINED = 3, 2  # alternatives that become branches, each with what they guard; so many inside each other
T = TypeVar("T")
_STEPS = ("++", "--", "p++", "p--")
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


class Conditions(Expressions):
    """Branches."""

    _chained = 0

    def formula(self, node: Any) -> Alternatives | None:
        """A condition over loop variables and sizes; None (and no effect) for any other."""
        mark = self.mark()
        found = self._formula(node, False)
        if found is None or len(found) > MAX_ALTERNATIVES or not self._affine(found):
            self.restore(mark)
            return None
        return simplified(found, self.facts)

    def _formula(self, node: Any, negated: bool) -> Alternatives | None:
        if isinstance(node, c_ast.UnaryOp) and node.op == "!":
            return self._formula(node.expr, not negated)
        if isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||"):
            left = self._formula(node.left, negated)
            right = self._formula(node.right, negated) if left is not None else None
            if left is None or right is None or len(left) * len(right) > MAX_ALTERNATIVES:
                return None
            return conjunction(left, right) if (node.op == "&&") != negated else left + right
        if isinstance(node, c_ast.BinaryOp) and node.op in COMPARISONS:
            return self._related(_NEGATED[node.op] if negated else node.op, node)
        value = self.value(node)
        if not isinstance(value, Sym):
            return None
        return relation("==" if negated else "!=", value.form, const(0))

    def _related(self, op: str, node: Any) -> Alternatives | None:
        loc, a, b = place(node), self.value(node.left), self.value(node.right)
        if isinstance(a, Ptr) and isinstance(b, Ptr):
            return relation(op, self.difference(a, b, loc), const(0))
        if not isinstance(a, Sym | Extremum | Cases) or not isinstance(b, Sym | Extremum | Cases):
            return None
        t = common(a.type, b.type)
        left, right = self.converted(a, t, loc), self.converted(b, t, loc)
        return _alternatives(op, left, right)

    def _affine(self, alternatives: Alternatives) -> bool:
        return all(c.form.is_affine(self.facts.free) for conds in alternatives for c in conds)

    # ---- branches ----------------------------------------------------------------------------------

    def branch(self, node: Any, then: Callable[[], None], orelse: Callable[[], None] | None) -> None:
        """`then` where a condition holds, else `orelse`."""
        loc = place(node)
        formula = self.formula(node)
        if formula is not None:
            self._affine_branch(formula, then, orelse, loc)
        elif isinstance(node, c_ast.UnaryOp) and node.op == "!":
            self.branch(node.expr, orelse or (lambda: None), then)
        elif (mixed := self._mixed(node)) is not None:
            self._mixed_branch(node.op, *mixed, then, orelse)
        elif isinstance(node, c_ast.BinaryOp) and node.op == "&&" and orelse is None:
            self.branch(node.left, lambda: self.branch(node.right, then, None), None)
        else:
            self.choose(self._truth(node), then, orelse, loc)

    def _mixed(self, node: Any) -> tuple[Alternatives, Any] | None:
        """Of `a && b && …` or `a || b || …`, what is over loop variables and sizes, and the rest, on data."""
        if not isinstance(node, c_ast.BinaryOp) or node.op not in ("&&", "||") or self._chained >= MAX_CHAINED:
            return None
        known: Any = None
        data: Any = None
        for part in _flat(node, node.op):
            if self.formula(part) is not None:
                known = part if known is None else c_ast.BinaryOp(node.op, known, part, part.coord)
            elif self._is_pure(part):
                data = part if data is None else c_ast.BinaryOp(node.op, data, part, part.coord)
            else:
                return None
        formula = self.formula(known) if known is not None and data is not None else None
        return None if formula is None else (formula, data)

    def _mixed_branch(
        self,
        op: str,
        formula: Alternatives,
        data: Any,
        then: Callable[[], None],
        orelse: Callable[[], None] | None,
    ) -> None:
        """The part over loop variables and sizes becomes a domain; the data is asked inside of it."""
        loc = place(data)
        self._chained += 1
        try:
            inside = partial(self.branch, data, then, orelse)
            self._affine_branch(formula, inside if op == "&&" else then, orelse if op == "&&" else inside, loc)
        finally:
            self._chained -= 1

    def _is_pure(self, node: Any) -> bool:
        """Whether an expression has no side effects, so that it may be evaluated later, or not at all."""
        if isinstance(node, c_ast.Assignment) or (isinstance(node, c_ast.UnaryOp) and node.op in _STEPS):
            return False
        if isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", None) in self.unit.functions:
            return False
        return all(map(self._is_pure, node))

    def _truth(self, node: Any) -> int:
        """The truth of a condition that involves data; the right side of && and || only where C evaluates it."""
        loc = place(node)
        if not isinstance(node, c_ast.BinaryOp) or node.op not in ("&&", "||"):
            return self.truth_of(self.value(node), loc)
        cell = self.cell("t", TRUTH, loc)

        def right() -> None:
            self.write(cell, (), self._truth_anywhere(node.right), loc)

        def decided() -> None:
            self.write(cell, (), self.constant(int(node.op == "||"), TRUTH, loc), loc)

        first = (right, decided) if node.op == "&&" else (decided, right)
        self.branch(node.left, *first)
        return self.read(cell, (), loc)

    def _truth_anywhere(self, node: Any) -> int:
        formula = self.formula(node)
        if formula is None:
            return self._truth(node)
        return self.truth_of(self.truth(node), place(node))

    def _affine_branch(
        self, formula: Alternatives, then: Callable[[], None], orelse: Callable[[], None] | None, loc: Any
    ) -> None:
        if formula == ():
            if orelse is not None:
                orelse()
            return
        if () in formula:
            then()
            return
        if 1 < len(formula) <= MAX_CHAIN and self._chained < MAX_CHAINED:
            # One alternative after the other: conditions of a domain are conjunctions.
            self._chained += 1
            try:
                self._affine_branch(formula[:1], then, lambda: self._affine_branch(formula[1:], then, orelse, loc), loc)
            finally:
                self._chained -= 1
            return
        other = negation(formula)
        known = tuple(known_in(a) for a in (formula, other))
        conds = formula[0] if len(formula) == 1 else ()
        bodies = self.bodies((then, orelse), (known[0], known[1]), conds)
        if any(bodies):
            self.add(If(formula, bodies[0], bodies[1], loc))

    def bodies(
        self,
        emit: tuple[Callable[[], None], Callable[[], None] | None],
        known: tuple[tuple[Poly, ...], tuple[Poly, ...]],
        conds: tuple[Cond, ...],
    ) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """The nodes of two branches, and the values of variables after them."""
        before = dict(self.values)
        ends, nodes = [], []
        for action, forms in zip(emit, known, strict=True):
            self.values = dict(before)
            with self.block() as body, self.knowing(forms):
                if action is not None:
                    action()
            nodes.append(tuple(body))
            ends.append(self.values)
        self.values = before
        for key, then in ends[0].items():
            orelse = ends[1].get(key)
            if then != before.get(key) or orelse != before.get(key):
                self._merge(key, then, orelse, conds)
        for key in ends[1].keys() - ends[0].keys():
            self._merge(key, None, ends[1][key], conds)
        return nodes[0], nodes[1]

    def _merge(self, key: str, then: Held | None, orelse: Held | None, conds: tuple[Cond, ...]) -> None:
        if then == orelse and then is not None:
            self.values[key] = then
        elif then is None or orelse is None:
            self.values.pop(key, None)  # declared inside of one branch
        elif isinstance(then, Unknown) or isinstance(orelse, Unknown):
            self.values[key] = then if isinstance(then, Unknown) else orelse
        else:
            self.values[key] = self._chosen(key, then, orelse, conds)

    def _chosen(self, key: str, then: Held, orelse: Held, conds: tuple[Cond, ...]) -> Held:
        """`then` where the conditions hold, `orelse` elsewhere: the max or min of the two if it is that, else cases."""
        if not conds or not isinstance(then, Sym | Extremum | Cases) or not isinstance(orelse, Sym | Extremum | Cases):
            raise Demote(key)
        if isinstance(then, Sym) and isinstance(orelse, Sym) and len(conds) == 1 and not conds[0].equality:
            for kind, gap in (("max", then.form - orelse.form), ("min", orelse.form - then.form)):
                if (slack := (gap - conds[0].form).constant) in (0, 1) and slack is not None:
                    return Extremum(kind, (then.form, orelse.form), then.type)
        return of_branches(key, conds, then, orelse, self.facts)

    def split(self, cases: tuple[tuple[tuple[Cond, ...], T], ...], act: Callable[[T], None], loc: Loc) -> None:
        """An action on the value of the case that holds."""
        (conds, value), *rest = cases
        if rest:
            formula = simplified((conds,), self.facts)
            self._affine_branch(formula, lambda: act(value), lambda: self.split(tuple(rest), act, loc), loc)
        else:
            act(value)


def _flat(node: Any, op: str) -> list[Any]:
    """The operands of a chain of one operator."""
    if isinstance(node, c_ast.BinaryOp) and node.op == op:
        return _flat(node.left, op) + _flat(node.right, op)
    return [node]


def _alternatives(op: str, a: Numeric, b: Numeric) -> Alternatives | None:
    if isinstance(a, Cases) or isinstance(b, Cases):
        sides = [cases_of(x) for x in (a, b)]
        pairs = combined(sides)
        return tuple((*conds, *extra) for conds, (x, y) in pairs for extra in relation(op, x, y))
    if isinstance(a, Sym) and isinstance(b, Extremum):
        a, b, op = b, a, _MIRRORED[op]
    if isinstance(a, Sym) and isinstance(b, Sym):
        return relation(op, a.form, b.form)
    if not isinstance(a, Extremum) or not isinstance(b, Sym) or op in ("==", "!="):
        return None
    parts = [relation(op, f, b.form) for f in a.forms]
    every = (a.kind == "max") == (op in ("<", "<="))
    if not every:
        return tuple(x for part in parts for x in part)
    result: Alternatives = ((),)
    for part in parts:
        result = conjunction(result, part)
    return result
