"""Checks what was read against an executor that does not use the target's lowering, on random input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grammar.ask import Instance, Typed
from grammar.bench import NotStructured
from grammar.evaluate import structured
from grammar.host import Host
from grammar.meaning import Body, Instr, Meaning
from grammar.number import Num
from grammar.reading import Reading
from grammar.scalar import SCALARS
from grammar.trace import Trace

Values = np.ndarray[Any, np.dtype[np.float64]]
_TOLERANCE = 1e-9


class Disagrees(NotStructured):
    """The executor computes something else than what was read; the message says by how much."""


class Executor:
    """Runs instances by the function that the target's configuration names."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._run: Any = host.lookup(host.target.executor) if host.target.executor else None

    def check(self, instance: Instance, reading: Reading, trace: Trace, ranges: Sequence[tuple[float, float]]) -> int:
        """How many executions agreed; `Disagrees` if one did not, 0 if the executor cannot run the instance."""
        done = 0
        for number, bounds in enumerate(ranges):
            inputs = [_random(t, np.random.default_rng(number), bounds) for t in instance.operands]
            if _unsigned(reading.meaning.body):
                inputs = [np.abs(v) for v in inputs]
            if reading.start >= 0 and instance.operands[reading.start].element == "i1":
                inputs[reading.start] = np.zeros_like(inputs[reading.start])
            measured = self.run(instance, inputs)
            if measured is None:
                continue
            expected = _moved(trace, inputs) if reading.family else computed(reading, instance, inputs)
            if not _close(expected, measured, instance):
                raise Disagrees(f"disagrees with the executor: {_first(expected, measured)}")
            done += 1
        return done

    def run(self, instance: Instance, inputs: Sequence[Values]) -> Values | None:
        """The result that the executor computes; None if it cannot."""
        if self._run is None:
            return None
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
    return np.asarray(chance.uniform(*bounds, shape))


def _unsigned(body: Body) -> bool:
    """True if a body takes integers as unsigned, or shifts by them: the evaluator's numbers are signed."""
    names = [i.op for i in body.instrs if SCALARS.get(i.op)]
    compares = [dict(i.attrs)["predicate"] for i in body.instrs if i.op in SCALARS and i.op.endswith("cmpi")]
    return any(n.endswith("ui") or "sh" in n.split(".")[1][:2] for n in names) or any(
        int(p.split(":")[0]) > 5 for p in compares
    )


def computed(reading: Reading, instance: Instance, inputs: Sequence[Values]) -> Values:
    """The value of a meaning on inputs, from the start operand if there is one."""
    meaning = _constants_first(reading.meaning)
    given = [inputs[k] for k in reading.arguments]
    consts = _constant_values(reading.meaning.body)
    args = [_num(v) for v in (*given, *consts)]
    extents: dict[int, int] = {}
    assert instance.result is not None
    shapes = [v.shape for v in (*given, *consts)] + [tuple(n or 0 for n in instance.result.shape)]
    for m, shape in zip(meaning.maps, shapes, strict=True):
        extents.update({d: n for d, n in zip(m, shape, strict=True) if isinstance(d, int)})
    sizes = [extents[d] for d in range(len(extents))]
    value = np.asarray(structured(meaning.body, meaning.maps, args, sizes).flt[0])
    if reading.start >= 0:
        op = meaning.body.instrs[-1].op
        body = Body(3, (Instr(op, (0, 1)),), 3)
        out = tuple(range(value.ndim))
        start = _num(inputs[reading.start])
        value = structured(body, (out, (), out), [_num(value), start], value.shape).flt[0]
    return value


def _num(value: Values) -> Num:
    """Equal numbers get equal residues; which ones does not matter here."""
    bits = np.asarray(value, dtype=np.float64) + 0.0
    return Num((bits.view(np.uint64) >> np.uint64(3))[None], bits[None])


def _constants(body: Body) -> list[tuple[int, str]]:
    values = [(k, dict(i.attrs).get("value", "")) for k, i in enumerate(body.instrs)]
    return [(k, text) for k, text in values if not body.instrs[k].args and text]


def _constant_values(body: Body) -> list[Values]:
    return [np.asarray(number_of(text)) for _, text in _constants(body)]


def number_of(text: str) -> float:
    """The value of a scalar attribute's text."""
    value, _, kind = (part.strip() for part in text.partition(":"))
    if value in ("true", "false"):
        return float(value == "true")
    if value.startswith("0x"):
        width = {"f64": np.uint64, "f32": np.uint32}.get(kind)
        if width is None:
            raise NotStructured(f"a constant of type {kind} in hexadecimal")
        return float(np.array(int(value, 16), dtype=width).view(np.dtype(f"f{np.dtype(width).itemsize}")))
    return float(value)


def _constants_first(meaning: Meaning) -> Meaning:
    """The same computation with its constants as further inputs of rank zero."""
    body = meaning.body
    consts = [k for k, _ in _constants(body)]
    arity = body.arity + len(consts)
    place = {v: v for v in range(body.arity - 1)} | {body.arity - 1: arity - 1}
    place |= {body.arity + k: body.arity - 1 + n for n, k in enumerate(consts)}
    rest = [k for k in range(len(body.instrs)) if k not in consts]
    place |= {body.arity + k: arity + n for n, k in enumerate(rest)}
    instrs = tuple(
        Instr(i.op, tuple(place[a] for a in i.args), i.attrs, i.type) for i in (body.instrs[k] for k in rest)
    )
    maps = (*meaning.maps[:-1], *[()] * len(consts), meaning.maps[-1])
    return Meaning(maps, Body(arity, instrs, place[body.result]))


def _moved(trace: Trace, inputs: Sequence[Values]) -> Values:
    """The result of moving elements, by their numbers."""
    from grammar.elements import Leaf

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
    return expected.shape == measured.shape and bool(
        np.allclose(expected, measured, rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True)
    )


def _first(expected: Values, measured: Values) -> str:
    if expected.shape != measured.shape:
        return f"shape {expected.shape}, not {measured.shape}"
    bad = ~np.isclose(expected, measured, rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True)
    return f"{expected[bad].flat[0]:.6g}, not {measured[bad].flat[0]:.6g}"
