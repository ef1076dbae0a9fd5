"""Which values two runs have to agree on, and whether they do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raising.support.record import dataclass
from raising.validate.native.argument_types import Signature, Slot, Unsupported

TOLERANCE = {"f64": 1e-9, "f32": 1e-4, "f16": 1e-2}
"""Largest relative error, in the maximum norm of one output, that passes."""


@dataclass(frozen=True)
class Port:
    """One place where a value comes out: an argument that may be written, or a result."""

    kind: str
    number: int
    slot: Slot

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


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
