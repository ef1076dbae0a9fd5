"""Linear recurrences: loops in which each iteration needs the one before it, by fixed weights.

    y[j] = a * y[j - 1] + b[j]              one state: what y[j - 1] is
    v = x[j] + z;  z' = b * x[j] - c * v    one state: the scalar that is carried; v needs it
    y[j] = a * y[j - 1] + b * y[j - 2] + x[j]

A loop comes in; its states go out, in groups of those that need one another, with the weights from state to state. What
does not depend on a group is computed on vectors before it. `recurrence_emit` writes the code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import Any

import numpy as np

from raising.affine.ir.affine_expr import dim
from raising.native.loops.loop_plan import bits_of, vectorisable
from raising.native.loops.vector_ops import element_bits, vector_type
from raising.native.nest.nest import Access, Array, Nest, Scalar
from raising.native.nest.read_nests import BodyReader
from raising.native.nest.read_views import Reader
from raising.native.sequential.extremum_states import Extremum, extremum
from raising.native.sequential.outer_vectorise import later, linear
from raising.support.graphs import components
from raising.support.record import dataclass

_FLOATS: dict[str, Any] = {"f32": np.float32, "f64": np.float64}
_INTEGERS = ("i8", "i16", "i32", "i64")
"""Their sums wrap around, in any order to the same bits."""
_LANES = {1: 2, 2: 4, 3: 8}
"""For groups of so many states, the lanes from which on vectors are worth their steps."""
_BITS = 256
"""Of vectors, at most: to move the lanes of longer ones takes processors longer than what that saves."""
_WIDENING, _MODULAR = ("arith.extsi", "arith.extui"), ("arith.addi", "arith.subi", "arith.select")
_SCALAR = ("arith.", "math.", "memref.load")
GROWTH = 16.0
"""What powers of the weights of several states may grow to: they take rounding errors along."""


# ---- weights -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Weight:
    """A sum of products, each of a number and scalars from around the nest by their names; 0 if there are none."""

    terms: tuple[tuple[tuple[str, ...], float], ...] = ()

    def plus(self, other: Weight) -> Weight:
        """The sum of both."""
        return _weight((*self.terms, *other.terms))

    def times(self, other: Weight) -> Weight:
        """The product of both."""
        pairs = [(one, two) for one in self.terms for two in other.terms]
        return _weight([(tuple(sorted((*a, *b))), x * y) for (a, x), (b, y) in pairs])

    @property
    def number(self) -> float | None:
        """The weight as a number, if it is one."""
        return sum(factor for _, factor in self.terms) if all(not names for names, _ in self.terms) else None


def _weight(terms: Sequence[tuple[tuple[str, ...], float]]) -> Weight:
    sums: dict[tuple[str, ...], float] = {}
    for names, factor in terms:
        sums[names] = sums.get(names, 0.0) + factor
    return Weight(tuple(sorted((names, factor) for names, factor in sums.items() if factor)))


def _number(value: float) -> Weight:
    return _weight([((), value)])


NOTHING, ONE, LESS = Weight(), _number(1.0), _number(-1.0)


def _derivative(nest: Nest, by: str, of: str, element: str) -> Weight | None:
    """The derivative of a value of the body by one of the reads, if it is the same for all values."""
    known: dict[str, Weight | None] = {by: ONE}
    for number, scalar in enumerate(nest.body):
        args = [known.get(arg, NOTHING) for arg in scalar.args]
        found = _derived(scalar.name, args, [_constant(nest, arg, element) for arg in scalar.args])
        fits = all(arg == NOTHING for arg in args) or _keeps_bits(scalar, element)
        known[f"v{number}"] = found if fits else None
    return known.get(of, NOTHING)


def _keeps_bits(scalar: Scalar, element: str) -> bool:
    """Whether the lowest bits of a result, as many as an element has, are those of the operands alone."""
    if scalar.name in _WIDENING:
        return scalar.operands[0] == element
    return scalar.result == element or (scalar.name in _MODULAR and element_bits(scalar.result) > element_bits(element))


def _derived(name: str, args: list[Weight | None], factors: list[Weight | None]) -> Weight | None:
    """The derivative of one operation; of its arguments, derivatives and what they are if they are always the same."""
    given = [arg for arg in args if arg is not None]
    if len(given) < len(args):
        return None
    if all(arg == NOTHING for arg in given):
        return NOTHING
    match name, given:
        case "arith.mulf", [left, right] if NOTHING in given:
            other = factors[0 if left == NOTHING else 1]
            return None if other is None else (right if left == NOTHING else left).times(other)
        case "arith.select", [asked, left, right] if asked == NOTHING and left == right:
            return left
        case "arith.divf", [left, right] if right == NOTHING and factors[1] and factors[1].number:
            return left.times(_number(1 / factors[1].number))
    return _sum(name, given)


def _sum(name: str, values: list[Weight]) -> Weight | None:
    """The sum, the difference or the negative of weights; None for another operation."""
    match name, values:
        case (("arith.trunci" | "arith.extsi" | "arith.extui"), [only]):
            return only
        case "arith.addf" | "arith.addi", [left, right]:
            return left.plus(right)
        case "arith.subf" | "arith.subi", [left, right]:
            return left.plus(right.times(LESS))
        case "arith.negf", [only]:
            return only.times(LESS)
    return None


def _constant(nest: Nest, name: str, element: str) -> Weight | None:
    """What a value of the body is, if that is a constant or made of constants and scalars from around the nest."""
    if name[0] == "%":
        return Weight((((name,), 1.0),))
    scalar = nest.body[int(name[1:])] if name[0] == "v" else None
    if scalar is None:
        return None
    if scalar.name == "arith.constant" and element in _FLOATS:
        found = re.search(r"value = (-?\d+\.\d*(e[-+]?\d+)?) : f", scalar.properties, re.IGNORECASE)
        return _number(float(_FLOATS[element](found[1]))) if found else None
    args = [_constant(nest, arg, element) for arg in scalar.args]
    given = [arg for arg in args if arg is not None]
    if scalar.name == "arith.mulf" and len(given) == 2:
        return given[0].times(given[1])
    return _sum(scalar.name, given)


# ---- loops as nests ------------------------------------------------------------------------------


def loop_nest(loop: Any, reader: Reader, cells: str) -> Nest | None:
    """The body of a loop as a nest; dimension 0 is the loop's own index, as it is.

    The scalars that it carries are memory of one element each, whose names are `cells` with their numbers: none where
    several threads would have the same.
    """
    block = loop.regions[0].blocks[0]
    if loop.results and not _alone(loop):
        return None
    *operations, end = [view.operation for view in block.operations]
    body = BodyReader(reader, {}, 1)
    body.dimension(block.arguments[0], 0)
    carried = [_cell(f"{cells}{k}", str(value.type)) for k, value in enumerate(list(block.arguments)[1:])]
    for value, cell in zip(list(block.arguments)[1:], carried, strict=True):
        body.names[value] = body.read(cell)
    stores = _stores(body, operations)
    if stores is None:
        return None
    stores += [(cell, body.operand(value)) for cell, value in zip(carried, end.operands, strict=True)]
    extent, scalars, captured = dim(reader.name(list(loop.operands)[1])), tuple(body.scalars), body.captured.items()
    writes, names = tuple(write for write, _ in stores), tuple(name for _, name in stores)
    return Nest((extent,), (False,), tuple(body.reads), writes, scalars, names, tuple(captured), str(loop.location))


def _alone(loop: Any) -> bool:
    """Whether a function runs a loop once at a time."""
    around = loop.parent
    while around is not None and around.name in ("scf.for", "scf.if"):
        around = around.operation.parent
    return around is not None and around.name == "func.func"


def _cell(name: str, element: str) -> Access:
    return Access(Array(name, element, f"memref<{element}>", (), (), 0, name), ())


def _stores(body: BodyReader, operations: Sequence[Any]) -> list[tuple[Access, str]] | None:
    """What the operations of a body store, each element once; None for a body that is more than arithmetic."""
    stores: list[tuple[Access, str]] = []
    for operation in operations:
        if operation.name == "memref.store":
            value, target, *subscripts = operation.operands
            write = body.access(target, subscripts)
            if write is None or any(_may_meet(other, write) for other, _ in stores):
                return None
            stores.append((write, body.operand(value)))
        elif not operation.name.startswith(_SCALAR) or not body.visit(operation):
            return None
        if operation.name == "memref.load" and not _apart(body, operation, stores):
            return None
    return stores


def _may_meet(one: Access, other: Access) -> bool:
    """Whether two stores may be to the same element, in any iterations; members of one pixel never are."""
    overlap = one.array.may_overlap(other.array)
    return overlap and (linear(one) != linear(other) or later(one, other, 0) is not None)


def _apart(body: BodyReader, load: Any, stores: list[tuple[Access, str]]) -> bool:
    """Whether what a load reads is none of what was stored before it, in the same iteration."""
    read = body.reads[int(body.names[load.results[0]][2:])]
    return not any(read.array.may_overlap(write.array) and later(write, read, 0) in (0, None) for write, _ in stores)


# ---- states --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class State:
    """A value that an iteration leaves to the next one, which reads it by `read`, if it does.

    It becomes `next`, a value of the body, or what the state of that number was. Its first value is that of `first`;
    if it is a `cell`, its last one is stored there.
    """

    read: Access | None
    next: str | int
    first: Access
    cell: bool


@dataclass(frozen=True)
class Scan:
    """A nest whose dimension 0 is the index of a loop, as a linear recurrence on vectors of so many lanes.

    `groups` are states by their numbers, each after those that it needs; `weights` are those between states of a group
    that need one another, from the second to the first. States in `extrema` are no sums, and groups of their own.
    """

    nest: Nest
    states: tuple[State, ...]
    groups: tuple[tuple[int, ...], ...]
    weights: Mapping[tuple[int, int], Weight]
    element: str
    lanes: int
    extrema: Mapping[int, Extremum] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The type of a vector."""
        return vector_type(self.element, self.lanes)

    @property
    def exact(self) -> bool:
        """Whether any order of its sums has the same results."""
        return self.element in _INTEGERS

    @property
    def fixed(self) -> bool:
        """Whether all weights are numbers."""
        return all(weight.number is not None for weight in self.weights.values())

    @property
    def in_rows(self) -> bool:
        """Whether rows may go on at once: each has its states in memory of its own, all have the same weights."""
        return self.fixed and not self.extrema and not any(state.cell for state in self.states)


