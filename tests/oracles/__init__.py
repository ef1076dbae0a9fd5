"""What each kernel must compute, in whole-array NumPy: the independent side of every comparison.

An oracle takes the function's arguments by name and returns the final contents of those it
changes; `"return"` holds what the function returns. Elements outside a triangle that the loops
do not write keep their input, as in the loops.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.oracles import sequential, wild
from tests.oracles.registry import ORACLES, Oracle, oracle

__all__ = ["ORACLES", "Oracle", "expected", "mismatch", "oracle", "sequential", "wild"]


def expected(name: str, arguments: Sequence[Any]) -> list[Any | None]:
    """Per argument its final contents, None where it is unchanged; then the returned value, if any."""
    function = ORACLES[name]
    parameters = inspect.signature(function).parameters.values()
    names = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    changed = function(*arguments[: len(names)])
    final = [changed.pop(parameter, None) for parameter in names]
    final += [None] * (len(arguments) - len(names))  # extents that a variant takes besides
    returned = [changed.pop("return")] if "return" in changed else []
    assert not changed, f"oracle of {name} changes no such argument: {list(changed)}"
    return final + returned


def mismatch(name: str, before: Sequence[Any], after: Sequence[Any], tolerance: float = 1e-10) -> str:
    """Compare what a run left behind with the oracle; an empty string when all is equal."""
    wanted = expected(name, before)
    if len(wanted) != len(after):
        return f"{len(after)} values, {len(wanted)} expected"
    for place, (want, got) in enumerate(zip(wanted, after, strict=True)):
        want = before[place] if want is None else want
        if not np.allclose(got, want, rtol=tolerance, atol=tolerance):
            return f"value {place} differs by {np.max(np.abs(np.asarray(got) - want)):g}"
    return ""
