"""What a program computes of its loop variables alone, and whether runs at some sizes show it.

At small sizes `min(i * 0.001, 1)` is `i * 0.001`, `i * i > 5000` is false and `x[i / 64]` is `x[0]`. No random number
is part of that, so that a form which lost the operation agrees at every draw. Where programs are compared, such a value
has to change, and to be another one than what it is made of.
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
"""A quotient of loop variables, or the name of the result of an operation on positions."""

_LINEAR = frozenset(("add", "sub", "mul", "neg", "fma", "same", "div", "select"))
_VALUES = 3  # of a quotient: with two of them, its steps look like a comparison
_MOST = 120_000  # instances of a node that are looked at

_Values = dict[str, npt.NDArray[np.int64]]


class Positions:
    """The quotients and operations of a program that have nothing but positions and constants as operands."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known = {n: number.constant(exact(s.literal)) for n, s in program.scalars.items() if s.literal is not None}
        variables = {n.iv for n in walk(program.body) if isinstance(n, Loop)}
        watched: set[Watched] = set()
        self.pure: set[str] = set()
        for node in walk(program.body):
            watched |= {a for a in _quotients(forms(node)) if a.inner.names() & variables}
            if isinstance(node, IndexValue):
                self.pure.add(node.dst)
            elif isinstance(node, Compute) and self._is_pure(node):
                self.pure.add(node.dst)
                if SCALARS[node.op].residue not in _LINEAR:
                    watched.add(node.dst)
        self.watched = frozenset(watched)

    def _is_pure(self, node: Compute) -> bool:
        constant = all(a in self.known for a in node.args)
        return node.op in SCALARS and not constant and all(a in self.pure or a in self.known for a in node.args)

    def hidden(self, vectors: Iterable[Mapping[str, int]]) -> frozenset[Watched]:
        """What is watched and not shown at any of these sizes."""
        left = self.watched
        for sizes in vectors:
            if left:
                left -= _Run(self, sizes).shown
        return left

    def idle(self, sizes: Mapping[str, int]) -> frozenset[Watched]:
        """What is watched and known to show nothing at these sizes, at which a program may be too large to run."""
        run = _Run(self, sizes)
        return self.watched - run.shown if run.complete else frozenset()

    def place(self, what: Watched) -> Loc:
        """Where something that is watched stands."""
        inside = (n for n in walk(self.program.body) if _is_at(n, what))
        return next(inside).loc


def unseen(program: Program, values: Mapping[str, Lin], vectors: Iterable[Mapping[str, int]]) -> str:
    """Why runs at some sizes cannot tell what a program computes of loop variables; empty if they can."""
    positions = Positions(program)
    left = positions.hidden(vectors)
    known = {n: values[n].const for n in program.sizes if n in values and values[n].is_const}
    if left and len(known) == len(program.sizes):
        left -= positions.idle(known)
    if not left:
        return ""
    where = min(map(positions.place, left), key=lambda loc: (loc.line, loc.col))
    return f"what is computed of loop variables at {where} is the same at all sizes that can be tried"


class _Run:
    """The values of positions at sizes, all iterations of a loop at once."""

    def __init__(self, positions: Positions, sizes: Mapping[str, int]) -> None:
        self.positions = positions
        self.shown: set[Watched] = set()
        self.complete = True
        self._ranges: dict[Watched, set[float]] = {}
        start = {n: np.full(1, value, dtype=np.int64) for n, value in sizes.items()}
        self._nodes(positions.program.body, start, {}, 1)

    def _nodes(self, nodes: Sequence[Node], names: _Values, values: dict[str, Num], count: int) -> None:
        values = dict(values)
        for node in nodes:
            for quotient in _quotients(forms(node)):
                if quotient in self.positions.watched:
                    self._note(quotient, _form(Lin(0, ((quotient, 1),)), names, count), ())
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
        """Take a value into account, which differs from its operands."""
        if what in self.shown:
            return
        same = any(bool(np.all(value == operand)) for operand in operands)
        seen = self._ranges.setdefault(what, set())
        if not same:
            seen |= set(np.unique(value)[:_VALUES].tolist())
        if len(seen) >= (_VALUES if isinstance(what, Floor) else 2):
            self.shown.add(what)


def _is_at(node: Node, what: Watched) -> bool:
    if isinstance(what, Floor):
        return what in _quotients(forms(node))
    return isinstance(node, Compute) and node.dst == what


def _quotients(given: Iterable[Lin]) -> set[Floor]:
    """The quotients in forms, also those in others."""
    found: set[Floor] = set()
    for form in given:
        for atom, _ in form.terms:
            if isinstance(atom, Floor):
                found |= {atom, *_quotients((atom.inner,))}
    return found


def _form(form: Lin, names: _Values, count: int) -> npt.NDArray[np.int64]:
    value: Any = form.evaluate(names)  # type: ignore[arg-type]  # arrays of integers do as integers do
    return np.broadcast_to(value, (count,))


def _holds(form: Lin, equality: bool, names: _Values, count: int) -> npt.NDArray[np.bool_]:
    value = _form(form, names, count)
    return value == 0 if equality else value >= 0


def _number(value: npt.NDArray[np.int64]) -> Num:
    return Num((value % field.P).astype(np.uint64), value.astype(np.float64))