def scan_in_parallel(nest: Nest, vector_bits: int) -> Scan | None:
    """A nest along one loop as a recurrence whose weights are at most 1, or do not grow.

    Powers of larger weights could be infinite where the loop's own results are not, and 0 in place of the power of a
    tiny one would make NaN of infinity. Scalars in the weights are looked at where the loop runs.
    """
    element = next((w.array.element for w in nest.writes if w.array.element in (*_FLOATS, *_INTEGERS)), None)
    meet = any(_may_meet(one, other) for one, other in combinations(nest.writes, 2))
    if element is None or meet or not vectorisable(nest, 0, nest.writes):
        return None
    lanes = min(vector_bits, _BITS) // bits_of(nest)
    states = _states(nest, lanes)
    if not states or any(s.first.array.element != element for s in states):
        return None
    scan = _grouped(nest, states, element, lanes)
    stored = any(write.map for write in nest.writes)
    if scan is None or not (scan.weights or scan.extrema):
        return None
    if not stored and (len(states) == 1 if scan.extrema else all(w == ONE for w in scan.weights.values())):
        return None
    return scan if all(_is_tame(scan, group) for group in scan.groups if group[0] not in scan.extrema) else None


def _states(nest: Nest, lanes: int) -> list[State] | None:
    """The states of a nest: cells, and elements that it stored some iterations before; None if some are unclear."""
    states: list[State] = []
    for write, value in zip(nest.writes, nest.yields, strict=True):
        if not write.map:
            states.append(State(write if write in nest.reads else None, value, write, True))
            continue
        if 0 not in write.dims:
            return None  # one element of an array, which all iterations write
        found = dict(_lags(nest, write, lanes))
        if None in found:
            return None
        for lag in range(1, max((lag for lag in found if lag), default=0) + 1):
            first = replace(write, map=tuple(index - index.coefficient(0) * lag for index in write.map))
            states.append(State(found.get(lag), value if lag == 1 else len(states) - 1, first, False))
    return states


