"""The native check: two programs run on the same random inputs, and their results compared.

It is done in floating point and at the sizes of the file: so it sees what an exact check of the algebra cannot, such
as a wrong lowering or a lost copy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from mlir import ir
from mlir.passmanager import PassManager
from numpy.typing import NDArray

from raising.support.element_types import NUMPY
from raising.support.isolate import Failed, run_isolated
from raising.support.record import dataclass
from raising.validate.base.verdict import FloatEvidence, Refuted, Unknown
from raising.validate.native.argument_types import (
    Signature,
    Slot,
    Unsupported,
    calls_itself,
    find_function,
    quiet_context,
    signature_of,
)
from raising.validate.native.compare import Port, compare_output, pair_outputs, passes
from raising.validate.native.edges import first_difference
from raising.validate.native.foreign_call import Compiled, Value, random_inputs
from raising.validate.native.positions_in_range import position_limits
from raising.validate.native.rounding import Bounds, rounding_bounds
from raising.validate.native.sizes import Sizes, choose_sizes, edge_sizes, estimate_work
from raising.validate.run.running_error import UNIT

_COMPILER_BYTES = 4 << 30
"""Address space that compiling and its libraries may take beyond the arrays."""

_NUDGE, _SAFETY, _ILL = 4.0, 64.0, 1e-3
"""Roundings by which inputs move, how much more than that changes may be rounding, when nothing can be said."""

_EDGE_WORK, _EDGE_BYTES = 1e6, 1 << 20
"""Loads and stores of all runs at the edges together, and bytes of the arguments of one."""

_COPIES = 3
"""Arrays live as the inputs and as one copy for each run."""


@dataclass(frozen=True)
class Limits:
    """Where a check gives up, and how much LLVM optimises for it."""

    max_bytes: int
    max_work: float | None
    max_analysed: float
    level: int


@dataclass(frozen=True)
class _Run:
    """The arrays as a call left them, what it returned, and its time."""

    arguments: list[Value]
    results: list[Value]
    seconds: float

    def at(self, port: Port) -> NDArray[Any]:
        """The value that came out at a port."""
        values = self.arguments if port.kind == "argument" else self.results
        return np.asarray(values[port.number])


def compare_native(
    source: str,
    target: str,
    function: str,
    *,
    timeout: float,
    max_bytes: int = 4 << 30,
    max_work: float | None = None,
    max_analysed: float = 5e8,
    seed: int = 0,
    level: int = 3,
    here: bool = False,
) -> FloatEvidence | Refuted | Unknown:
    """Run `function` of both modules on the same random inputs, in a child process, or `here` where this is one.

    `max_bytes` bounds the arguments of both runs together, `max_work` the loads
    and stores of the source, `level` (0 to 3) is how much LLVM optimises both.
    Whatever keeps the two from being compared, a crash or a hang included, is
    an `Unknown` with the reason.
    """
    limits = Limits(max_bytes, max_work, max_analysed, level)
    work = partial(_compare, source, target, function, limits, seed)
    if here:
        return work()
    outcome = run_isolated(work, timeout=timeout, extra_bytes=max_bytes + _COMPILER_BYTES)
    return Unknown(outcome.reason) if isinstance(outcome, Failed) else outcome.value


def native_work(source: str, function: str) -> float | None:
    """How many loads and stores a run of `function` does at most; None if it cannot be run."""
    try:
        return _plan(source, function, Limits(0, math.inf, 0.0, 0), False)[1].work
    except Unsupported:
        return None


def _compare(source: str, target: str, function: str, limits: Limits, seed: int) -> FloatEvidence | Refuted | Unknown:
    try:
        signature, sizes, edges = _plan(source, function, limits)
        inputs = list(random_inputs(source, signature, sizes, np.random.default_rng(seed)))
        _check_bytes(inputs, limits)
        programs = Compiled(source, function, limits.level), Compiled(target, function, limits.level)
        pairs = pair_outputs(programs[0].signature, programs[1].signature)
        wrong = _at_edges(source, signature, programs, pairs, edges, seed)
        if wrong is not None:
            return wrong
        inputs, first = _defined(programs[0], inputs, [port for port, _ in pairs])
        second = _run(programs[1], inputs)
        text = _sizes_text(signature, inputs)
        found = _judge(pairs, first, second, text)
        if _same_bits(found) or (isinstance(found, FloatEvidence) and sizes.work > limits.max_analysed):
            return found
        named = _named(signature, sizes)
        bounds = rounding_bounds(source, target, function, inputs, named, limits.max_bytes, limits.level)
        within = None if bounds is None else _within(pairs, first, second, text, bounds)
        if within is not None:
            return within
        if isinstance(found, Refuted):
            nudged = _run(programs[0], list(_nudged(signature, inputs, np.random.default_rng(seed + 1))))
            found = _judge(pairs, first, second, text, nudged)
    except Unsupported as error:
        return Unknown(f"cannot be run: {error}")
    return found


def _plan(source: str, function: str, limits: Limits, at_edges: bool = True) -> tuple[Signature, Sizes, list[Sizes]]:
    """Read the source, choose sizes and those at the edges, and refuse what would take too long."""
    with quiet_context(), ir.Location.unknown():
        module = ir.Module.parse(source)
        PassManager.parse("builtin.module(fold-memref-alias-ops)").run(module.operation)  # sizes follow from accesses
        operation = find_function(module, function)
        if calls_itself(module, function):
            raise Unsupported("it calls itself")
        signature, edges, below = signature_of(operation), list[Sizes](), position_limits(operation)
        if any(_is_open(slot) for slot in signature.arguments):
            sizes = choose_sizes(operation, signature)
            edges = edge_sizes(operation, signature, _EDGE_WORK) if at_edges else []
        else:
            sizes = Sizes({}, 0.0 if limits.max_work is None else estimate_work(operation))
        sizes, edges = replace(sizes, limits=below), [replace(s, limits=below) for s in edges]
    if limits.max_work is not None and sizes.work > limits.max_work:
        raise Unsupported(f"{sizes.work:.1e} loads and stores, more than the limit {limits.max_work:.1e}")
    return signature, sizes, edges


def _at_edges(
    source: str,
    signature: Signature,
    programs: tuple[Compiled, Compiled],
    pairs: list[tuple[Port, Port]],
    edges: list[Sizes],
    seed: int,
) -> Refuted | None:
    """A difference at one of the sizes at which loops do little, or meet."""
    random = np.random.default_rng(seed)
    inputs = [list(random_inputs(source, signature, sizes, random)) for sizes in edges]
    inputs = [values for values in inputs if sum(v.nbytes for v in values if isinstance(v, np.ndarray)) <= _EDGE_BYTES]

    def text(number: int) -> str:
        return _sizes_text(signature, inputs[number])

    def differ(number: int, one: Any, other: Any) -> Refuted | None:
        first, second = _Run(one[0], one[1], 0.0), _Run(other[0], other[1], 0.0)
        found = _judge(pairs, first, second, text(number))
        if isinstance(found, Refuted):
            nudged = list(_nudged(signature, inputs[number], np.random.default_rng(seed + 1)))
            found = _judge(pairs, first, second, text(number), _run(programs[0], nudged))
        return found if isinstance(found, Refuted) else None

    return first_difference(programs, inputs, differ, text) if inputs else None


def _is_open(slot: Slot) -> bool:
    """Whether a size has to be chosen: a `?`, or an integer that could be one."""
    return not slot.is_float if slot.shape is None else None in slot.shape


def _nudged(signature: Signature, inputs: list[Value], random: np.random.Generator) -> Iterator[Value]:
    """The inputs with each float moved by about a rounding."""
    for slot, value in zip(signature.arguments, inputs, strict=True):
        if not slot.is_float:
            yield value
            continue
        wide = np.asarray(value, dtype=np.float64)
        moved = wide * (1.0 + _NUDGE * UNIT.get(slot.element, 0.0) * random.choice((-1.0, 1.0), wide.shape))
        yield moved.astype(NUMPY[slot.element]) if isinstance(value, np.ndarray) else float(moved)


def _check_bytes(inputs: list[Value], limits: Limits) -> None:
    total = _COPIES * sum(value.nbytes for value in inputs if isinstance(value, np.ndarray))
    if total > limits.max_bytes:
        raise Unsupported(f"the arrays take {total} bytes, more than the limit {limits.max_bytes}")


def _run(program: Compiled, inputs: list[Value]) -> _Run:
    copies = [value.copy() if isinstance(value, np.ndarray) else value for value in inputs]
    called = program.call(copies)
    return _Run(copies, called.results, called.seconds)


def _defined(source: Compiled, inputs: list[Value], ports: list[Port]) -> tuple[list[Value], _Run]:
    """The inputs and a run on them; on matrices with a dominant diagonal where that is defined and theirs is not.

    Two programs that both end in NaN agree on nothing (factorisations, of a matrix of random numbers).
    """
    first = _run(source, inputs)
    if _is_finite(first, ports):
        return inputs, first
    dominant = [_with_dominant_diagonal(value) if isinstance(value, np.ndarray) else value for value in inputs]
    again = _run(source, dominant)
    return (dominant, again) if _is_finite(again, ports) else (inputs, first)


def _is_finite(run: _Run, ports: list[Port]) -> bool:
    return all(bool(np.isfinite(run.at(port)).all()) for port in ports if port.slot.is_float)


def _with_dominant_diagonal(array: NDArray[Any]) -> NDArray[Any]:
    square = array.ndim == 2 and array.shape[0] == array.shape[1] and array.dtype.kind == "f"
    return array + np.diag(np.full(len(array), 2 * len(array), array.dtype)) if square else array


def _judge(
    pairs: list[tuple[Port, Port]], first: _Run, second: _Run, sizes: str, nudged: _Run | None = None
) -> FloatEvidence | Refuted | Unknown:
    """Evidence with the largest error of any output, or the first output that differs.

    With a run on `nudged` inputs, a difference counts only if it is larger than what rounding the inputs explains: a
    fixed tolerance refuses right programs where the problem is ill-conditioned (Higham 2002, section 1.6).
    """
    worst, notes = 0.0, []
    for port, other in pairs:
        source, target = first.at(port), second.at(other)
        difference = compare_output(port.slot, source, target)
        if not passes(port.slot, difference):
            moved = 0.0 if nudged is None else compare_output(port.slot, source, nudged.at(port)).error
            if port.slot.is_float and moved > _ILL:
                return Unknown(f"{port} is not settled by its inputs: rounding these changes it by {moved:.1e}")
            if not port.slot.is_float or difference.error > _SAFETY * moved:
                return Refuted(_counterexample(port, source, target, difference.where, difference.error, sizes))
            notes.append(f"rounding its inputs changes {port} by {moved:.1e}")
        worst = max(worst, difference.error)
        notes += [f"{port} is {difference.note}"] if difference.note else []
    return FloatEvidence(sizes, worst, first.seconds, second.seconds, "; ".join(notes))


def _same_bits(found: FloatEvidence | Refuted | Unknown) -> bool:
    return isinstance(found, FloatEvidence) and found.relative_error == 0


def _within(
    pairs: list[tuple[Port, Port]], first: _Run, second: _Run, sizes: str, bounds: Bounds
) -> FloatEvidence | Refuted | None:
    """Evidence if each element differs by no more than rounding explains; None where that has no bound."""
    ratio, accuracy, worst, notes, settled = 0.0, 0.0, 0.0, list[str](), True
    for port, other in pairs:
        source, target = first.at(port), second.at(other)
        difference = compare_output(port.slot, source, target)
        notes += [f"{port} is {difference.note}"] if difference.note else []
        if difference.error == 0:
            continue
        if source.shape != target.shape or not port.slot.is_float:
            return Refuted(_counterexample(port, source, target, difference.where, difference.error, sizes))
        judged = bounds.judge(str(port), source, target)
        if judged.where is not None:
            text = _counterexample(port, source, target, judged.where, difference.error, sizes)
            return Refuted(f"{text}, where rounding explains {judged.explained:.1e}")
        settled = settled and judged.settled
        ratio, accuracy = max(ratio, judged.ratio), max(accuracy, judged.accuracy)
        worst = max(worst, difference.error)
    notes = list(dict.fromkeys(notes))
    evidence = FloatEvidence(sizes, worst, first.seconds, second.seconds, "; ".join(notes), ratio, accuracy)
    return evidence if settled else None


def _named(signature: Signature, sizes: Sizes) -> dict[str, int]:
    """The open sizes by the names that they have in a pair."""
    return {f"n{k}" if dim is None else f"a{k}_{dim}": v for (k, dim), v in sizes.values.items()}


def _counterexample(
    port: Port,
    source: NDArray[Any],
    target: NDArray[Any],
    where: tuple[int, ...],
    error: float,
    sizes: str,
) -> str:
    if source.shape != target.shape:
        return f"{port}: shape {source.shape} in the source, {target.shape} in the target, at {sizes}"
    subscripts = f"[{', '.join(map(str, where))}]" if where else ""
    return (
        f"{port}{subscripts} is {source[where]!s} in the source, {target[where]!s} in the target"
        f" (relative error {error:.1e}), at {sizes}"
    )


def _sizes_text(signature: Signature, inputs: list[Value]) -> str:
    """The shapes of the arrays and the integers that were passed, in order."""
    parts = [
        "x".join(map(str, value.shape)) or "scalar" if isinstance(value, np.ndarray) else str(value)
        for slot, value in zip(signature.arguments, inputs, strict=True)
        if isinstance(value, np.ndarray) or not slot.is_float
    ]
    return " ".join(parts) or "no arrays"
