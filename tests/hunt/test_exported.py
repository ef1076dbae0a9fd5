"""Array programs as JAX exports them: the generator, and a short run that finds nothing."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.hunt.exported import judge
from tests.hunt.exported.draw import exported

pytestmark = pytest.mark.skipif(not judge.available(), reason="needs StableHLO's interpreter")

SHORT = (0, 1, 2, 3)


def test_what_is_drawn_depends_on_the_number_alone_and_has_all_kinds_of_operations():
    texts = [exported(seed).text for seed in range(150)]
    assert texts == [exported(seed).text for seed in range(150)]
    kinds = ("reduce", "gather", "scatter", "sort", "while", "case", "dynamic_slice", "reduce_window", "convolution")
    wanted = {"@argmax", *(f"stablehlo.{kind}" for kind in (*kinds, "dot_general", "pad"))}
    assert wanted <= {name for text in texts for name in re.findall(r"stablehlo\.[a-z_]+|@argmax", text)}


def test_a_short_run_finds_nothing():
    rows = [judge.row(seed) for seed in SHORT]
    assert [row.text() for row in rows if row.bad] == []
    assert all(row.runs for row in rows)


def test_the_interpreter_scatters_into_an_array_of_its_own():
    """What is read after a scatter whose result nobody uses is what was given."""
    assert not judge.row(20079).bad


def test_a_wrong_result_is_found(monkeypatch: pytest.MonkeyPatch):
    right = judge.interpreted
    monkeypatch.setattr(judge, "interpreted", lambda program: [v + v.dtype.type(1) for v in right(program)])
    assert judge.judged(exported(2))[:2] == ("wrong", "compiled")


def test_an_error_is_found(monkeypatch: pytest.MonkeyPatch):
    def broken(text: str, fp: str = "") -> str:
        raise judge.ways.Broken("optimise", "internal: StopIteration")

    monkeypatch.setattr(judge.ways, "optimised", broken)
    assert judge.row(2).kind == "error"


def test_rounding_is_a_difference_only_where_all_bits_are_known():
    one = np.float32([1.0])
    assert judge.different(one + np.float32(1e-6), one, exact=True)
    assert not judge.different(one + np.float32(1e-6), one, exact=False)
    assert judge.different(one, one.astype(np.float64), exact=False)
