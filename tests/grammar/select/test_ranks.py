"""Productions at ranks that nobody has probed."""

from dataclasses import replace

import pytest

from raising.grammar.dialects.load import load
from raising.grammar.select.rank_generalisation import beyond, rank
from raising.grammar.terms.structured_op import COPY, Body, Instr, Map, Meaning, Production

MANY = (0, 1, 2, 3, 4, 5)
SUM = Body(2, (Instr("arith.addf", (1, 0)),), 2)


def _productions(target: str, op: str) -> list[Production]:
    return [p for p in load(target).productions if p.op == op and p.elements[-1] == "f64"]


@pytest.mark.parametrize(
    ("target", "op", "source", "out", "attribute"),
    [
        ("stablehlo", "transpose", (0, 2, 4, 1, 3, 5), MANY, "array<i64: 0, 3, 1, 4, 2, 5>"),
        ("stablehlo", "broadcast_in_dim", (1, 4), MANY, "array<i64: 1, 4>"),
        ("stablehlo", "broadcast_in_dim", (), MANY, "array<i64>"),
        ("stablehlo", "reduce", MANY, (0, 2, 3), "array<i64: 1, 4, 5>"),
        ("linalg", "transpose", (0, 2, 4, 1, 3, 5), MANY, "array<i64: 0, 3, 1, 4, 2, 5>"),
        ("linalg", "broadcast", (1, 4), MANY, "array<i64: 0, 2, 3, 5>"),
    ],
)
def test_what_an_attribute_lists_is_written_from_the_maps(
    target: str, op: str, source: Map, out: Map, attribute: str
) -> None:
    known = [p for p in _productions(target, f"{target}.{op}") if p.meaning.body.ordered(frozenset()) in (COPY, SUM)]
    body = SUM if op == "reduce" else COPY
    found = list(beyond([p for p in known if p.meaning.body == body], Meaning((source, out), body)))
    assert found and {dict(p.attrs).popitem()[1] for p in found} == {attribute}
    assert all(rank(p.meaning) == 6 for p in found)


def test_elementwise_operations_have_any_rank() -> None:
    known = _productions("stablehlo", "stablehlo.add")
    (found,) = beyond(known, Meaning((MANY,) * 3, known[0].meaning.body))
    assert found.attrs == () and found.meaning.maps == (MANY,) * 3


@pytest.mark.parametrize(
    ("op", "source", "out"),
    [
        ("transpose", (0, 1, 2, 3), MANY),  # a broadcast is no transposition
        ("transpose", MANY, (0, 1, 2)),
        ("broadcast_in_dim", (0, 0, 1), MANY),  # a diagonal
        ("transpose", (1, 0), (0, 1)),  # of a rank that was probed
        ("add", (0, 1), MANY),
    ],
)
def test_what_an_operation_does_not_mean_is_not_made_up(op: str, source: Map, out: Map) -> None:
    known = _productions("stablehlo", f"stablehlo.{op}")
    assert not list(
        beyond(known, Meaning((source,) * (len(known[0].meaning.maps) - 1) + (out,), known[0].meaning.body))
    )


def test_an_attribute_that_is_no_fact_of_the_maps_says_nothing() -> None:
    known = _productions("stablehlo", "stablehlo.transpose")
    wrong = [replace(p, attrs=(("permutation", "array<i64: 7>"),)) for p in known]
    assert not list(beyond(wrong, Meaning((MANY[::-1], MANY), COPY)))
