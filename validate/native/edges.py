"""Runs at sizes at which loops do little or nothing, or meet, with the code that was compiled for the native check.

Each array stands between fences, so that what a program writes outside of it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raising.support.isolate import Failed, run_isolated
from raising.validate.base.verdict import Refuted
from raising.validate.native.foreign_call import Compiled, Run, Value

_FENCE = 4096  # bytes on each side of an array
_MARK = 0xA5
_SECONDS, _BYTES = 20.0, 1 << 30

Outcome = Run | None
"""A call; None if it wrote outside of an argument."""


def outcomes(programs: Sequence[Compiled], inputs: Sequence[Sequence[Value]]) -> list[list[Outcome]] | str:
    """The results of programs for each list of arguments, from a child process; or how the child ended."""
    found = run_isolated(partial(_all, programs, inputs), timeout=_SECONDS, extra_bytes=_BYTES)
    return found.reason if isinstance(found, Failed) else found.value


def first_difference(
    programs: tuple[Compiled, Compiled],
    inputs: Sequence[Sequence[Value]],
    differ: Callable[[int, Run, Run], Refuted | None],
    text: Callable[[int], str],
) -> Refuted | None:
    """The first of some inputs on which the second program does not do what the first one does.

    Where the first one does not return, or writes outside of its arguments, nothing is said. `differ` compares both
    runs on an input by its number; `text` says at which sizes it is.
    """
    both = outcomes(programs, inputs)
    if isinstance(both, str) or None in both[0]:  # what one of them does may have changed what the other one did
        first = outcomes(programs[:1], inputs)
        if isinstance(first, str):
            return None
        second = outcomes(programs[1:], inputs)
        if isinstance(second, str):
            return Refuted(f"the target {second} at small sizes, where the source returns")
        both = [*first, *second]
    for number, (one, other) in enumerate(zip(*both, strict=True)):
        if one is None:
            continue
        if other is None:
            return Refuted(f"the target writes outside of an argument, at {text(number)}")
        if (found := differ(number, one, other)) is not None:
            return found
    return None


def _all(programs: Sequence[Compiled], inputs: Sequence[Sequence[Value]]) -> list[list[Outcome]]:
    return [[_between_fences(program, values) for values in inputs] for program in programs]


def _between_fences(program: Compiled, values: Sequence[Value]) -> Outcome:
    fenced = [_fenced(v) if isinstance(v, np.ndarray) else (v, None) for v in values]
    results = program.call([value for value, _ in fenced]).results
    if any(memory is not None and _is_broken(memory) for _, memory in fenced):
        return None
    return Run([v.copy() if isinstance(v, np.ndarray) else v for v, _ in fenced], results)


def _fenced(array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """A copy of an array inside of a larger memory, and that memory."""
    memory = np.full(array.nbytes + 2 * _FENCE, _MARK, np.uint8)
    inside = memory[_FENCE : _FENCE + array.nbytes].view(array.dtype).reshape(array.shape)
    inside[...] = array
    return inside, memory


def _is_broken(memory: NDArray[Any]) -> bool:
    return bool((memory[:_FENCE] != _MARK).any() or (memory[-_FENCE:] != _MARK).any())
