"""The most accurate members of each class of an e-graph over the reals.

A class has a value at each sampled point. A member is an operation on members of other classes, computed in floats.
Kept are few whose errors, each point with the best of them, are least.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raising.eqsat.accuracy.enclose import as_float, balls_of, steps_of
from raising.eqsat.accuracy.floats import Floats, error_bits
from raising.eqsat.accuracy.identities import as_egglog, program
from raising.eqsat.accuracy.real_ops import OPS
from raising.eqsat.egraph.engine import Limits, Ref, Row, saturate
from raising.eqsat.ruleset.expression import Expr, Node, Number, Var, walk
from raising.support.graphs import reachable
from raising.support.record import dataclass

_KEPT = 3  # members of a class
_PASSES = 12  # so deep are members, at least
_GAIN = 0.02  # bits in the mean that a member has to bring
_SCHEDULE = ("seq", ("run", "r.once"), ("saturate", ("run", "r.rules")))
_LIMITS = Limits(iterations=7, nodes=1500, seconds=10.0)
_LARGEST = 60  # operations of a member


@dataclass(frozen=True)
class Member:
    """An expression with its floats at the points, its errors in bits, its cost, and a number of its own."""

    expr: Expr
    floats: Floats
    errors: NDArray[np.float64]
    cost: float
    size: int
    number: int = 0


def members_of(
    seeds: Sequence[Expr], points: Mapping[str, Floats], bits: Sequence[int], kind: np.dtype[Any]
) -> list[Member]:
    """Accurate forms of equal expressions, the first of which is what they should compute.

    `bits` is the precision that balls need at each point.
    """
    parts = dict.fromkeys(e for seed in seeds for e in (seed, *walk(seed)))
    names = {e: f"$r{n}" for n, e in enumerate(parts)}
    first = names[seeds[0]]
    text = [f"(let {name} {as_egglog(e, False)})" for e, name in names.items()]
    text += [f"(union {first} {name})" for name in {names[e]: 0 for e in seeds} if name != first]
    run = saturate([(program(), "identities"), ("\n".join(text), "seeds")], _SCHEDULE, _LIMITS)
    rows = [r for r in run.rows if r.name.startswith("r.") and isinstance(r.output, Ref)]
    root = next(r.output.number for r in run.rows if r.name == first)
    classes = _Classes(rows, points, bits, kind)
    by_name = {r.name: r.output.number for r in run.rows if r.name.startswith("$r")}
    classes.given = {by_name[name]: e for e, name in reversed(names.items())}
    return classes.members(root)


def cost_of(expr: Expr) -> float:
    """The cost of an expression, a part that occurs twice counted once."""
    return sum(OPS[e.op].cost for e in set(walk(expr)) if isinstance(e, Node))


class _Classes:
    def __init__(
        self, rows: Sequence[Row], points: Mapping[str, Floats], bits: Sequence[int], kind: np.dtype[Any]
    ) -> None:
        self.rows, self.points, self.bits, self.kind = rows, points, bits, kind
        self.count = len(bits)
        self.given: dict[int, Expr] = {}  # what a class has to compute, where that is known
        self.found: dict[int, list[Member]] = {}
        self.balls: dict[int, list[Any]] = {}
        self.true: dict[int, Floats] = {}
        self.tried: set[tuple[Any, ...]] = set()

    def members(self, root: int) -> list[Member]:
        """The members of a class."""
        self._values()
        used = self._below(root)
        with np.errstate(all="ignore"):
            for _ in range(_PASSES):
                new: dict[int, list[Member]] = {}
                for n, row in enumerate(self.rows):
                    if row.output.number in used:
                        new.setdefault(row.output.number, []).extend(self._made(n, row))
                if not any(new.values()):
                    break
                for klass, made in new.items():
                    self.found[klass] = _best([*self.found.get(klass, []), *made], self.true[klass])
        return self.found.get(root, [])

    def _below(self, root: int) -> set[int]:
        by_class: dict[int, list[Row]] = {}
        for row in self.rows:
            by_class.setdefault(row.output.number, []).append(row)

        def operands(klass: int) -> list[int]:
            numbers = [r.number for row in by_class[klass] for r in row.inputs if isinstance(r, Ref)]
            return [number for number in numbers if number in self.true]

        return set(reachable([root] if root in self.true else [], operands))

    def _values(self) -> None:
        """The balls of each class, from the first of its nodes that has some, and the floats these round to."""
        from flint import arb, ctx

        before = ctx.prec
        left = list(self.rows)
        try:
            self._known(arb, ctx)
            while left:
                rest = []
                for row in left:
                    operands = [r.number for r in row.inputs if isinstance(r, Ref)]
                    if row.output.number in self.balls:
                        continue
                    if not all(k in self.balls for k in operands):
                        rest.append(row)
                        continue
                    self.balls[row.output.number] = self._balls(row, operands, arb, ctx)
                if len(rest) == len(left):
                    break
                left = rest
            ctx.prec = max(self.bits)  # the ends of a ball are rounded to this
            for klass, balls in self.balls.items():
                values = [as_float(ball, self.kind) for ball in balls]
                self.true[klass] = np.array([np.nan if v is None else v for v in values], dtype=self.kind)
        finally:
            ctx.prec = before

    def _known(self, arb: Any, ctx: Any) -> None:
        """The balls of classes that have parts of what was given: rules may have made wrong things equal to these."""
        self.balls = {klass: [] for klass in self.given}
        steps, numbers = steps_of(list(self.given.values()))
        for n, bits in enumerate(self.bits):
            ctx.prec = bits
            point = {name: arb(float(v[n])) for name, v in self.points.items()}
            found = balls_of(steps, point)
            for klass, expr in self.given.items():
                self.balls[klass].append(found[numbers[expr]])

    def _balls(self, row: Row, operands: list[int], arb: Any, ctx: Any) -> list[Any]:
        if row.name == "r.num":
            return [arb(row.inputs[0])] * self.count
        if row.name == "r.var":
            return [arb(float(v)) for v in self.points[row.inputs[0]]]
        balls, given = OPS[row.name[2:]].balls, [self.balls[k] for k in operands]
        found = []
        for n, bits in enumerate(self.bits):
            ctx.prec = bits
            found.append(balls(*(g[n] for g in given)))
        return found

    def _made(self, number: int, row: Row) -> list[Member]:
        """The members that one node makes of those of its operands."""
        true = self.true[row.output.number]
        if row.name in ("r.num", "r.var"):
            key: tuple[Any, ...] = (number,)
            if key in self.tried:
                return []
            self.tried.add(key)
            value = row.inputs[0]
            leaf: Expr = Number(value) if row.name == "r.num" else Var(value)
            floats = np.full(self.count, value, self.kind) if row.name == "r.num" else self.points[value]
            return [Member(leaf, floats, error_bits(floats, true), 0.0, 1, len(self.tried))]
        op = row.name[2:]
        made = []
        for args in itertools.product(*(self.found.get(r.number, ()) for r in row.inputs)):
            key = (number, *(a.number for a in args))
            size = 1 + sum(a.size for a in args)
            if key in self.tried or size > _LARGEST:
                continue
            self.tried.add(key)
            floats = OPS[op].floats(*(a.floats for a in args)).astype(self.kind, copy=False)
            expr = Node(op, tuple(a.expr for a in args))
            cost = OPS[op].cost + sum(a.cost for a in args)
            made.append(Member(expr, floats, error_bits(floats, true), cost, size, len(self.tried)))
        return made


def _best(pool: list[Member], true: Floats) -> list[Member]:
    """Few members that cover all points well: the best one, and those that help it most; cheap ones first."""
    known = ~np.isnan(true)
    pool = sorted(pool, key=lambda m: m.cost)
    if not pool or not known.any():
        return pool[:1]
    table = np.array([m.errors[known] for m in pool])
    chosen: list[int] = []
    covered = np.full(table.shape[1], np.inf)
    for _ in range(_KEPT):
        means = np.minimum(table, covered).mean(axis=1)
        best = int(np.argmin(np.round(means / _GAIN)))
        if chosen and covered.mean() - means[best] < _GAIN:
            break
        chosen.append(best)
        covered = np.minimum(covered, table[best])
    return [pool[n] for n in chosen]
