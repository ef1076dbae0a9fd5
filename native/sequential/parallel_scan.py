"""Parallel scan: loops in which each element needs the one before it, on vectors: y[j] = a * y[j-1] + b[j].

Everything that does not depend on y[j-1] is computed on vectors. A vector of b becomes one of y in log2(lanes) steps:
y += a^s * (y moved up by s lanes), for s = 1, 2, 4, ...; then the last element of the vector before is added, times the
powers of a. Where a is known at run time only, it is looked at there.
Source: Hillis, Steele, "Data Parallel Algorithms", CACM 29(12), 1986.

    before  for j: y[j] = y[j - 1] + b[j]
    after   for j by 8: v = b[j .. j + 8]; v += (v moved up by 1); v += (v by 2); v += (v by 4)
                        y[j .. j + 8] = v + y[j - 1]
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from raising.affine.ir.affine_expr import Term, dim
from raising.native.loops.body import Body, Memory, Point, load, run_at, subscripted, zero
from raising.native.loops.emit_loops import Writer
from raising.native.loops.loop_plan import bits_of, vectorisable
from raising.native.loops.vector_ops import Lane, vector_type, widened
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Nest
from raising.native.nest.read_nests import BodyReader
from raising.native.nest.read_views import Reader
from raising.native.sequential.outer_vectorise import later, linear
from raising.support.record import dataclass

_FLOATS: dict[str, Any] = {"f32": np.float32, "f64": np.float64}


@dataclass(frozen=True)
class Weight:
    """A number times scalars from around the nest, by their names."""

    number: float
    names: tuple[str, ...] = ()

    def times(self, number: float, *names: str) -> Weight:
        """The weight times a number and scalars."""
        return Weight(self.number * number, tuple(sorted((*self.names, *names))))


_NONE = Weight(0.0)


@dataclass(frozen=True)
class Prefix:
    """A nest whose dimension 0 is the index of a loop; `carried` is what it wrote before, `weight` its weight."""

    nest: Nest
    carried: Access
    weight: Weight
    lanes: int

    @property
    def element(self) -> str:
        """The type of what is carried."""
        return self.carried.array.element

    @property
    def kind(self) -> str:
        """The type of a vector."""
        return vector_type(self.element, self.lanes)


def loop_nest(loop: Any, reader: Reader) -> Nest | None:
    """The body of a loop with one store at its end as a nest; dimension 0 is the loop's own index, as it is."""
    block = loop.regions[0].blocks[0]
    *operations, end = [view.operation for view in block.operations]
    if loop.results or not operations or operations[-1].name != "memref.store":
        return None
    *operations, store = operations
    body = BodyReader(reader, {}, 1)
    body.dimension(block.arguments[0], 0)
    if not all(_scalar(operation) and body.visit(operation) for operation in operations):
        return None
    value, target, *subscripts = store.operands
    write = body.access(target, subscripts)
    if write is None:
        return None
    extent, names = dim(reader.name(list(loop.operands)[1])), (body.operand(value),)
    scalars, captured = tuple(body.scalars), tuple(body.captured.items())
    return Nest((extent,), (False,), tuple(body.reads), (write,), scalars, names, captured, str(loop.location))


def _scalar(operation: Any) -> bool:
    return bool(operation.name == "memref.load" or operation.name.startswith(("arith.", "math.")))


def scan_in_parallel(nest: Nest, vector_bits: int) -> Prefix | None:
    """A nest along one loop as a recurrence of first order, whose weight is at most 1.

    Larger weights have powers that could be infinite where the loop's own results are not, and
    0 in place of the power of a tiny one would make NaN of infinity. Scalars in the weight are tested at run time.
    """
    (write,) = nest.writes
    reads = [read for read in nest.reads if read.array.may_overlap(write.array)]
    if write.array.element not in _FLOATS or any(
        read.array != write.array or linear(read) != linear(write) for read in reads
    ):
        return None
    steps = {read: step for read in reads if (step := later(write, read, 0)) is not None and step > 0}
    if list(steps.values()) != [1] or not vectorisable(nest, 0):
        return None
    (carried,) = steps
    weight = _weight(nest, f"in{nest.reads.index(carried)}", write.array.element)
    lanes = vector_bits // bits_of(nest)
    if weight is None or lanes < 2:
        return None
    size = abs(weight.number)
    if not weight.names and (size > 1 or size**lanes < _tiny(write.array.element)):
        return None
    return Prefix(nest, carried, weight, lanes)


