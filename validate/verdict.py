"""What is known about two programs being equal, and how it is known.

A verdict is a value, never an exception: proved for all sizes, proved up to a
bound, tested with numbers, refuted by an input that shows the difference, or
unknown with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from validate.counterexample import Counterexample

SizeVector = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class FieldEvidence:
    """Agreement on random points of a finite field, with the chance that a wrong program passes."""

    points: int
    size_vectors: tuple[SizeVector, ...]
    error_bound: float
    note: str = ""


@dataclass(frozen=True)
class FloatEvidence:
    """Agreement of two native runs on the same random floats; seconds are one run each."""

    sizes: str
    relative_error: float
    seconds_source: float
    seconds_target: float
    note: str = ""


@dataclass(frozen=True)
class Proved:
    """Equal for every size and every input, under the stated assumptions."""

    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bounded:
    """Equal for every input at the listed sizes, under the stated assumptions; `integers` says how they wrap."""

    sizes: tuple[SizeVector, ...]
    assumptions: tuple[str, ...] = ()
    integers: str = ""


@dataclass(frozen=True)
class Tested:
    """Equal wherever it was looked: in the field, natively, or both."""

    field: FieldEvidence | None
    native: FloatEvidence | None


@dataclass(frozen=True)
class Refuted:
    """Different, on the input that the counterexample names; `example` is that input where it was replayed exactly."""

    counterexample: str
    example: Counterexample | None = None


@dataclass(frozen=True)
class Unknown:
    """Nothing was established, for this reason."""

    reason: str


Verdict = Proved | Bounded | Tested | Refuted | Unknown


def describe(verdict: Verdict) -> str:
    """The verdict in one line, as remarks and reports print it."""
    match verdict:
        case Proved(assumptions):
            return "proved for all sizes" + (f", if {' and '.join(assumptions)}" if assumptions else "")
        case Bounded(sizes, assumptions):
            return f"proved at {_size_list(sizes)}" + (f", if {' and '.join(assumptions)}" if assumptions else "")
        case Tested(field, native):
            parts = [_field_text(field)] if field else []
            parts += [_native_text(native)] if native else []
            return "tested: " + ("; ".join(parts) or "nothing")
        case Refuted(counterexample):
            return f"refuted: {counterexample}"
        case Unknown(reason):
            return f"unknown: {reason}"
        case _:
            assert_never(verdict)


def _field_text(field: FieldEvidence) -> str:
    return (
        f"{field.points} field points at {len(field.size_vectors)} size vectors"
        f" (false accept <= {field.error_bound:.1e}{'; ' + field.note if field.note else ''})"
    )


def _native_text(native: FloatEvidence) -> str:
    text = (
        f"native run at {native.sizes}, relative error {native.relative_error:.1e},"
        f" {native.seconds_source:.3f} s -> {native.seconds_target:.3f} s"
    )
    return f"{text} ({native.note})" if native.note else text


def _size_list(vectors: tuple[SizeVector, ...]) -> str:
    return ", ".join("x".join(str(size) for _, size in vector) for vector in vectors) or "no sizes"
