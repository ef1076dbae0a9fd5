"""Whether runs at some sizes show the operations that a program applies to loop variables and sizes alone.

At small sizes `min(i * 0.001, 1)` is `i * 0.001`, `i * i > 5000` is false, `x[i / 64]` is `x[0]` and `n / 400` is 0. No
random input is part of these values, so a form that lost such an operation agrees with the loops at every draw. So
sizes at which programs are compared have to show each such value: it has to change, and to differ from its operands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from raising.affine.ir.affine_expr import Floor, Lin
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Store, forms, walk
from raising.grammar.evaluate import number
from raising.grammar.evaluate.number import Num
from raising.grammar.field import field
from raising.grammar.terms.literal import exact
from raising.grammar.terms.scalar_ops import SCALARS
from raising.support.source import Loc

Watched = str | Floor
"""A quotient of loop variables or sizes, or the name of the result of an operation on them."""
_Seen = dict[Watched, set[float]]

_LINEAR = frozenset(("add", "sub", "mul", "neg", "fma", "same", "div", "select"))
_VALUES = 3  # of a loop variable's quotient: with two of them, its steps look like a comparison
_OF_SIZES = 2  # of a quotient of sizes, of one sign: from -1 to 0 it steps for every divisor
_MOST = 120_000  # instances of a node that are looked at

_Values = dict[str, npt.NDArray[np.int64]]


class Positions:
    """The quotients and operations of a program whose operands are loop variables, sizes and constants alone.

    Quotients, and operations that are not linear, are `watched`: sizes have to show them.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known = {n: number.constant(exact(s.literal)) for n, s in program.scalars.items() if s.literal is not None}
        self.derived = tuple(form for _, form in program.derived)
        watched: set[Watched] = {*_quotients(self.derived)}
        self.pure: set[str] = set()
        for node in walk(program.body):
            watched |= _quotients(forms(node))
            if isinstance(node, IndexValue):
                self.pure.add(node.dst)
            elif isinstance(node, Compute) and self._is_pure(node):
                self.pure.add(node.dst)
                if SCALARS[node.op].residue not in _LINEAR and node.op != "arith.sitofp":
                    watched.add(node.dst)
        self.watched = frozenset(watched)
        variables = {n.iv for n in walk(program.body) if isinstance(n, Loop)}
        self.stepping = {w for w in watched if isinstance(w, Floor) and w.inner.names() & variables}

    def _is_pure(self, node: Compute) -> bool:
        constant = all(a in self.known for a in node.args)
        return node.op in SCALARS and not constant and all(a in self.pure or a in self.known for a in node.args)

    def hidden(self, vectors: Iterable[Mapping[str, int]], seen: _Seen | None = None) -> frozenset[Watched]:
        """The watched values that these size vectors do not show together; the values of each are added to `seen`."""
        seen, left = {} if seen is None else seen, self.watched
        for sizes in vectors:
            if left:
                left -= _Run(self, sizes, seen).shown
        return left

    def idle(self, sizes: Mapping[str, int], seen: _Seen) -> frozenset[Watched]:
        """The watched values that have no value at these sizes but those in `seen`; none if not all were looked at."""
        here: _Seen = {}
        run = _Run(self, sizes, here)
        alike = {w for w in self.watched - run.shown if here.get(w, set()) <= seen.get(w, set())}
        return frozenset(alike) if run.complete else frozenset()

    def place(self, what: Watched) -> Loc:
        """The place of a watched value; that of the first node for a quotient of sizes in front of all loops."""
        found = [n.loc for n in walk(self.program.body) if _is_at(n, what)]
        return found[0] if found else self.program.body[0].loc


def unseen(program: Program, values: Mapping[str, Lin], vectors: Iterable[Mapping[str, int]]) -> str:
    """Why runs at some sizes do not show what a program computes of positions alone; empty if they do."""
    positions = Positions(program)
    seen: _Seen = {}
    left = positions.hidden(vectors, seen)
    known = {n: values[n].const for n in program.sizes if n in values and values[n].is_const}
    if left and len(known) == len(program.sizes):
        left -= positions.idle(known, seen)
    left -= {w for w in left if isinstance(w, Floor) and _is_one_number(program, w)}
    if not left:
        return ""
    where = min(map(positions.place, left), key=lambda loc: (loc.line, loc.col))
    return f"what is computed of loop variables or sizes at {where} is the same at all sizes that can be tried"


def _is_one_number(program: Program, quotient: Floor) -> bool:
    """Whether a quotient of sizes is the same at all sizes that there may be, as `(k >> 8) & 255` of 16 bits is."""
    import islpy as isl  # only here: most programs have no such quotient

    from raising.affine.polyhedral.scop import context_set, params

    if not quotient.inner.names() <= set(program.sizes):
        return False
    value = isl.Set(f"{params(program)}{{ [q] : q = {Lin(0, ((quotient, 1),)).isl()} }}")
    values = value.intersect_params(context_set(program)).project_out_all_params()
    return bool(values.is_singleton())


