"""The table of oracles: those of PolyBench, and those that register here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from raising.polybench.suite.oracles_linear import BLAS
from raising.polybench.suite.oracles_solvers import SOLVERS
from raising.polybench.suite.oracles_stencils import STENCILS
from raising.polybench.suite.values import Array, Oracle

__all__ = ["ORACLES", "STEPS", "Array", "Oracle", "oracle"]

STEPS = 6
"""Time steps of the stencils that the tests run; no argument of theirs tells it."""

_TIMED = {
    name: function if name == "fdtd-2d" else partial(function, TSTEPS=STEPS) for name, function in STENCILS.items()
}
ORACLES: dict[str, Oracle] = {**BLAS, **SOLVERS, **_TIMED}


def oracle(name: str) -> Callable[[Oracle], Oracle]:
    """Register a function as the oracle of `name`."""

    def register(function: Oracle) -> Oracle:
        ORACLES[name] = function
        return function

    return register
