"""The native check: two programs run on the same random inputs, and their results compared.

It is done in floating point and at the sizes of the file: so it sees what an exact check of the algebra cannot, such
as a wrong lowering or a lost copy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from mlir import ir
from mlir.passmanager import PassManager

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
from raising.validate.native.compare import Pairs, judge, judge_by_bounds, pair_outputs
from raising.validate.native.edges import first_difference
from raising.validate.native.foreign_call import (
    Compiled,
    Run,
    Value,
    random_inputs,
    sizes_text,
    with_dominant_diagonal,
)
from raising.validate.native.positions_in_range import position_limits
from raising.validate.native.rounding import nudged, rounding_bounds
from raising.validate.native.sizes import Sizes, choose_sizes, edge_sizes, estimate_work

_COMPILER_BYTES = 4 << 30
"""Address space that compiling and its libraries may take beyond the arrays."""

_EDGE_WORK, _EDGE_BYTES = 1e6, 1 << 20
"""Loads and stores of all runs at the edges together, and bytes of the arguments of one."""

_COPIES = 3
"""Arrays live as the inputs and as one copy for each run."""

Answer = FloatEvidence | Refuted | Unknown


@dataclass(frozen=True)
class Limits:
    """Where a check gives up, and how much LLVM optimises for it."""

    max_bytes: int
    max_work: float | None
    max_analysed: float
    level: int


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
) -> Answer:
    """Run `function` of both modules on the same random inputs, in a child process, or `here` where this is one.

    `max_bytes` bounds the arguments of both runs together, `max_work` the loads
    and stores of the source, `level` (0 to 3) is how much LLVM optimises both.
    Whatever keeps the two from being compared, a crash or a hang included, is
    an `Unknown` with the reason.
    """
    limits = Limits(max_bytes, max_work, max_analysed, level)
    work = partial(_answer, source, target, function, limits, seed)
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


def _answer(source: str, target: str, function: str, limits: Limits, seed: int) -> Answer:
    try:
        return _compare(source, target, function, limits, seed)
    except Unsupported as error:
        return Unknown(f"cannot be run: {error}")


def _compare(source: str, target: str, function: str, limits: Limits, seed: int) -> Answer:
    """Both runs compared at sizes at the edges, up to a tolerance, by bounds on rounding, and by nudged inputs."""
    signature, sizes, edges = _plan(source, function, limits)
    inputs = list(random_inputs(source, signature, sizes, np.random.default_rng(seed)))
    if (total := _COPIES * _bytes(inputs)) > limits.max_bytes:
        raise Unsupported(f"the arrays take {total} bytes, more than the limit {limits.max_bytes}")
    one, other = Compiled(source, function, limits.level), Compiled(target, function, limits.level)
    both = _Both(signature, one, other, pair_outputs(one.signature, other.signature), seed)
    random = np.random.default_rng(seed)
    small = [list(random_inputs(source, signature, edge, random)) for edge in edges]
    wrong = both.at_edges([values for values in small if _bytes(values) <= _EDGE_BYTES])
    if wrong is not None:
        return wrong
    inputs, first = both.defined(inputs)
    second, text = other.run(inputs), sizes_text(signature, inputs)
    found = judge(both.pairs, first, second, text)
    if isinstance(found, FloatEvidence) and (found.relative_error == 0 or sizes.work > limits.max_analysed):
        return found
    named = {f"n{k}" if dim is None else f"a{k}_{dim}": v for (k, dim), v in sizes.values.items()}
    bounds = rounding_bounds(source, target, function, inputs, named, limits.max_bytes, limits.level)
    within = None if bounds is None else judge_by_bounds(both.pairs, first, second, text, bounds)
    return within if within is not None else both.settled(found, inputs, first, second)


def _bytes(inputs: Sequence[Value]) -> int:
    return sum(value.nbytes for value in inputs if isinstance(value, np.ndarray))


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
            edges = edge_sizes(operation, signature, _EDGE_WORK, sizes) if at_edges else []
        else:
            sizes = Sizes({}, 0.0 if limits.max_work is None else estimate_work(operation))
        sizes, edges = replace(sizes, limits=below), [replace(s, limits=below) for s in edges]
    if limits.max_work is not None and sizes.work > limits.max_work:
        raise Unsupported(f"{sizes.work:.1e} loads and stores, more than the limit {limits.max_work:.1e}")
    return signature, sizes, edges


def _is_open(slot: Slot) -> bool:
    """Whether a size has to be chosen: a `?`, or an integer that could be one."""
    return not slot.is_float if slot.shape is None else None in slot.shape


@dataclass(frozen=True)
class _Both:
    """Both functions compiled, and the outputs in which they have to agree."""

    signature: Signature
    source: Compiled
    target: Compiled
    pairs: Pairs
    seed: int

    def settled(self, found: Answer, inputs: Sequence[Value], first: Run, second: Run) -> Answer:
        """What was found; of a difference, whether it is more than rounding the inputs explains."""
        if not isinstance(found, Refuted):
            return found
        moved = self.source.run(list(nudged(self.signature, inputs, self.seed + 1)))
        return judge(self.pairs, first, second, sizes_text(self.signature, inputs), moved)

    def at_edges(self, inputs: Sequence[Sequence[Value]]) -> Refuted | None:
        """A difference at one of the sizes at which loops do little, or meet."""

        def text(number: int) -> str:
            return sizes_text(self.signature, inputs[number])

        def differ(number: int, first: Run, second: Run) -> Refuted | None:
            found = judge(self.pairs, first, second, text(number))
            found = self.settled(found, inputs[number], first, second)
            return found if isinstance(found, Refuted) else None

        return first_difference((self.source, self.target), inputs, differ, text) if inputs else None

    def defined(self, inputs: list[Value]) -> tuple[list[Value], Run]:
        """The inputs and a run on them; on matrices with a dominant diagonal where that is defined and theirs is not.

        Two programs that both end in NaN agree on nothing (factorisations, of a matrix of random numbers).
        """
        first = self.source.run(inputs)
        if self._is_finite(first):
            return inputs, first
        dominant = [with_dominant_diagonal(value) for value in inputs]
        again = self.source.run(dominant)
        return (dominant, again) if self._is_finite(again) else (inputs, first)

    def _is_finite(self, run: Run) -> bool:
        return all(bool(np.isfinite(port.of(run)).all()) for port, _ in self.pairs if port.slot.is_float)
