"""The checks of a raised function beyond the field: the proof, and a native run beside the loops."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from raising.affine.ir.c_parameters import C_PARAMETERS
from raising.api.options import RaiseOptions
from raising.emit.pure_function import lowered, runnable
from raising.frontend.mlir.reader import InputError
from raising.grammar.dialects.target_dialect import Target
from raising.support.isolate import Finished, Tell, run_telling
from raising.support.mlir.lowering import keep_only
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.validate.base.assumption import NO_OVERLAP, Assumption
from raising.validate.base.verdict import FloatEvidence, Proved, Refuted, Tested, Unknown, Verdict, mapped
from raising.validate.check import CheckOptions, check, difference

MAX_WORK = 2e10  # loads and stores of a native run; beyond it only the field is checked
PROVED_WORK = 5e8  # of one that a proof for all sizes stands beside, where it cannot be at smaller sizes
SHORT_WORK = 1e7  # of one that takes less than to find smaller sizes for it
QUICK_WORK = (
    1e5  # of one that takes no time that is seen, however it is compiled: to optimise it takes most of the check
)
_LEAST = 0.1  # seconds without which nothing is started
_SLACK = 0.1  # seconds that a check may take to say that its time is over
_BYTES = 32 << 30  # address space of both checks, which have their own limits


@dataclass(frozen=True)
class Raised:
    """A function before and after: the source's text, its operation there, and its operation after raising."""

    name: str
    before: str
    original: Any
    raised: Any
    module: Any
    target: Target


@dataclass(frozen=True)
class Checked:
    """The verdict, what could not be done (for a remark), and what is wrong with the function, if anything is."""

    verdict: Verdict
    note: str = ""
    wrong: str = ""


def alone(module: Any, name: str) -> Any:
    """A copy of a module with one function and what it needs, so that no check pays for all others."""
    if sum(1 for _ in module.body.operations) == 1:
        return module
    copy = module.operation.clone()
    return copy if keep_only(copy, name) else module


def checked(function: Raised, tested: Tested, deadline: float, options: RaiseOptions) -> Checked:
    """The strongest verdict on a function that passed the field, by a time of the monotonic clock."""
    proof, native = _found(function, deadline - time.monotonic(), options)
    if isinstance(proof, Unknown) and _is_sampled(tested, options):
        proof = _refuted(function, _share(deadline - time.monotonic(), options)) or proof
    note = ""
    if isinstance(native, Refuted):
        return Checked(native, wrong=f"the raised form did not pass its native check: {native.counterexample}")
    if isinstance(native, Unknown):
        note = f"function '{function.name}' was not run natively: {native.reason}"
    elif native is not None:
        tested = replace(tested, native=native)
    match proof:
        case Proved():
            return Checked(replace(proof, tested=tested), note)
        case Refuted():
            return Checked(proof, wrong=f"the raised form is not equal to the loops: {proof.counterexample}")
        case Unknown() if options.strict_fp:
            return Checked(proof, wrong=f"it is not known to round as the loops do: {proof.reason}")
        case Unknown() if unseen := untold(tested):
            return Checked(proof, wrong=unseen)
        case Unknown():
            return Checked(replace(tested, unproved=proof.reason), note)
    return Checked(tested, note)


def _is_sampled(tested: Tested, options: RaiseOptions) -> bool:
    """Whether nothing but random points speaks for a function that selects by data; no native run follows."""
    sampled = tested.field is not None and bool(tested.field.note)
    return sampled and options.check == "proof" and not options.strict_fp


def untold(tested: Tested) -> str:
    """Why tests alone do not tell that a raised function is right; empty if they do."""
    unseen = tested.field.unseen if tested.field is not None else ""
    return f"the raised form is not proved, and {unseen}" if unseen else ""