def _tiny(element: str) -> float:
    return float(np.finfo(_FLOATS[element]).tiny)


def _weight(nest: Nest, name: str, element: str) -> Weight | None:
    """The derivative of the result by one of the reads, if it is the same for all values."""
    known: dict[str, Weight | None] = {name: Weight(1.0)}
    for number, scalar in enumerate(nest.body):
        args = [known.get(arg, _NONE) for arg in scalar.args]
        found = _derived(scalar.name, args, [_factor(nest, arg, element) for arg in scalar.args])
        known[f"v{number}"] = found if scalar.result == element or all(arg == _NONE for arg in args) else None
    return known.get(nest.yields[0], _NONE)


def _derived(name: str, args: list[Weight | None], factors: list[Weight | None]) -> Weight | None:
    """The derivative of one operation; of its arguments, derivatives and what they are if they are the same always."""
    given = [arg for arg in args if arg is not None]
    if len(given) < len(args):
        return None
    if all(arg == _NONE for arg in given):
        return _NONE
    match name, given:
        case "arith.addf", [left, right]:
            return _sum(left, right)
        case "arith.subf", [left, right]:
            return _sum(left, right.times(-1.0))
        case "arith.negf", [only]:
            return only.times(-1.0)
        case "arith.mulf", [left, right] if _NONE in given:
            other = factors[0 if left == _NONE else 1]
            return None if other is None else (right if left == _NONE else left).times(other.number, *other.names)
        case "arith.divf", [left, right] if right == _NONE and factors[1] and not factors[1].names:
            return left.times(1 / factors[1].number) if factors[1].number else None
    return None


def _sum(left: Weight, right: Weight) -> Weight | None:
    if left.names != right.names and 0.0 not in (left.number, right.number):
        return None
    return Weight(left.number + right.number, left.names if left.number else right.names)


def _factor(nest: Nest, name: str, element: str) -> Weight | None:
    """What a value of the body is, if that is a constant or a scalar from around the nest."""
    if name[0] == "%":
        return Weight(1.0, (name,))
    scalar = nest.body[int(name[1:])] if name[0] == "v" else None
    if scalar is None or scalar.name != "arith.constant":
        return None
    found = re.search(r"value = (-?\d+\.\d*(e[-+]?\d+)?) : f", scalar.properties, re.IGNORECASE)
    return Weight(float(_FLOATS[element](found[1]))) if found else None


@dataclass(frozen=True)
class _Powers:
    """Vectors of powers of the weight: `each` has the first in the first lane, `steps` the s-th in all lanes."""

    each: str
    steps: dict[int, str]


def _powers(code: Lines, plan: Prefix, names: Mapping[Term, str]) -> tuple[_Powers, str]:
    """The powers of the weight, and the truth that none is above 1 or lost; no name if that is known."""
    steps = [1 << k for k in range((plan.lanes - 1).bit_length())]
    if not plan.weight.names:
        values = [plan.weight.number ** (lane + 1) for lane in range(plan.lanes)]
        return _Powers(
            _constant(code, plan, values), {s: _constant(code, plan, [values[s - 1]] * plan.lanes) for s in steps}
        ), ""
    kind = plan.element
    found = [_scalar_weight(code, plan, names)]
    while len(found) < plan.lanes:
        found.append(code.op(f"arith.mulf {found[-1]}, {found[0]} : {kind}"))
    each = code.op(f"vector.from_elements {', '.join(found)} : {plan.kind}", "k")
    spread = {s: code.op(f"vector.broadcast {found[s - 1]} : {kind} to {plan.kind}", "k") for s in steps}
    sizes = [code.op(f"math.absf {value} : {kind}") for value in (found[0], found[-1])]
    limits = [code.op(f"arith.constant {value:.17e} : {kind}") for value in (1.0, _tiny(kind))]
    small = code.op(f"arith.cmpf ole, {sizes[0]}, {limits[0]} : {kind}")
    kept = code.op(f"arith.cmpf oge, {sizes[1]}, {limits[1]} : {kind}")
    return _Powers(each, spread), code.op(f"arith.andi {small}, {kept} : i1")


def _scalar_weight(code: Lines, plan: Prefix, names: Mapping[Term, str]) -> str:
    first, *others = [names[name] for name in plan.weight.names]
    if plan.weight.number != 1:
        others.append(code.op(f"arith.constant {plan.weight.number:.17e} : {plan.element}"))
    for other in others:
        first = code.op(f"arith.mulf {first}, {other} : {plan.element}")
    return first


