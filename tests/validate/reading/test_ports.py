"""A few of the ports of `python -m tests.bench.ports`: right ones are proved for all sizes, wrong ones refuted."""

from __future__ import annotations

import pytest

from tests.bench.ports.compare import compared, pairs

PAIRS = [p for p in pairs() if p.name in ("gemm", "heat", "upwind", "halved", "distances", "triangle", "weighted")]


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("name", sorted({p.name for p in PAIRS}))
def test_a_port(name: str, right: bool) -> None:
    (pair,) = (p for p in PAIRS if p.name == name and p.right is right)
    answer, said = compared(pair)
    assert answer == ("proved-all-sizes" if right else "refuted"), said


def test_each_function_has_a_right_port_and_a_wrong_one() -> None:
    titles = [(p.port, p.name, p.right) for p in pairs()]
    assert len(titles) == len(set(titles)) >= 80
    assert {(f, n, not r) for f, n, r in titles} == {*titles}
