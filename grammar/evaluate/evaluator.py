"""The one evaluator: structured operations, terms and procedures on residues with floats beside them.

Every array may carry a leading candidate axis, so that thousands of candidates are computed by one NumPy call each
step. A procedure (an operation that is a recurrence) is evaluated by running its loops.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.integer_functions import DIVISIONS
from raising.affine.ir.integer_types import limits
from raising.affine.ir.interpreter import Machine, Memory, shape_at
from raising.grammar.evaluate import number
from raising.grammar.evaluate.number import Num
from raising.grammar.evaluate.point_number import Point, point
from raising.grammar.evaluate.sample import POINTS, to_num, to_points
from raising.grammar.field import field
from raising.grammar.terms.literal import exact, exact_of
from raising.grammar.terms.procedure import Procedure
from raising.grammar.terms.scalar_ops import neutral
from raising.grammar.terms.structured_op import (
    CONSTANT,
    Body,
    Instr,
    Linear,
    Map,
    combiner,
    dims_of,
    is_projection,
    scalar_part,
)
from raising.grammar.terms.term import (
    Apply,
    Call,
    Either,
    Input,
    Insert,
    Literal,
    Mask,
    Position,
    Recur,
    Reshape,
    Reverse,
    TensorType,
    Term,
    Undefined,
    Window,
    nodes,
)


def called(procedure: Procedure, arguments: Sequence[Num]) -> Num:
    """The results of a procedure on its arguments; an element that it does not set is a value of its own.

    Candidates of one shape call it on the same numbers again and again: the last results are kept.
    """
    return _called(procedure, tuple(_Content(a, a.res.shape, a.res.tobytes() + a.flt.tobytes()) for a in arguments))


class _Content:
    """An array that is told from others by what is in it."""

    def __init__(self, value: Num, *content: object) -> None:
        self.value, self.content = value, content

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Content) and self.content == other.content

    def __hash__(self) -> int:
        return hash(self.content)


@lru_cache(maxsize=1024)
def _called(procedure: Procedure, known: tuple[_Content, ...]) -> Num:
    program, arguments = procedure.program, [k.value for k in known]
    sizes = procedure.sizes([a.res.shape for a in arguments])
    memory: dict[str, Memory[Point]] = {}
    for name, value in zip(procedure.arguments, arguments, strict=True):
        memory[name] = Memory(value.res.shape, to_points(value))
    for name in program.arrays.keys() - memory.keys():
        shape = shape_at(program, name, sizes)
        marks = np.arange(math.prod(shape), dtype=np.uint64)
        residues = field.opaque(f"unset {procedure.symbol}", (marks,))
        memory[name] = Memory(shape, [Point(int(r), math.nan) for r in residues])
    literals = {s.name: point(exact(s.literal)) for s in program.scalars.values() if s.literal is not None}
    with np.errstate(all="ignore"):
        Machine(POINTS, sizes, memory, literals).run(program.body)
    result = memory[procedure.result]
    return to_num(result.data, result.shape)


def aligned(value: Num, m: Map, rank: int, extents: Sequence[int] = ()) -> Num:
    """(batch, operand dims …) → (batch, iteration dims …), with extent 1 where the operand does not vary.

    `extents` are needed only by maps that are no projection (a diagonal, a sum of dimensions).
    """
    view = _view(m, rank)
    if view is None:
        index: tuple[Any, ...] = (slice(None), *(_positions(entry, rank, extents) for entry in m))
        return Num(value.res[index], value.flt[index])
    axes, places = view
    return Num(value.res.transpose(axes)[places], value.flt.transpose(axes)[places])


@lru_cache(maxsize=1024)
def _view(m: Map, rank: int) -> tuple[tuple[int, ...], tuple[slice | None, ...]] | None:
    """An operand's axes in the order of the iteration dimensions, and where there is none; None for no projection."""
    if not is_projection(m):
        return None
    order = sorted(range(len(m)), key=lambda k: m[k])
    return (0, *(1 + k for k in order)), (slice(None), *(slice(None) if d in m else None for d in range(rank)))


