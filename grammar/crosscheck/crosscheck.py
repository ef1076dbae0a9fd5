"""The crosscheck: what was read of an instance against an executor that does not use the target's lowering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from raising.grammar.crosscheck.destination_style import SIZES, destination
from raising.grammar.dialects.host import Host, imported
from raising.grammar.dialects.op_signature import Op
from raising.grammar.dialects.target_dialect import Target
from raising.grammar.evaluate.on_floats import Values, scalar, structured
from raising.grammar.measure.instance_reading import Reading
from raising.grammar.measure.tracer import Trace
from raising.grammar.measure.verifier import Instance, Typed, instance, reading_of
from raising.grammar.terms.literal import number_of
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.structured_op import CONSTANT, Body, Production
from raising.support.record import dataclass

RANGES = ((0.25, 0.9), (-2.0, 2.0))  # of random input: where all functions are defined, and both signs
_TOLERANCE, _SINGLE = 1e-9, 1e-4  # relative to double and single precision


@dataclass(frozen=True)
class Job:
    """An instance to execute, and what was read of it."""

    instance: Instance
    reading: Reading
    trace: Trace


def is_known(p: Production) -> bool:
    """True if every scalar operation of a production has a meaning: the search uses no others."""
    return all(i.op in SCALARS or i.op == CONSTANT for i in p.meaning.body.instrs)


def job_of(p: Production, op: Op, target: Target) -> Job:
    """A production without a family, to be executed at small sizes."""
    none = Trace(None, (), ())  # type: ignore[arg-type]
    if target.trait:
        return Job(*destination(p, op, target), none)
    return Job(instance(p, op, SIZES), reading_of(p), none)


class Executor:
    """Runs instances: by the interpreter that the target's configuration names, or compiled."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._run: Any = imported(host.target.executor) if host.target.executor else None

    def check(self, jobs: Sequence[Job], ranges: Sequence[tuple[float, float]]) -> list[str]:
        """Per job, nothing if all executions agree with what was read, else the reason."""
        inputs = [[_inputs(job, n, bounds) for n, bounds in enumerate(ranges)] for job in jobs]
        if self._run is None:
            from raising.grammar.crosscheck.execution_engine import compiled

            results = compiled(self.host, [job.instance for job in jobs], inputs)
        else:
            results = [
                [self._interpreted(job.instance, given) for given in each]
                for job, each in zip(jobs, inputs, strict=True)
            ]
        return [self._compared(*item) for item in zip(jobs, inputs, results, strict=True)]

    def _compared(self, job: Job, inputs: list[list[Values]], results: list[Values | None]) -> str:
        for given, measured in zip(inputs, results, strict=True):
            if measured is None:
                return "the executor cannot run it"
            moved = bool(job.reading.family)
            expected = _moved(job.trace, given) if moved else computed(job.reading, job.instance, given)
            if not _close(expected, measured, job.instance):
                return f"disagrees with the executor: {_first(expected, measured)}"
        return ""

    def _interpreted(self, instance: Instance, inputs: Sequence[Values]) -> Values | None:
        """The result that the target's interpreter computes; None if it cannot."""
        ir = self.host.ir
        with self.host.context, ir.Location.unknown():
            try:
                module = ir.Module.parse(instance.text())
                attrs = [ir.Attribute.parse(dense(v, t)) for v, t in zip(inputs, instance.operands, strict=True)]
                result = self._run(module, attrs)[0]
            except self.host.errors:
                return None
            values = np.array([float(v) for v in result])
        assert instance.result is not None
        return values.reshape([n or 0 for n in instance.result.shape])


def _inputs(job: Job, number: int, bounds: tuple[float, float]) -> list[Values]:
    chance = np.random.default_rng(number)
    inputs = [_random(t, chance, bounds) for t in job.instance.operands]
    return [np.abs(v) for v in inputs] if _unsigned(job.reading.meaning.body) else inputs


