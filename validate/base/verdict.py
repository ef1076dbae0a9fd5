"""Verdicts: what is known about two programs being equal, and how it is known.

A verdict is a value, never an exception: proved for all sizes, proved up to a bound, tested with numbers, refuted by
an input that shows the difference, or unknown with the reason. A `Counterexample` is such an input, small enough to
be read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from raising.support.record import dataclass
from raising.validate.base.assumption import Assumption

_SHOWN = 12
NOT_DEFINED = "every operation"
"""What differs where an operation of the target is not defined, and those of the source are."""

NO_VALUE = "without a value"
"""What an element of the target is that comes from memory that nothing has written, or from an operation that is not
defined.
"""

EXACT = "bit-exact"
"""What is said of floats that are rounded alike."""
INTERNAL = "internal error: "
"""In front of the reason of an `Unknown` that is an error of this program."""


@dataclass(frozen=True)
class Counterexample:
    """Sizes, the inputs that are not zero, and the output element that differs, with both values as exact text.

    `inputs` are (name, index, value); an index is empty for a scalar. `output` is "memory access" where the
    target leaves its arrays, and "every operation" where one of the target is not defined, which have no values.
    """

    sizes: tuple[tuple[str, int], ...]
    inputs: tuple[tuple[str, tuple[int, ...], str], ...]
    output: str
    index: tuple[int, ...]
    source: str
    target: str

    @property
    def undefined(self) -> bool:
        """True if the target is not defined on this input."""
        return self.output == NOT_DEFINED or self.target == NO_VALUE

    def text(self) -> str:
        """One line: the place, both values, and what they come from."""
        sizes = " ".join(f"{n}={v}" for n, v in self.sizes)
        place = self.output + subscripts(self.index)
        given = [f"{n}{subscripts(i)}={v}" for n, i, v in self.inputs]
        rest = f" and {len(given) - _SHOWN} more" if len(given) > _SHOWN else ""
        inputs = f", from {', '.join(given[:_SHOWN])}{rest}" if given else ""
        at = f" at {sizes}" if sizes else ""
        return f"{place} is {self.source} in the source, {self.target} in the target{at}{inputs} (all other inputs 0)"


def subscripts(index: tuple[int, ...]) -> str:
    """An index as it stands behind the name of an array; empty for a scalar."""
    return f"[{', '.join(map(str, index))}]" if index else ""


SizeVector = tuple[tuple[str, int], ...]

LOST = 10.0
"""How much wider bounds on rounding may become, a decimal digit, before it is told."""


@dataclass(frozen=True)
class FieldEvidence:
    """Agreement on random points of a finite field, with the chance that a program passes that is wrong at these sizes.

    `regions` says in how many regions of the parameters there were points: within each, loops behave alike. `unseen`
    says what shows itself at no size that was tried, so that only a proof tells.
    """

    points: int
    size_vectors: tuple[SizeVector, ...]
    error_bound: float
    note: str = ""
    regions: str = ""
    unseen: str = ""


@dataclass(frozen=True)
class FloatEvidence:
    """Agreement of two runs on the same random floats; seconds are one native run each.

    Where both runs carried error bounds, `ratio` is the largest |a - b| / (e_a + e_b), which rounding keeps below
    one, and `accuracy` the largest e_b / e_a: how much accuracy the target may lose. `exact` says that both do the
    same operations in the same order. `smaller` says that the sizes are not those of the files; then the seconds say
    nothing.
    """

    sizes: str
    relative_error: float
    seconds_source: float
    seconds_target: float
    note: str = ""
    ratio: float | None = None
    accuracy: float | None = None
    exact: bool = False
    smaller: bool = False

    @property
    def rounding(self) -> str:
        """What may happen to floats: `bit-exact`, or `reassociated` with how much of the bounds was used."""
        if self.exact:
            return EXACT
        return "reassociated" if self.ratio is None else f"reassociated (ratio {self.ratio:.2g}{self.loss})"

    @property
    def loss(self) -> str:
        """A warning if the bounds of the target are much wider than those of the source; else empty."""
        if self.accuracy is None or self.accuracy < LOST:
            return ""
        return f"; accuracy lost: bounds up to {self.accuracy:.2g} times as wide"


@dataclass(frozen=True)
class Bounded:
    """Equal for every input at the listed sizes, under the stated assumptions; `integers` says how they wrap."""

    sizes: tuple[SizeVector, ...]
    assumptions: tuple[Assumption, ...] = ()
    integers: str = ""


@dataclass(frozen=True)
class Tested:
    """Equal wherever it was looked: in the field, natively, or both; `unproved` is why there is no proof."""

    field: FieldEvidence | None
    native: FloatEvidence | None
    unproved: str = ""
    assumptions: tuple[Assumption, ...] = ()


@dataclass(frozen=True)
class Proved:
    """Equal for every input and every size (or those of `sizes`), under the stated assumptions.

    `integers` says how integers wrap, `floats` what rounding may do (both are
    empty where there are none); `tested` is what tests of the same pair found.
    """

    assumptions: tuple[Assumption, ...] = ()
    sizes: SizeVector | None = None
    integers: str = ""
    floats: str = ""
    tested: Tested | None = None


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
        case Proved():
            return _proved_text(verdict)
        case Bounded(sizes, assumptions):
            return f"proved at {_size_list(sizes)}{_conditions(assumptions)}"
        case Tested(field, native, unproved, assumptions):
            parts = [_field_text(field)] if field else []
            parts += [_native_text(native)] if native else []
            text = "tested: " + ("; ".join(parts) or "nothing") + _conditions(assumptions)
            return f"{text}; not proved: {unproved}" if unproved else text
        case Refuted(counterexample):
            return f"refuted: {counterexample}"
        case Unknown(reason):
            return f"unknown: {reason}"
        case _:
            assert_never(verdict)


def evidence(verdict: Verdict | None) -> Tested | None:
    """The evidence of tests, also if there is a proof."""
    return verdict.tested if isinstance(verdict, Proved) else verdict if isinstance(verdict, Tested) else None


def level(verdict: Verdict) -> str:
    """The name of what was established."""
    match verdict:
        case Proved():
            return "proved-all-sizes" if verdict.sizes is None else "proved-this-size"
        case Bounded():
            return "bounded"
        case Tested():
            return "tested-field" if verdict.field else "tested-float"
        case Refuted():
            return "refuted"
        case Unknown():
            return "unknown"
        case _:
            assert_never(verdict)


def _conditions(assumptions: tuple[Assumption, ...]) -> str:
    return f", if {' and '.join(map(str, assumptions))}" if assumptions else ""


def assumptions(verdict: Verdict | None) -> tuple[Assumption, ...]:
    """The assumptions of a verdict."""
    return verdict.assumptions if isinstance(verdict, Proved | Bounded | Tested) else ()


def assuming(verdict: Verdict, more: tuple[Assumption, ...]) -> Verdict:
    """A verdict of equality with further assumptions added; any other verdict unchanged."""
    if isinstance(verdict, Proved | Bounded | Tested):
        return replace(verdict, assumptions=tuple(dict.fromkeys((*verdict.assumptions, *more))))
    return verdict


def mapped(verdict: Verdict, told: Callable[[Assumption], Assumption | None]) -> Verdict:
    """A verdict with each assumption replaced by a function of it, and dropped where that is None."""
    if isinstance(verdict, Proved | Bounded | Tested):
        found = (told(a) for a in verdict.assumptions)
        return replace(verdict, assumptions=tuple(dict.fromkeys(a for a in found if a is not None)))
    return verdict


def _proved_text(verdict: Proved) -> str:
    fixed = f"at {_size_list((verdict.sizes,))}" if verdict.sizes else "at the sizes of the files"
    where = "for all sizes" if verdict.sizes is None else fixed
    text = f"proved {where}{_conditions(verdict.assumptions)}"
    native = verdict.tested.native if verdict.tested else None
    return f"{text}; {_native_text(native)}" if native else text


def _field_text(field: FieldEvidence) -> str:
    return (
        f"{field.points} field points at {len(field.size_vectors)} size vectors{field.regions and ', ' + field.regions}"
        f" ({_bound_text(field.error_bound)}{'; ' + field.note if field.note else ''})"
    )


def _bound_text(bound: float) -> str:
    """A degree that doubles with every pass of a loop can leave no bound at all."""
    return f"false accept at these sizes <= {bound:.1e}" if bound < 1 else "no bound on false accepts"


def _native_text(native: FloatEvidence) -> str:
    where = f"{'smaller sizes, ' if native.smaller else ''}{native.sizes}"
    text = f"native run at {where}, relative error {native.relative_error:.1e}{_explained(native)}"
    if not native.smaller:
        text += f", {native.seconds_source:.3f} s -> {native.seconds_target:.3f} s"
    return f"{text} ({native.note})" if native.note else text


def _explained(native: FloatEvidence) -> str:
    return "" if native.ratio is None else f" (ratio {native.ratio:.2g} to what rounding explains{native.loss})"


def _size_list(vectors: tuple[SizeVector, ...]) -> str:
    return ", ".join("x".join(str(size) for _, size in vector) for vector in vectors) or "no sizes"
