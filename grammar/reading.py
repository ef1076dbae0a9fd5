"""Reads what a trace says: a structured computation, or a way of moving elements.

What is recognised is measured on element numbers; nothing depends on how the
lowered function was written.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grammar.bench import NotStructured
from grammar.elements import Ids, Leaf, Node, Old, Step
from grammar.evaluate import combiner
from grammar.meaning import Body, Instr, Map, Meaning
from grammar.scalar import combiners, neutral
from grammar.trace import Trace

Facts = dict[str, tuple[int | None, ...]]


_POSITION = "position"  # in a body, the position along a dimension


@dataclass(frozen=True)
class Reading:
    """What one instance does. `arguments[k]` is the function argument that input k of the meaning is.

    `start` is the argument from which a reduction starts; -1 if it starts from the neutral element.
    A movement of elements has a `family` and measured `facts` instead of a size-free meaning.
    """

    meaning: Meaning
    arguments: tuple[int, ...] = ()
    start: int = -1
    family: str = ""
    facts: tuple[tuple[str, tuple[int | None, ...]], ...] = ()


@dataclass(frozen=True)
class Access:
    """A leaf as a linear form per coordinate of one argument: constant, then one factor per dimension."""

    argument: int
    forms: tuple[tuple[int, ...], ...]


def read(trace: Trace) -> Reading:
    """The reading of a trace; `NotStructured` says why there is none."""
    value = trace.result
    if value.node is None:
        raise NotStructured("the result is undefined")
    if isinstance(value.node, Leaf) and not value.reduced:
        return _movement(trace, value.node)
    return _computation(trace)


# ---- accesses ------------------------------------------------------------------------------------


def _forms(coordinates: tuple[Ids, ...]) -> tuple[tuple[int, ...], ...]:
    """Each coordinate as a linear form over the array's own dimensions."""
    found = []
    for c in coordinates:
        zero = (0,) * c.ndim
        first = int(c[zero])
        factors = [int(c[(*zero[:d], 1, *zero[d + 1 :])]) - first if c.shape[d] > 1 else 0 for d in range(c.ndim)]
        fitted = np.asarray(first)
        grid: tuple[Ids, ...] = np.indices(c.shape, sparse=True)
        for axis, factor in zip(grid, factors, strict=True):
            fitted = fitted + factor * axis
        if not np.array_equal(np.broadcast_to(fitted, c.shape), c):
            raise NotStructured("elements are not accessed by a linear form")
        found.append((first, *factors))
    return tuple(found)


def access(trace: Trace, ids: Ids) -> Access:
    """The argument and the linear forms by which a leaf reads it."""
    argument = _source(trace, ids)
    local = ids - trace.bases[argument]
    shape = trace.shapes[argument]
    coordinates = np.unravel_index(local, shape) if shape else ()
    return Access(argument, _forms(tuple(np.asarray(c) for c in coordinates)))


def _source(trace: Trace, ids: Ids) -> int:
    found = np.searchsorted(trace.bases, [ids.min(), ids.max()], side="right") - 1
    if ids.min() < 0 or found[0] != found[1]:
        raise NotStructured("elements come from several tensors")
    return int(found[0])


def _projection(forms: tuple[tuple[int, ...], ...]) -> tuple[int, ...] | None:
    """The linear forms as a projected permutation, or None."""
    dims = []
    for first, *factors in forms:
        used = [d for d, f in enumerate(factors) if f]
        if first or len(used) != 1 or factors[used[0]] != 1:
            return None
        dims.append(used[0])
    return tuple(dims) if len(set(dims)) == len(dims) else None


# ---- computations --------------------------------------------------------------------------------


class _Body:
    """Turns a tree into a body; leaves on the same argument through the same map are one input."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.inputs: list[tuple[int, Map]] = []
        self.steps: list[Step | tuple[str, str] | int] = []
        self.known: dict[int, tuple[str, int]] = {}

    def visit(self, node: Node) -> tuple[str, int]:
        """Where a node's value stands: ("in" | "old" | "step", number)."""
        if isinstance(node, Old):
            return "old", 0
        if id(node) not in self.known:
            self.known[id(node)] = self._leaf(node) if isinstance(node, Leaf) else self._step(node)
        return self.known[id(node)]

    def _step(self, node: Step) -> tuple[str, int]:
        if node.op in combiners():
            rest = [a for a in node.args if not self._is_neutral(node.op, a)]
            if len(rest) == 1:
                return self.visit(rest[0])
        for arg in node.args:
            self.visit(arg)
        self.steps.append(node)
        return "step", len(self.steps) - 1

    def _is_neutral(self, op: str, node: Node) -> bool:
        number = None if not isinstance(node, Leaf) or node.position else int(node.ids.flat[0])
        if number is None or number >= 0 or not np.all(node.ids == number):  # type: ignore[union-attr]
            return False
        return _is_neutral(op, self.trace.constants[-1 - number][0])

    def _leaf(self, leaf: Leaf) -> tuple[str, int]:
        if leaf.position:
            self.steps.append(_axis(leaf.ids))
            return "step", len(self.steps) - 1
        if np.all(leaf.ids == leaf.ids.flat[0]) and leaf.ids.flat[0] < 0:
            entry = self.trace.constants[-1 - int(leaf.ids.flat[0])]
            if entry not in self.steps:
                self.steps.append(entry)
            return "step", self.steps.index(entry)
        found = access(self.trace, leaf.ids)
        projection = _projection(found.forms)
        if projection is None:
            raise NotStructured("an element is accessed by other than a projected permutation")
        if (found.argument, projection) not in self.inputs:
            self.inputs.append((found.argument, projection))
        return "in", self.inputs.index((found.argument, projection))

    def body(self, result: tuple[str, int]) -> Body:
        """The finished body, inputs in the order of the arguments."""
        order = sorted(range(len(self.inputs)), key=lambda k: self.inputs[k])
        arity = len(order) + 1
        place = {"in": {k: order.index(k) for k in order}, "old": {0: arity - 1}}
        place["step"] = {k: arity + k for k in range(len(self.steps))}
        instrs = []
        for step in self.steps:
            if isinstance(step, Step):
                args = [self.visit(a) for a in step.args]  # all known by now
                instrs.append(Instr(step.op, tuple(place[kind][k] for kind, k in args), step.attrs))
            elif isinstance(step, int):
                instrs.append(Instr(_POSITION, (), (("dim", str(step)),)))
            else:
                instrs.append(Instr("arith.constant", (), (("value", step[0]),)))
        return Body(arity, tuple(instrs), place[result[0]][result[1]])