def _lags(nest: Nest, write: Access, lanes: int) -> Iterator[tuple[int | None, Access]]:
    """The reads of what was stored by an earlier iteration, with how many are between; None where that is unclear."""
    for read in nest.reads:
        if not read.array.may_overlap(write.array):
            continue
        if read.array != write.array or linear(read) != linear(write):
            yield None, read
            continue
        lag = later(write, read, 0)
        if lag is not None and 0 < lag < lanes:
            yield (lag if lag <= max(_LANES) else None), read


def _grouped(nest: Nest, states: list[State], element: str, lanes: int) -> Scan | None:
    """The states by what they need; None if some that need one another do so by no fixed weights."""
    weights = {(i, j): _between(nest, states, i, j, element) for i in range(len(states)) for j in range(len(states))}
    users = {j: [i for i in range(len(states)) if weights[i, j] != NOTHING] for j in range(len(states))}
    groups = components(range(len(states)), users)
    inside: dict[tuple[int, int], Weight] = {}
    extrema: dict[int, Extremum] = {}
    for group in groups:
        if len(group) == 1 and weights[group[0], group[0]] is None:
            found = _extremum(nest, states[group[0]], element)
            if found is None or lanes < _LANES[1]:
                return None
            nest, extrema[group[0]] = found
            continue
        for pair in ((i, j) for i in group for j in group):
            weight = weights[pair]
            if weight is None or lanes < _LANES.get(len(group), lanes + 1):
                return None
            inside |= {pair: weight} if len(group) > 1 or weight != NOTHING else {}
        if len(group) > 1 and all(weights[i, i] == NOTHING for i in group):
            return None  # as where y[j] needs y[j - 2] only: then a core has two of them to work on
    return Scan(nest, tuple(states), tuple(map(tuple, groups)), inside, element, lanes, extrema)


