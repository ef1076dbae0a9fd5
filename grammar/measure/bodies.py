"""Scalar bodies over accesses, from trees over element numbers."""

from __future__ import annotations

import numpy as np

from raising.grammar.measure.elements import Ids, Leaf, Node, Old, Step
from raising.grammar.measure.tracer import Trace
from raising.grammar.measure.workbench import NotStructured
from raising.grammar.terms.literal import number_of
from raising.grammar.terms.scalar_ops import combiners, neutral
from raising.grammar.terms.structured_op import Body, Instr, Map
from raising.support.record import dataclass

POSITION = "position"  # in a body, the position along a dimension


@dataclass(frozen=True)
class Access:
    """A leaf as a linear form per coordinate of one argument: constant, then one factor per dimension."""

    argument: int
    forms: tuple[tuple[int, ...], ...]


def forms_of(coordinates: tuple[Ids, ...]) -> tuple[tuple[int, ...], ...]:
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
    argument = source_of(trace, ids)
    local = ids - trace.bases[argument]
    shape = trace.shapes[argument]
    coordinates = np.unravel_index(local, shape) if shape else ()
    return Access(argument, forms_of(tuple(np.asarray(c) for c in coordinates)))


def source_of(trace: Trace, ids: Ids) -> int:
    """The argument that all elements come from."""
    found = np.searchsorted(trace.bases, [ids.min(), ids.max()], side="right") - 1
    if ids.min() < 0 or found[0] != found[1]:
        raise NotStructured("elements come from several tensors")
    return int(found[0])


def projection_of(forms: tuple[tuple[int, ...], ...]) -> tuple[int, ...] | None:
    """The linear forms as a projected permutation, or None."""
    dims = []
    for first, *factors in forms:
        used = [d for d, f in enumerate(factors) if f]
        if first or len(used) != 1 or factors[used[0]] != 1:
            return None
        dims.append(used[0])
    return tuple(dims) if len(set(dims)) == len(dims) else None


class BodyBuilder:
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
            rest = [a for a in node.args if not self._starts(node.op, a)]
            if len(rest) == 1:
                return self.visit(rest[0])
        for arg in node.args:
            self.visit(arg)
        self.steps.append(node)
        return "step", len(self.steps) - 1

    def _starts(self, op: str, node: Node) -> bool:
        number = None if not isinstance(node, Leaf) or node.position else int(node.ids.flat[0])
        if number is None or number >= 0 or not np.all(node.ids == number):  # type: ignore[union-attr]
            return False
        return is_neutral(op, self.trace.constants[-1 - number][0])

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
        projection = projection_of(found.forms)
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
                instrs.append(Instr(POSITION, (), (("dim", str(step)),)))
            else:
                instrs.append(Instr("arith.constant", (), (("value", step[0]),)))
        return Body(arity, tuple(instrs), place[result[0]][result[1]])


def _axis(ids: Ids) -> int:
    form = projection_of(forms_of((ids,)))
    if form is None:
        raise NotStructured("computes with positions other than along one dimension")
    return form[0]


def is_neutral(op: str, text: str) -> bool:
    """True if a combiner started from this constant starts from nothing; extreme numbers count as infinite."""
    value, kind = number_of(text), text.partition(":")[2].strip()
    wanted = neutral(op)
    if text.strip() == "true" or kind == "i1":
        value = -abs(value) if wanted < 0 else value  # all bits set
    if abs(wanted) != np.inf:
        return value == wanted
    most = {"f32": float(np.finfo(np.float32).max), "f64": float(np.finfo(np.float64).max)}.get(kind, np.inf)
    if kind.startswith("i"):
        most = 2.0 ** (int(kind[1:]) - 1) - 1
    return bool(value * np.sign(wanted) >= most)