def _positions(entry: int | Linear, rank: int, extents: Sequence[int]) -> npt.NDArray[np.int64]:
    """Where an operand is read along one of its dimensions, for every iteration point."""
    total = np.zeros((1,) * rank, dtype=np.int64)
    for d, c in ((entry, 1),) if isinstance(entry, int) else entry:
        total = total + c * np.arange(extents[d]).reshape([-1 if k == d else 1 for k in range(rank)])
    return total


class DoesNotFit(Exception):
    """At some size vector a part of a term leaves its tensor, or divides an integer by 0."""


def run_body(body: Body, args: Sequence[Num], strict: bool = False) -> Num:
    """A scalar body on aligned inputs (the output's old element is not read).

    `DoesNotFit` if it is `strict` and an integer is divided by 0, where a machine stops.
    """
    values: dict[int, Num] = dict(enumerate(args))
    for place, instr in _steps(body):
        if isinstance(instr, Num):
            values[place] = instr
        else:
            operands = [values[a] for a in instr.args]
            if strict and instr.op in DIVISIONS and not np.all(operands[1].res):
                raise DoesNotFit
            values[place] = number.apply(instr.op, operands, instr.attrs)
    if body.result not in values:
        raise ValueError("the body yields its old output")
    return values[body.result]


@lru_cache(maxsize=1024)
def _steps(body: Body) -> tuple[tuple[int, Instr | Num], ...]:
    """What has to be computed for a body's result, each by the number of its value; constants as numbers."""
    needed = {body.result}
    found: list[tuple[int, Instr | Num]] = []
    for k in range(len(body.instrs) - 1, -1, -1):
        place, instr = body.arity + k, body.instrs[k]
        if place in needed and instr.op == CONSTANT:
            found.append((place, number.constant(exact_of(dict(instr.attrs)["value"]))))
        elif place in needed:
            needed |= set(instr.args)
            found.append((place, instr))
    return tuple(reversed(found))


class _Plan(NamedTuple):
    """The part of a structured computation that is the same at all sizes."""

    inner: Body
    combiner: str | None
    reduced: tuple[int, ...]
    axes: tuple[int, ...]  # of the result, behind the candidate axis
    whole: bool  # if these are in order


@lru_cache(maxsize=4096)
def _plan(body: Body, out: Map, rank: int) -> _Plan:
    inner, op = scalar_part(body)
    reduced = tuple(d for d in range(rank) if d not in out)
    if reduced and op is None:
        raise ValueError("a body that does not accumulate cannot reduce")
    kept = [d for d in range(rank) if d not in reduced]
    axes = (0, *(1 + kept.index(d) for d in dims_of(out)))
    return _Plan(inner, op, tuple(1 + d for d in reduced), axes, axes == tuple(range(len(axes))))


def structured(
    body: Body, maps: Sequence[Map], args: Sequence[Num], extents: Sequence[int], strict: bool = False
) -> Num:
    """One structured computation from the neutral element: (batch, output dims …); `strict` as in `run_body`."""
    rank = len(extents)
    plan = _plan(body, maps[-1], rank)
    given = [aligned(a, m, rank, extents) for a, m in zip(args, maps[:-1], strict=True)]
    value = run_body(plan.inner, given, strict and 0 not in extents)
    shape = (max([a.res.shape[0] for a in args], default=1), *extents)
    if value.res.shape != shape:
        value = Num(np.broadcast_to(value.res, shape), np.broadcast_to(value.flt, shape))
    if plan.combiner is not None and plan.reduced:
        value = number.combine(plan.combiner, value, plan.reduced)
    return value if plan.whole else Num(value.res.transpose(plan.axes), value.flt.transpose(plan.axes))


class _Known(dict[bytes, Num]):
    """Values by digest; one that is not there did not fit."""

    def __missing__(self, digest: bytes) -> Num:
        raise DoesNotFit


@lru_cache(maxsize=512)
def _order(term: Term) -> tuple[Term, ...]:
    return tuple(nodes((term,)))