def _extremum(nest: Nest, state: State, element: str) -> tuple[Nest, Extremum] | None:
    """What a state becomes, as an extremum over what it was."""
    if state.read is None or not isinstance(state.next, str):
        return None
    return extremum(nest, f"in{nest.reads.index(state.read)}", state.next, element)


def _between(nest: Nest, states: list[State], to: int, of: int, element: str) -> Weight | None:
    """The weight of a state in what another one becomes."""
    becomes, read = states[to].next, states[of].read
    if isinstance(becomes, int):
        return ONE if becomes == of else NOTHING
    return NOTHING if read is None else _derivative(nest, f"in{nest.reads.index(read)}", becomes, element)


def tiny(element: str) -> float:
    """The least number of a type that has all its digits."""
    return float(np.finfo(_FLOATS[element]).tiny)


def _is_tame(scan: Scan, group: tuple[int, ...]) -> bool:
    """Whether no power of a group's weights is too large or lost, as far as they are numbers."""
    known = [[scan.weights.get((i, j), NOTHING).number for j in group] for i in group]
    if any(number is None for row in known for number in row):
        return True
    powers = [np.linalg.matrix_power(np.array(known, float), k + 1) for k in range(scan.lanes)]
    size = max(float(np.abs(power).max()) for power in powers)
    if len(group) > 1:
        return size <= GROWTH
    last = abs(float(powers[-1][0, 0]))
    return size <= 1 and (size == 0 or scan.exact or last >= tiny(scan.element))
