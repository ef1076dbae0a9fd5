"""Functions of linalg.generic: the generator, and a short run that finds nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.hunt.generic import judge
from tests.hunt.generic.draw import Generics, drawn

SHORT = (0, 1, 4)


def test_what_is_drawn_depends_on_the_number_alone_and_has_conditions_sums_and_temporaries() -> None:
    texts = [drawn(seed).text() for seed in range(60)]
    assert texts == [drawn(seed).text() for seed in range(60)]
    for wanted in (
        "cmpi sle",
        "select",
        "reduction",
        "memref.alloc",
        "maxsi",
        "-> (d1, d0)>",
        "-> (d1 + d0)>",
        "memref.subview",
    ):
        assert any(wanted in text for text in texts)


def test_a_short_run_finds_nothing() -> None:
    rows = [judge.row(seed) for seed in SHORT]
    assert [row.text() for row in rows if row.bad] == []
    assert all(row.runs for row in rows)


def test_a_wrong_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Generics.run
    monkeypatch.setattr(Generics, "run", lambda *given: {a: v + 1 for a, v in right(*given).items()})
    assert judge.judged(drawn(1), 1)[0] == "wrong"


def test_the_interpreter_goes_point_by_point() -> None:
    """Of a sum over all points, each adds to what the ones before it left."""
    function = next(f for f in map(drawn, range(100)) if any(not o.output.subscripts for o in f.operations))
    sizes = {"n": 3, "m": 4}
    given = {a: np.ones(function.shape(a, sizes), np.int32) for a in function.arguments}
    found = function.run(given, sizes)
    assert all(np.array_equal(given[a], np.ones_like(given[a])) for a in given)
    assert set(found) == set(function.shapes)