def _found(function: Raised, seconds: float, options: RaiseOptions) -> tuple[Verdict, Any]:
    """The proof, and beside it on another core the native run if that is wanted.

    What is proved for all sizes need not run for long: at smaller sizes the run sees as much of the passes. Where there
    is no proof, or no such run, it is at the sizes of the file, after the proof.
    """
    ends = time.monotonic() + seconds
    proving = _share(seconds, options)
    works: list[Callable[[Tell], Any]] = [lambda _: _proof(function, proving, options.strict_fp)]
    if options.check == "native":
        works.append(lambda _: _short(function, seconds))
    elif options.check == "full":
        works.append(lambda _: _native(function, seconds, MAX_WORK))
    proof, *runs = _together(works, seconds)
    native = runs[0] if runs else None
    proved = isinstance(proof, Proved) and proof.sizes is None
    if options.check == "native" and not (isinstance(native, FloatEvidence) and (proved or not native.smaller)):
        seconds, most = ends - time.monotonic(), PROVED_WORK if proved else MAX_WORK
        (native,) = _together([lambda _: _native(function, seconds, most)], seconds)
    return proof, native


def _share(seconds: float, options: RaiseOptions) -> float:
    """The time that a proof may take, and so may looking for a difference after it."""
    return min(seconds, options.proof_share * options.timeout)


def _together(works: list[Callable[[Tell], Any]], seconds: float) -> list[Any]:
    """The results of several checks at once, each in a process of its own."""
    done = run_telling(works, timeout=max(_LEAST, seconds) + _SLACK, extra_bytes=_BYTES)
    return [one.value if isinstance(one, Finished) else Unknown(one.reason) for one in done]


def _native(function: Raised, seconds: float, most: float) -> Any:
    """A run at the sizes of the file."""
    if seconds <= _LEAST:
        return Unknown("no time was left")
    from raising.validate.native.native import compare_native  # with LLVM and all: of use here only

    return compare_native(function.before, _runnable(function), function.name, timeout=seconds, max_work=most)


def _short(function: Raised, seconds: float) -> Any:
    """A run at the sizes of the file if it is short, else at smaller ones."""
    if seconds <= _LEAST:
        return Unknown("no time was left")
    from raising.validate.native.native import compare_native, native_work
    from raising.verify.smaller_instance import smaller_instance

    name, after = function.name, _runnable(function)
    work = native_work(function.before, name)
    if work is not None and work <= SHORT_WORK:
        level = 0 if work <= QUICK_WORK else 3
        return compare_native(function.before, after, name, timeout=seconds, level=level, here=True)
    small = smaller_instance(function.before, after, name) if work is not None else None
    if small is None:
        return Unknown("there is no smaller instance")
    limits: dict[str, Any] = {"max_work": SHORT_WORK, "max_analysed": 0.0, "level": 0}
    found = compare_native(*small, name, timeout=seconds, here=True, **limits)
    return replace(found, smaller=True) if isinstance(found, FloatEvidence) else Unknown("it differs at smaller sizes")


def _runnable(function: Raised) -> str:
    """The module after raising, in operations that can be run."""
    if function.target.general:
        return str(function.module)
    return runnable(str(function.raised), function.target, function.original)


def _refuted(function: Raised, seconds: float) -> Refuted | None:
    """A difference on inputs that tell much: random ones hardly ever fulfil several conditions together."""
    options = CheckOptions(functions=(function.name, function.name))
    (found,) = _together([lambda _: difference(function.before, _after(function), options)], seconds)
    return found if isinstance(found, Refuted) else None


def _after(function: Raised) -> str:
    """The raised function in operations that are read."""
    after = str(function.module if function.target.general else function.raised)
    return after if function.target.functions is None else lowered(after, function.target)


def _proof(function: Raised, seconds: float, strict: bool) -> Verdict:
    if seconds <= _LEAST:
        return Unknown("no time was left")
    names = function.name, function.name
    try:
        options = CheckOptions(functions=names, level="proved-this-size", timeout=seconds, strict=strict)
        found = check(function.before, _after(function), options)
    except InputError as error:
        return Unknown(error.message)
    return mapped(found, lambda a: _told(a, C_PARAMETERS in function.original.attributes))


def _told(assumption: Assumption, from_c: bool) -> Assumption | None:
    """An assumption as `raise` says it.

    Places in the raised module are none of the user's. The reader of C has told already which of its pointers are taken
    not to overlap; others must not, by the language.
    """
    if from_c and assumption == NO_OVERLAP:
        return None
    return replace(assumption, where=Loc()) if assumption.needed_by == "target" else assumption