def dense(values: Values, kind: Typed) -> str:
    """An array as the text of an attribute."""

    def text(item: Any) -> str:
        if isinstance(item, list):
            return "[" + ", ".join(text(i) for i in item) + "]"
        if kind.element == "i1":
            return "true" if item else "false"
        return repr(float(item)) if kind.element.startswith(("f", "bf")) else str(int(item))

    return f"dense<{text(values.tolist())}> : {kind}"


def _random(kind: Typed, chance: np.random.Generator, bounds: tuple[float, float]) -> Values:
    shape = tuple(n or 0 for n in kind.shape)
    if kind.element == "i1":
        return chance.integers(0, 2, shape).astype(np.float64)
    if kind.element.startswith("i"):
        values = chance.integers(int(bounds[0] * 4), int(bounds[1] * 4) + 1, shape).astype(np.float64)
        large = values.size > 8  # then products would not be exact
        values = np.where(chance.random(shape) < 8 / values.size, values, np.sign(values)) if large else values
        return np.where(values == 0, 1.0, values)  # executors end on a division by zero
    values = np.asarray(chance.uniform(*bounds, shape))
    return values.astype(np.float32).astype(np.float64) if kind.element == "f32" else values


def _unsigned(body: Body) -> bool:
    """True if a body computes with integers as unsigned, or shifts by them: the evaluator's numbers are signed."""
    names = [i.op for i in body.instrs if i.op in SCALARS and SCALARS[i.op].residue == "opaque"]
    return any("ui" in n or "sh" in n.split(".")[1][:2] for n in names)


def computed(reading: Reading, instance: Instance, inputs: Sequence[Values]) -> Values:
    """The value of a meaning on inputs, from the start operand if there is one."""
    assert instance.result is not None
    full = tuple(n or 0 for n in instance.result.shape)
    given = [_squeezed(inputs[k], units) for k, units in zip(reading.arguments, reading.units, strict=False)]
    shapes = [v.shape for v in given] + [tuple(n for d, n in enumerate(full) if d not in reading.units[-1])]
    extents: dict[int, int] = {}
    for m, shape in zip(reading.meaning.maps, shapes, strict=True):
        extents.update({d: n for d, n in zip(m, shape, strict=True) if isinstance(d, int)})
    value = structured(reading.meaning, given, [extents[d] for d in range(len(extents))])
    if reading.start >= 0:
        value = scalar(reading.meaning.body.instrs[-1].op, (inputs[reading.start], value))
    return np.asarray(value).reshape(full)


def _squeezed(value: Values, units: tuple[int, ...]) -> Values:
    return value.reshape([n for d, n in enumerate(value.shape) if d not in units])


def _moved(trace: Trace, inputs: Sequence[Values]) -> Values:
    """The result of moving elements, by their numbers."""
    from raising.grammar.measure.elements import Leaf

    known = [number_of(text) if kind != "undefined" else np.nan for text, kind in trace.constants][::-1]
    table = np.concatenate([*(v.ravel() for v in inputs), np.array(known)])
    node = trace.result.node
    while not isinstance(node, Leaf):  # casts of positions
        assert node is not None and hasattr(node, "args")
        node = node.args[0]
    return np.asarray(node.ids.astype(np.float64) if node.position else table[node.ids])


def _close(expected: Values, measured: Values, instance: Instance) -> bool:
    assert instance.result is not None
    if instance.result.element == "i1":
        expected = (expected != 0).astype(np.float64)
        measured = (measured != 0).astype(np.float64)
    allowed = _TOLERANCE if instance.result.element != "f32" else _SINGLE
    return expected.shape == measured.shape and bool(
        np.allclose(expected, measured, rtol=allowed, atol=allowed, equal_nan=True)
    )


def _first(expected: Values, measured: Values) -> str:
    if expected.shape != measured.shape:
        return f"shape {expected.shape}, not {measured.shape}"
    bad = ~np.isclose(expected, measured, rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True)
    return f"{expected[bad].flat[0]:.6g}, not {measured[bad].flat[0]:.6g}"