@dataclass(frozen=True)
class _Others:
    """The reads of a body at a vector of points, without the carried value: then the body computes b."""

    code: Lines
    carried: Access
    nothing: Lane

    def read(self, access: Access, point: Point) -> Lane:
        """The value that the access reads."""
        return self.nothing if access == self.carried else load(self.code, point.element(access), point)


def write_prefix(plan: Prefix, times: tuple[str, str], writer: Writer, *rows: Mapping[Term, str]) -> None:
    """A loop over whole vectors, then one over what is left; `times` are the names of its ends.

    Several rows, each with its names, that do not need one another go on at once: no vector of one waits for another's.
    """
    code = writer.code
    low, high = (rows[0][each] for each in times)
    lanes, one = code.index(plan.lanes), code.index(1)
    count = code.op(f"arith.subi {high}, {low} : index")
    whole = code.op(f"arith.subi {high}, {code.op(f'arith.remsi {count}, {lanes} : index')} : index")
    powers, fit = _powers(code, plan, rows[0])
    whole = code.op(f"arith.select {fit}, {whole}, {low} : index") if fit else whole
    before = [_spread(code, plan, _first(code, plan, count, {**names, 0: low}), 0) for names in rows]
    with code.loop((low, whole, lanes), [(name, plan.kind) for name in before]) as state:
        points = [Point({**names, 0: state.induction}, (), 0, plan.lanes) for names in rows]
        sums = [_summed(code, plan, _rest(code, plan, point), powers) for point in points]
        for row, point in enumerate(points):
            made = _combined(code, plan, sums[row], powers.each, state.start[row])
            write = plan.nest.writes[0]
            code.line(f"vector.store {made}, {subscripted(code, write, point.names)} : {write.array.type}, {plan.kind}")
            state.values[row] = _spread(code, plan, made, plan.lanes - 1)
    with code.loop((whole, high, one)) as state:
        for names in rows:
            memory = Memory(code)
            run_at(code, plan.nest, Point({**names, 0: state.induction}, (), -1, 1), memory)
            memory.flush()


def _first(code: Lines, plan: Prefix, count: str, names: Mapping[Term, str]) -> str:
    """The element before the first one, in the first lane; not loaded if there are no iterations."""
    there = code.op(f"arith.minsi {count}, {code.index(1)} : index")
    mask = code.op(f"vector.create_mask {there} : vector<{plan.lanes}xi1>", "m")
    return load(code, plan.carried, Point(names, (), 0, plan.lanes, mask)).name


def _rest(code: Lines, plan: Prefix, point: Point) -> str:
    """The vector of b: the body where -0 was before, that changes no sum."""
    nothing = Lane(_constant(code, plan, [-0.0] * plan.lanes), plan.element, True)
    body = Body(code, plan.nest, point, _Others(code, plan.carried, nothing))
    return widened(code, body.value(plan.nest.yields[0]), plan.lanes)


def _summed(code: Lines, plan: Prefix, vector: str, powers: _Powers) -> str:
    """Sums within a vector: in each lane, all lanes up to it by their weights."""
    nothing, step = zero(code, plan.element, plan.lanes), 1
    while step < plan.lanes:
        order = list(range(plan.lanes - step, 2 * plan.lanes - step))
        moved = code.op(f"vector.shuffle {nothing}, {vector} {order} : {plan.kind}, {plan.kind}", "w")
        vector = _combined(code, plan, vector, powers.steps[step], moved)
        step *= 2
    return vector


def _combined(code: Lines, plan: Prefix, vector: str, weight: str, other: str) -> str:
    product = code.op(f"arith.mulf {weight}, {other} fastmath<contract> : {plan.kind}")
    return code.op(f"arith.addf {vector}, {product} fastmath<contract> : {plan.kind}")


def _spread(code: Lines, plan: Prefix, vector: str, lane: int) -> str:
    """One lane in all lanes."""
    return code.op(f"vector.shuffle {vector}, {vector} {[lane] * plan.lanes} : {plan.kind}, {plan.kind}", "b")


def _constant(code: Lines, plan: Prefix, values: list[float]) -> str:
    listed = ", ".join(f"{value:.17e}" for value in values)
    return code.op(f"arith.constant dense<[{listed}]> : {plan.kind}", "k")
