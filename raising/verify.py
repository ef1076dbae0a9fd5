"""What is known of a raised function, beyond the field: a native run beside the loops, and the proof."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from affine.mlir_reader import InputError
from grammar.target import Target
from raising.options import RaiseOptions
from raising.pure import lowered, runnable
from validate.check import CheckOptions, check
from validate.isolate import Finished, run_together
from validate.verdict import Proved, Refuted, Tested, Unknown, Verdict

MAX_WORK = 2e10  # loads and stores of a native run; beyond it only the field is checked
MOST_SECONDS = 10.0  # for the proof of a function
_SHARE = 0.5  # of the time that is left
_SLACK = 0.2  # seconds that a check may take to say that its time is over
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


def checked(function: Raised, tested: Tested, deadline: float, options: RaiseOptions) -> Checked:
    """The strongest verdict on a function that passed the field, by a time of the monotonic clock."""
    proof, native = _found(function, deadline - time.monotonic(), options)
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
        case Unknown():
            return Checked(replace(tested, unproved=proof.reason), note)
    return Checked(tested, note)


def _found(function: Raised, seconds: float, options: RaiseOptions) -> tuple[Verdict, Any]:
    """The proof, and beside it on another core the native run if that is wanted."""
    natively, limit = options.check == "native", min(MOST_SECONDS, _SHARE * seconds)
    works: list[Callable[[], Any]] = [partial(_proof, function, limit, options.strict_fp)]
    works += [partial(_native, function, seconds)] if natively else []
    done = run_together(works, timeout=max(0.1, seconds) + _SLACK, extra_bytes=_BYTES)
    found = [one.value if isinstance(one, Finished) else Unknown(one.reason) for one in done]
    return found[0], found[1] if natively else None


def _native(function: Raised, seconds: float) -> Any:
    if seconds <= 0.1:
        return Unknown("no time was left")
    after = str(function.module)
    if not function.target.general:
        after = runnable(str(function.raised), function.target, function.original)
    from validate.native import compare_native  # with LLVM and all: of use here only

    return compare_native(function.before, after, function.name, timeout=seconds, max_work=MAX_WORK)


def _proof(function: Raised, seconds: float, strict: bool) -> Verdict:
    if seconds <= 0.1:
        return Unknown("no time was left")
    after = str(function.module if function.target.general else function.raised)
    if function.target.functions is not None:  # nobody but the target knows its operations
        after = lowered(after, function.target)
    names = function.name, function.name
    try:
        options = CheckOptions(functions=names, level="proved-this-size", timeout=seconds, strict=strict)
        return check(function.before, after, options)
    except InputError as error:
        return Unknown(error.message)