@lru_cache(maxsize=4096)
def _dims(term: Apply) -> tuple[tuple[Lin, ...], str | None]:
    """The extents of the iteration dimensions, and what accumulates."""
    return term.extents(), combiner(term.body)


def stacked(values: Sequence[Num]) -> Num:
    """The values of several runs, along a first dimension."""
    return Num(np.stack([value.res for value in values]), np.stack([value.flt for value in values]))


def _lifted(value: Num) -> Num:
    """A value as that of one run."""
    return Num(value.res[None], value.flt[None])


class Evaluator:
    """Evaluates terms at one size vector, each distinct node once. `DoesNotFit` if that cannot be done.

    With `many`, inputs have the values of several runs along their first dimension, and so have the results, or one
    value for all of them. Otherwise there is one run, and no such dimension.
    """

    def __init__(self, inputs: Mapping[str, Num], sizes: Mapping[str, int], many: bool = False) -> None:
        self.inputs, self.sizes, self.many = inputs, sizes, many
        self.known = _Known()
        self.loops: dict[tuple[object, ...], list[Num]] = {}

    @classmethod
    def of_many(cls, runs: Sequence[Mapping[str, Num]], sizes: Mapping[str, int]) -> Evaluator:
        """An evaluator of many runs, each with inputs of its own."""
        return cls({name: stacked([run[name] for run in runs]) for name in runs[0]}, sizes, many=True)

    def __call__(self, term: Term) -> Num:
        """The value of a term, without a candidate axis."""
        for node in _order(term):
            if node.digest not in self.known:
                with suppress(DoesNotFit):  # it may be the branch that is not taken at these sizes
                    self.known[node.digest] = self._node(node)
        found = self.known[term.digest]
        return found if self.many else Num(found.res[0], found.flt[0])

    def _node(self, term: Term) -> Num:
        match term:
            case Input():
                return self.inputs[term.name] if self.many else _lifted(self.inputs[term.name])
            case Literal():
                return _lifted(number.constant(exact(term.text)))
            case Mask():
                return _lifted(self._mask(term))
            case Position():
                return _lifted(self._position(term))
            case Window():
                source, box = self.known[term.source.digest], (slice(None), *self._box(term))
                return self._shaped(Num(source.res[box], source.flt[box]), self._extents(term.type.dims))
            case Insert():
                return self._insert(term)
            case Apply():
                return self._apply(term)
        return self._other(term)

    def _other(self, term: Term) -> Num:
        match term:
            case Either():
                chosen = term.yes if all(c.holds(self.sizes) for c in term.conds) else term.no
                return self.known[chosen.digest]
            case Undefined():
                shape = (1, *self._extents(term.type.dims))
                marks = np.arange(math.prod(shape), dtype=np.uint64).reshape(shape)
                return Num(field.opaque("undefined", (marks,)), np.full(shape, np.nan))
            case Reverse():
                source, axes = self.known[term.source.digest], tuple(1 + axis for axis in term.axes)
                return Num(np.flip(source.res, axes), np.flip(source.flt, axes))
            case Reshape():
                return self._shaped(self.known[term.source.digest], self._extents(term.type.dims))
            case Call():
                return self._called(term.procedure, [self.known[t.digest] for t in term.inputs])
            case Recur():
                if term.loop not in self.loops:
                    self.loops[term.loop] = self._run(term)
                return self.loops[term.loop][term.number]
        raise TypeError(f"unknown term {type(term).__name__}")

    def _called(self, procedure: Procedure, given: Sequence[Num]) -> Num:
        """The results of a procedure in each run, one after the other."""
        runs = max([len(a.res) for a in given], default=1)
        rows = ([Num(a.res[k % len(a.res)], a.flt[k % len(a.res)]) for a in given] for k in range(runs))
        return stacked([called(procedure, row) for row in rows])

    def _run(self, term: Recur) -> list[Num]:
        """The values that a loop carries, after its last iteration."""
        step = term.step
        given = {i.name: self.known[t.digest] for i, t in zip(step.given, term.given, strict=True)}
        state = [self.known[t.digest] for t in term.inits]
        for value in step.trips(self.sizes):
            carried = {i.name: v for i, v in zip(step.carried, state, strict=True)}
            inside = Evaluator({**given, **carried}, {**self.sizes, step.iv: value}, many=True)
            state = [inside(result) for result in step.results]
        return state

    def _box(self, term: Window | Insert) -> tuple[slice, ...]:
        """The box, of extent one along the dimensions not kept (an empty one may start outside of the tensor)."""
        piece = term.type if isinstance(term, Window) else term.piece.type
        starts = [o.evaluate(self.sizes) for o in term.offsets]
        counts, steps = [1] * len(starts), [1] * len(starts)
        for dim, extent in zip(term.kept, piece.dims, strict=True):
            counts[dim], steps[dim] = max(0, extent.evaluate(self.sizes)), term.strides[dim]
        if min(starts, default=0) < 0 < min(counts, default=1):
            raise DoesNotFit
        ends = (a + s * n if n else a for a, n, s in zip(starts, counts, steps, strict=True))
        return tuple(slice(a, e, s) for a, e, s in zip(starts, ends, steps, strict=True))

    def _insert(self, term: Insert) -> Num:
        into, piece = self.known[term.into.digest], self.known[term.piece.digest]
        shape, box = (max(len(into.res), len(piece.res)), *into.res.shape[1:]), (slice(None), *self._box(term))
        res, flt = np.broadcast_to(into.res, shape).copy(), np.broadcast_to(into.flt, shape).copy()
        shaped = self._shaped(piece, res[box].shape[1:])
        res[box], flt[box] = shaped.res, shaped.flt
        return Num(res, flt)

    def _extents(self, dims: Sequence[Lin]) -> tuple[int, ...]:
        return tuple(max(0, d.evaluate(self.sizes)) for d in dims)

    def _shaped(self, value: Num, shape: tuple[int, ...]) -> Num:
        """The value of each run in another shape."""
        runs = len(value.res)
        if value.res.size != runs * math.prod(shape):
            raise DoesNotFit
        return Num(value.res.reshape(runs, *shape), value.flt.reshape(runs, *shape))

    def _apply(self, term: Apply) -> Num:
        args = [self.known[t.digest] for t in term.inputs]
        dims, op = _dims(term)
        try:
            value = structured(term.body, term.maps, args, self._extents(dims), strict=True)
        except IndexError:  # a sum of dimensions leads out of its tensor
            raise DoesNotFit from None
        if op is not None and term.init is not None:
            value = number.apply(op, (self.known[term.init.digest], value))
        return value

    def _grid(self, shape: tuple[int, ...]) -> dict[str, Any]:
        """The sizes, and `d0`, `d1`, … as arrays of the positions along each dimension."""
        return {**self.sizes, **{f"d{k}": along for k, along in enumerate(np.indices(shape, sparse=True))}}

    def _position(self, term: Position) -> Num:
        shape = self._extents(term.type.dims)
        values = np.broadcast_to(np.asarray(term.form.evaluate(self._grid(shape)), dtype=np.int64), shape)
        return Num(np.mod(values, np.int64(field.P)).astype(np.uint64), values.astype(np.float64))

    def _mask(self, term: Mask) -> Num:
        shape = self._extents(term.type.dims)
        truth, grid = np.zeros(shape, dtype=bool), self._grid(shape)
        for conds in term.alternatives:
            truth |= np.all([np.broadcast_to(c.holds(grid), shape) for c in conds], axis=0)
        return Num(truth.astype(np.uint64), truth.astype(np.float64))


def neutral_literal(body: Body, element: str) -> Literal:
    """The literal from which an accumulating body starts."""
    op = combiner(body)
    assert op is not None
    value = neutral(op)
    if element.startswith("i") and value in (float("inf"), float("-inf")):
        text = str(limits(element)[value > 0])
    else:
        text = str(int(value)) if element.startswith("i") else repr(value)
        text = "1" if (element, text) == ("i1", "-1") else text  # all bits set
    return Literal(TensorType(element, ()), text)
