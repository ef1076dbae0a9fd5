"""The same input gives the same bytes, whatever else the machine does and however strings are hashed."""

import pytest

from tests.bench.loaded import Case, busy, one_processor, raised

CASES = (Case("trisolv", "mlir", "linalg"), Case("atax", "c", "stablehlo"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_busy_machine_changes_nothing(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    first = raised(case)
    monkeypatch.setenv("PYTHONHASHSEED", "2")
    with one_processor(), busy(2):  # a third of one processor, on a machine of any number of them
        assert raised(case) == first
    assert b"proved for all sizes" in first[1]