class _Run:
    """A run of the operations on positions at some sizes, for all iterations at once; `shown` are its results."""

    def __init__(self, positions: Positions, sizes: Mapping[str, int], seen: _Seen) -> None:
        self.positions = positions
        self.shown: set[Watched] = set()
        self.complete = True
        self._seen = seen
        start = {n: np.full(1, value, dtype=np.int64) for n, value in sizes.items()}
        self._quotients(positions.derived, start, 1)
        self._nodes(positions.program.body, start, {}, 1)

    def _nodes(self, nodes: Sequence[Node], names: _Values, values: dict[str, Num], count: int) -> None:
        values = dict(values)
        for node in nodes:
            self._quotients(forms(node), names, count)
            match node:
                case Loop():
                    self._loop(node, names, values, count)
                case Guard():
                    holds = [_holds(c.form, c.equality, names, count) for c in node.conds]
                    self._inside(node.body, np.flatnonzero(np.logical_and.reduce(holds)), names, values)
                case IndexValue():
                    values[node.dst] = _number(_form(node.form, names, count))
                case Compute() if node.dst in self.positions.pure:
                    self._compute(node, values)
                case _:
                    assert isinstance(node, Load | Store | Compute)

    def _quotients(self, given: Iterable[Lin], names: _Values, count: int) -> None:
        for quotient in _quotients(given):
            self._note(quotient, _form(Lin(0, ((quotient, 1),)), names, count), ())

    def _loop(self, loop: Loop, names: _Values, values: dict[str, Num], count: int) -> None:
        low = np.max([_form(f, names, count) for f in loop.lower], axis=0)
        high = np.min([_form(f, names, count) for f in loop.upper], axis=0)
        trips = np.maximum(0, -(-(high - low) // loop.step))
        if trips.sum() > _MOST:
            self.complete = False
            return
        outer = np.repeat(np.arange(count), trips)
        turn = np.arange(len(outer)) - np.repeat(np.cumsum(trips) - trips, trips)
        self._inside(loop.body, outer, names, values, {loop.iv: low[outer] + turn * loop.step})

    def _inside(
        self,
        nodes: Sequence[Node],
        taken: npt.NDArray[np.int64],
        names: _Values,
        values: Mapping[str, Num],
        new: Mapping[str, npt.NDArray[np.int64]] | None = None,
    ) -> None:
        if len(taken):
            inner = {n: v[taken] for n, v in names.items()} | dict(new or {})
            kept = {n: Num(v.res[taken], v.flt[taken]) for n, v in values.items()}
            self._nodes(nodes, inner, kept, len(taken))

    def _compute(self, node: Compute, values: dict[str, Num]) -> None:
        given = [values.get(a) or self.positions.known.get(a) for a in node.args]
        arguments = [a for a in given if a is not None]
        if len(arguments) < len(given):
            return  # computed in another block
        found = number.apply(node.op, arguments, node.attrs)
        shape = np.broadcast_shapes(*(a.flt.shape for a in arguments))
        values[node.dst] = Num(np.broadcast_to(found.res, shape), np.broadcast_to(found.flt, shape))
        if node.dst in self.positions.watched:
            self._note(node.dst, found.flt, [a.flt for a in arguments])

    def _note(self, what: Watched, value: npt.NDArray[Any], operands: Sequence[npt.NDArray[Any]]) -> None:
        """Record the values of a watched one; they count if they differ from its operands."""
        if what in self.shown:
            return
        same = any(bool(np.all(value == operand)) for operand in operands)
        seen = self._seen.setdefault(what, set())
        if not same:
            seen |= set(np.unique(value)[:_VALUES].tolist())
        if self._steps(what, seen):
            self.shown.add(what)

    def _steps(self, what: Watched, seen: set[float]) -> bool:
        if isinstance(what, Floor) and what not in self.positions.stepping:
            below = sum(value < 0 for value in seen)
            return max(below, len(seen) - below) >= _OF_SIZES
        return len(seen) >= (_VALUES if what in self.positions.stepping else 2)


def _is_at(node: Node, what: Watched) -> bool:
    if isinstance(what, Floor):
        return what in _quotients(forms(node))
    return isinstance(node, Compute) and node.dst == what


def _quotients(given: Iterable[Lin]) -> set[Floor]:
    return {quotient for form in given for quotient in form.quotients()}


def _form(form: Lin, names: _Values, count: int) -> npt.NDArray[np.int64]:
    value: Any = form.evaluate(names)  # type: ignore[arg-type]  # arrays of integers do as integers do
    return np.broadcast_to(value, (count,))


def _holds(form: Lin, equality: bool, names: _Values, count: int) -> npt.NDArray[np.bool_]:
    value = _form(form, names, count)
    return value == 0 if equality else value >= 0


def _number(value: npt.NDArray[np.int64]) -> Num:
    return Num((value % field.P).astype(np.uint64), value.astype(np.float64))
