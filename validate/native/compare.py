"""Which values two runs have to agree on, and whether they do: up to a tolerance, or to bounds on rounding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raising.support.record import dataclass
from raising.validate.base.verdict import FloatEvidence, Refuted, Unknown
from raising.validate.native.argument_types import Signature, Slot, Unsupported
from raising.validate.native.foreign_call import Run
from raising.validate.native.rounding import Bounds

TOLERANCE = {"f64": 1e-9, "f32": 1e-4, "f16": 1e-2}
"""Largest relative error, in the maximum norm of one output, that passes."""

_SAFETY, _ILL = 64.0, 1e-3
"""How much more than roundings of the inputs change may be rounding, and what more than that says nothing."""


@dataclass(frozen=True)
class Port:
    """One place where a value comes out: an argument that may be written, or a result."""

    kind: str
    number: int
    slot: Slot

    def of(self, run: Run) -> NDArray[Any]:
        """The value that came out here."""
        return np.asarray((run.arguments if self.kind == "argument" else run.results)[self.number])

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


Pairs = Sequence[tuple[Port, Port]]
"""The outputs of the source, each with that of the target which has to be the same."""


@dataclass(frozen=True)
class Difference:
    """The largest difference between an output of the target and that of the source, and its place."""

    error: float
    where: tuple[int, ...]
    note: str = ""


def pair_outputs(source: Signature, target: Signature) -> list[tuple[Port, Port]]:
    """Match the outputs of two functions.

    Functions on memory agree on every array they are given and on their
    results; a function on tensors returns what the source writes (in the order
    of its arguments) and then what the source returns.
    """
    taken, given = _names(source.arguments), _names(target.arguments)
    if taken != given:
        raise Unsupported(f"the arguments differ: ({taken}) and ({given})")
    right = _results(target)
    if not target.on_tensors:
        left = _arrays(source, range(len(source.arguments))) + _results(source)
        right = _arrays(target, range(len(target.arguments))) + right
    elif source.on_tensors:
        left = _results(source)
    else:
        left = _arrays(source, source.written) + _results(source)
    if [port.slot for port in left] != [port.slot for port in right]:
        wanted, found = _names(port.slot for port in left), _names(port.slot for port in right)
        raise Unsupported(f"the outputs differ: ({wanted}) and ({found})")
    return list(zip(left, right, strict=True))


def compare_output(slot: Slot, source: NDArray[Any], target: NDArray[Any]) -> Difference:
    """The relative error of a float output in the maximum norm; integers must be the same."""
    if source.shape != target.shape:
        return Difference(np.inf, (), f"shapes {source.shape} and {target.shape}")
    if source.size == 0:
        return Difference(0.0, ())
    if not slot.is_float:
        return _worst(np.where(source == target, 0.0, np.inf))
    with np.errstate(invalid="ignore", over="ignore"):
        wide, other = source.astype(np.float64), target.astype(np.float64)
        same = (wide == other) | (np.isnan(wide) & np.isnan(other))
        gap = np.where(same, 0.0, np.abs(wide - other))
        gap = np.where(np.isfinite(gap), gap, np.inf)
    finite = np.abs(wide[np.isfinite(wide)])
    norm = max(float(finite.max(initial=0.0)), float(np.finfo(np.float64).tiny))
    note = "all NaN" if bool(np.isnan(wide).all()) else ""
    return _worst(gap / norm, note)


def passes(slot: Slot, difference: Difference) -> bool:
    """Whether a difference is within what rounding explains."""
    return difference.error <= TOLERANCE.get(slot.element, 0.0)


def _worst(error: NDArray[Any], note: str = "") -> Difference:
    flat = int(np.argmax(error))
    where = tuple(int(i) for i in np.unravel_index(flat, error.shape))
    return Difference(float(error.reshape(-1)[flat]), where, note)


def _arrays(signature: Signature, numbers: Any) -> list[Port]:
    slots = signature.arguments
    return [Port("argument", k, slots[k]) for k in numbers if slots[k].shape is not None]


def _results(signature: Signature) -> list[Port]:
    return [Port("result", k, slot) for k, slot in enumerate(signature.results)]


def _names(slots: Any) -> str:
    return ", ".join(str(slot) for slot in slots)


def judge(
    pairs: Pairs, source: Run, target: Run, sizes: str, nudged: Run | None = None
) -> FloatEvidence | Refuted | Unknown:
    """Evidence with the largest error of any output, or the first output that differs.

    With a run of the source on `nudged` inputs, a difference counts only if it is larger than what rounding the inputs
    explains: a fixed tolerance refuses right programs where the problem is ill-conditioned (Higham 2002, section 1.6).
    """
    worst, notes = 0.0, []
    for port, other in pairs:
        one, two = port.of(source), other.of(target)
        difference = compare_output(port.slot, one, two)
        if not passes(port.slot, difference):
            moved = 0.0 if nudged is None else compare_output(port.slot, one, port.of(nudged)).error
            if port.slot.is_float and moved > _ILL:
                return Unknown(f"{port} is not settled by its inputs: rounding these changes it by {moved:.1e}")
            if not port.slot.is_float or difference.error > _SAFETY * moved:
                return Refuted(_counterexample(port, one, two, difference.where, difference.error, sizes))
            notes.append(f"rounding its inputs changes {port} by {moved:.1e}")
        worst = max(worst, difference.error)
        notes += [f"{port} is {difference.note}"] if difference.note else []
    return FloatEvidence(sizes, worst, source.seconds, target.seconds, "; ".join(notes))


def judge_by_bounds(
    pairs: Pairs, source: Run, target: Run, sizes: str, bounds: Bounds
) -> FloatEvidence | Refuted | None:
    """Evidence if each element differs by no more than rounding explains; None where that has no bound."""
    ratio, accuracy, worst, notes, settled = 0.0, 0.0, 0.0, list[str](), True
    for port, other in pairs:
        one, two = port.of(source), other.of(target)
        difference = compare_output(port.slot, one, two)
        notes += [f"{port} is {difference.note}"] if difference.note else []
        if difference.error == 0:
            continue
        if one.shape != two.shape or not port.slot.is_float:
            return Refuted(_counterexample(port, one, two, difference.where, difference.error, sizes))
        judged = bounds.judge(str(port), one, two)
        if judged.where is not None:
            text = _counterexample(port, one, two, judged.where, difference.error, sizes)
            return Refuted(f"{text}, where rounding explains {judged.explained:.1e}")
        settled = settled and judged.settled
        ratio, accuracy = max(ratio, judged.ratio), max(accuracy, judged.accuracy)
        worst = max(worst, difference.error)
    note = "; ".join(dict.fromkeys(notes))
    evidence = FloatEvidence(sizes, worst, source.seconds, target.seconds, note, ratio, accuracy)
    return evidence if settled else None


def _counterexample(
    port: Port, source: NDArray[Any], target: NDArray[Any], where: tuple[int, ...], error: float, sizes: str
) -> str:
    if source.shape != target.shape:
        return f"{port}: shape {source.shape} in the source, {target.shape} in the target, at {sizes}"
    subscripts = f"[{', '.join(map(str, where))}]" if where else ""
    return (
        f"{port}{subscripts} is {source[where]!s} in the source, {target[where]!s} in the target"
        f" (relative error {error:.1e}), at {sizes}"
    )
