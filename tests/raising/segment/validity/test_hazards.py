"""Programs at which a raiser that looks at random numbers only, or at sizes above 0 only, goes wrong.

Whether they are raised does not matter here; what comes out must compute what the loops compute, at
the numbers that the programs ask for.
"""

from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

from raising.pipeline import RaiseOptions, raise_module
from raising.support.isolate import Failed, run_isolated
from raising.validate.base.assumption import NONZERO, REAL
from raising.validate.base.verdict import Proved
from tests.kernels.execute import Value, inputs, run
from tests.raising.running import execute, raised

HAZARDS = {path.stem: path for path in sorted((Path(__file__).parent / "hazards").glob("*.mlir"))}
TELLING = {"f": [0.0, 1.0, 1e-12, 1e30, -1e-12, -1e30, 2.0], "i": [0, 3, 1, -1, 1 << 30, 3, 7]}
ASSUMED = {"divide_back": NONZERO, "times_zero": REAL}
"""Results that are those of the loops in real numbers only: what has to be assumed is part of the verdict."""


def arguments(name: str, text: str, dynamic: int = 7) -> list[Value]:
    """Random arrays that begin with the numbers programs compare with, and sometimes agree."""
    values = inputs(text, name, 1, dynamic)
    for place, value in enumerate(values):
        if isinstance(value, np.ndarray) and value.ndim and value.size:
            flat = value.reshape(-1)
            telling = TELLING[value.dtype.kind]
            for k in range(min(len(telling), flat.size)):
                flat[k] = np.asarray(telling[(k + place * (k % 2)) % len(telling)]).astype(value.dtype)
            if name in ("replace_nan", "times_zero"):
                flat[-1] = np.nan
    return values


@cache
def _result(name: str) -> str:
    return raised(HAZARDS[name].read_text()).text


def difference(name: str, text: str, result: str, before: list[Value]) -> str:
    """Run the loops and what they were raised to; how they differ."""
    wanted = run(text, name, before)
    found = execute(result, name, before)
    for place, (want, got) in enumerate(zip(wanted, found, strict=True)):
        if not np.allclose(want, got, rtol=1e-9, atol=0, equal_nan=True):
            return f"value {place}: {np.ravel(want)[:8]} became {np.ravel(got)[:8]}"
    return ""


def _found(name: str, result: str, extent: int | None) -> str:
    text = HAZARDS[name].read_text()
    before = arguments(name, text)
    if extent is not None:
        before = [np.int64(extent) if isinstance(v, np.int64) else v for v in before]
        if "memref.dim" in text:
            before = [v[:extent].copy() if isinstance(v, np.ndarray) and v.ndim else v for v in before]
    return difference(name, text, result, before)


def _difference(name: str, extent: int | None = None) -> str:
    """How they differ, found in a process of its own, since wrong code may crash it."""
    done = run_isolated(partial(_found, name, _result(name), extent), timeout=120, extra_bytes=8 << 30)
    return done.reason if isinstance(done, Failed) else done.value


@pytest.mark.parametrize("name", sorted(set(HAZARDS) - set(ASSUMED)))
def test_the_result_is_that_of_the_loops(name: str) -> None:
    assert not _difference(name)


@pytest.mark.parametrize("name", ASSUMED)
def test_what_a_result_takes_for_granted_is_said(name: str) -> None:
    assert _difference(name), "nothing has to be assumed any more"
    (report,) = raise_module(HAZARDS[name].read_text(), options=RaiseOptions(check="proof")).functions
    assert isinstance(report.verdict, Proved) and ASSUMED[name] in report.verdict.assumptions


@pytest.mark.parametrize("extent", [0, 1, 2, -3])
def test_an_extent_that_is_an_argument_may_be_small_or_negative(extent: int) -> None:
    assert not _difference("between_const", extent)


@pytest.mark.parametrize("extent", [0, 1, 2])
def test_a_dynamic_array_may_be_small_or_empty(extent: int) -> None:
    assert not _difference("last_value", extent)