def _axis(ids: Ids) -> int:
    form = _projection(_forms((ids,)))
    if form is None:
        raise NotStructured("computes with positions other than along one dimension")
    return form[0]


def _computation(trace: Trace) -> Reading:
    value = trace.result
    builder = _Body(trace)
    assert value.node is not None
    body = builder.body(builder.visit(value.node))
    inputs = sorted(builder.inputs)
    if len({argument for argument, _ in inputs}) != len(inputs):
        raise NotStructured("an operand is accessed in two ways")
    out = tuple(range(len(value.shape)))
    meaning = Meaning((*(m for _, m in inputs), out), body)
    used = {d for m in meaning.maps for d in m}
    if used != set(range(len(value.shape) + len(value.reduced))):
        raise NotStructured("an iteration dimension appears in no indexing map")
    arguments = tuple(argument for argument, _ in inputs)
    start = _start(trace, body)
    if body.reads_output != bool(value.reduced):
        raise NotStructured("reduces without accumulating")
    if body.arity == 1:
        return _positions(trace, meaning)
    return Reading(meaning.canonical(), arguments, start)


def _start(trace: Trace, body: Body) -> int:
    """The argument of rank zero that a reduction starts from; -1 for the neutral element."""
    node = trace.result.start
    if not trace.result.reduced:
        return -1
    try:
        op = combiner(body)
    except ValueError as error:
        raise NotStructured(str(error)) from None
    if not isinstance(node, Leaf) or op is None:
        raise NotStructured("a reduction starts from something computed")
    first = int(node.ids.flat[0])
    if not np.all(node.ids == first):
        raise NotStructured("a reduction starts from a tensor")
    if first >= 0:
        return _source(trace, node.ids)
    if not _is_neutral(op, trace.constants[-1 - first][0]):
        raise NotStructured(f"a reduction by {op} starts from {trace.constants[-1 - first][0]}")
    return -1


def _is_neutral(op: str, text: str) -> bool:
    value, _, kind = (part.strip() for part in text.partition(":"))
    wanted = neutral(op)
    if value in ("true", "false"):
        return {"true": 1, "false": 0}[value] == int(wanted)
    if kind.startswith("i"):
        low, high = -(2 ** (int(kind[1:]) - 1)), 2 ** (int(kind[1:]) - 1) - 1
        return int(value) == (high if wanted == np.inf else low if wanted == -np.inf else wanted)
    given = {"0xFFF0000000000000": -np.inf, "0x7FF0000000000000": np.inf}.get(value)
    return (float(value) if given is None else given) == wanted


# ---- movements -----------------------------------------------------------------------------------


def _positions(trace: Trace, meaning: Meaning) -> Reading:
    axes = [int(dict(i.attrs)["dim"]) for i in meaning.body.instrs if i.op == _POSITION]
    if len(axes) != 1:
        raise NotStructured("a constant is computed")
    instrs = tuple(Instr(i.op, i.args, (("dim", "0"),)) if i.op == _POSITION else i for i in meaning.body.instrs)
    body = Body(1, instrs, meaning.body.result)
    return Reading(Meaning(((0,),), body), (), -1, "index", (("axis", (axes[0],)),))


def _movement(trace: Trace, leaf: Leaf) -> Reading:
    ids, rank = leaf.ids, leaf.ids.ndim
    if leaf.position:
        raise NotStructured("the result are bare positions")
    if ids.max() < 0:
        return _constant(trace, ids)
    if ids.min() < 0 or _parts(trace, ids) > 1:
        from grammar.movement import assembled

        return assembled(trace, ids)
    argument = _source(trace, ids)
    shape = trace.shapes[argument]
    if shape != ids.shape and np.array_equal(ids.ravel(), np.arange(trace.bases[argument], trace.bases[argument + 1])):
        return Reading(_identity(rank), (argument,), -1, "reshape")
    found = access(trace, ids)
    projection = _projection(found.forms)
    if projection is not None and all(ids.shape[d] == shape[k] for k, d in enumerate(projection)):
        meaning = Meaning((projection, tuple(range(rank))), Body(2, (), 0))
        return Reading(meaning.canonical(), (argument,))
    from grammar.movement import window

    return window(found, shape, ids.shape)


def _parts(trace: Trace, ids: Ids) -> int:
    bases = np.asarray(trace.bases)
    return len(np.unique(np.searchsorted(bases, ids.ravel(), side="right")))


def _identity(rank: int) -> Meaning:
    return Meaning((tuple(range(rank)),) * 2, Body(2, (), 0))


def _constant(trace: Trace, ids: Ids) -> Reading:
    if not np.all(ids == ids.flat[0]):
        raise NotStructured("a constant with several values")
    text = trace.constants[-1 - int(ids.flat[0])][0]
    body = Body(1, (Instr("arith.constant", (), (("value", text),)),), 1)
    return Reading(Meaning((tuple(range(ids.ndim)),), body), (), -1, "fill")
