"""The committed grammars: they load, hold what they should, and say what the dialect says."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter

import pytest

from raising.grammar.dialects.committed import known
from raising.grammar.dialects.load import UnknownTarget, load, load_scalars
from raising.grammar.dialects.target_dialect import read_target, targets
from raising.grammar.terms.scalar_ops import combiners
from raising.grammar.terms.structured_op import Body, Instr

GRAMMAR = load("linalg")
BY_OP = Counter(p.op for p in GRAMMAR.productions)
OPERATIONS = {op.full_name: op for op in GRAMMAR.operations}

FLOORS = {
    "linalg.generic": 180,
    "linalg.map": 400,
    "linalg.reduce": 150,
    "linalg.elementwise": 30,
    "linalg.transpose": 30,
    "linalg.broadcast": 30,
    "linalg.matmul": 9,
    "linalg.batch_matmul": 3,
    "linalg.select": 8,
    "linalg.add": 8,
    "linalg.fill": 8,
    **dict.fromkeys(("linalg.conv_1d", "linalg.conv_2d_nhwc_hwcf", "linalg.conv_3d_ndhwc_dhwcf_q"), 2),
    **dict.fromkeys(("linalg.pooling_nhwc_max", "linalg.pooling_ndhwc_sum", "linalg.batch_mmt4d"), 2),
    "linalg.copy": 8,
    **dict.fromkeys(("linalg.matvec", "linalg.vecmat", "linalg.dot", "linalg.contract"), 3),
    **dict.fromkeys(("linalg.batch_matvec", "linalg.batch_vecmat", "linalg.exp", "linalg.sqrt"), 3),
}


def test_an_unknown_target_names_those_there_are() -> None:
    for function in (load, read_target):
        with pytest.raises(UnknownTarget, match="linalg"):
            function("matlab")


def test_every_configured_target_is_committed() -> None:
    assert set(targets()) == set(known())


def test_each_operation_has_productions_or_a_reason() -> None:
    excluded = {e.operation for e in GRAMMAR.excluded}
    assert excluded | set(BY_OP) == set(OPERATIONS)
    assert not excluded & set(BY_OP)
    assert all(e.why for e in GRAMMAR.excluded)


@pytest.mark.parametrize("op", FLOORS)
def test_floor_counts(op: str) -> None:
    assert BY_OP[op] >= FLOORS[op]


def test_productions_are_distinct_and_typed() -> None:
    assert len(set(GRAMMAR.productions)) == len(GRAMMAR.productions)
    for p in GRAMMAR.productions:
        assert len(p.elements) == len(p.meaning.maps) == p.meaning.body.arity
        assert set(p.elements) <= {"f64", "i32", "i1"}
        assert all(len(set(m)) == len(m) for m in p.meaning.maps)


def test_zero_rank_is_said_exactly_where_an_input_can_have_no_dimension() -> None:
    for p in GRAMMAR.productions:
        if not p.free_maps:
            assert bool(p.zero_rank) == (() in p.meaning.maps[:-1])


def test_free_maps_are_not_spelled_out() -> None:
    free = {p.op for p in GRAMMAR.productions if p.free_maps}
    assert free == {"linalg.generic", "linalg.contract", "linalg.elementwise"}
    for p in GRAMMAR.productions:
        if p.free_maps:
            assert not {"indexing_maps", "iterator_types"} & dict(p.attrs).keys()


def test_some_known_meanings() -> None:
    found = {(p.op, p.attrs, p.meaning.maps): p for p in GRAMMAR.productions if p.elements[0] == "f64"}
    product = Body(3, (Instr("arith.mulf", (0, 1)), Instr("arith.addf", (2, 3))), 4)
    assert found["linalg.matmul", (), ((0, 2), (2, 1), (0, 1))].meaning.body == product
    assert found["linalg.matvec", (), ((0, 1), (1,), (0,))].meaning.body == product
    swap = (("permutation", "array<i64: 1, 0>"),)
    assert found["linalg.transpose", swap, ((1, 0), (0, 1))].meaning.body == Body(2, (), 0)
    assert found["linalg.fill", (), ((), (0, 1))].zero_rank == "scalar"


def test_truth_values_are_only_combined_by_logic() -> None:
    used = {i.op for p in GRAMMAR.productions if set(p.elements) == {"i1"} for i in p.meaning.body.instrs}
    assert used <= {"arith.andi", "arith.ori", "arith.xori", "arith.select"}


def test_reductions_use_combiners_and_reduce() -> None:
    ours = [p for p in GRAMMAR.productions if p.op in ("linalg.generic", "linalg.reduce", "linalg.map")]
    for p in ours:
        assert p.meaning.body.reads_output == bool(p.meaning.reduced)
        if p.meaning.body.reads_output:
            assert p.meaning.body.instrs[-1].op in combiners()


def test_scalar_signatures() -> None:
    scalars, excluded = load_scalars()
    rules = {name: s.rule for name, s in scalars.items()}
    assert rules["arith.addf"] == rules["math.exp"] == "same-as-operand-0"
    assert rules["arith.select"] == "same-as-operand-1"
    assert rules["arith.cmpf"] == rules["arith.cmpi"] == "i1"
    assert rules["arith.sitofp"] == rules["arith.extsi"] == "cast"
    assert len(scalars) >= 80
    predicate = next(a for a in scalars["arith.cmpf"].op.attrs if a.name == "predicate")
    assert dict(zip(predicate.cases, predicate.values, strict=True))["oeq"] == "1 : i64"
    assert "arith.constant" in {e.operation for e in excluded}


def test_records_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        GRAMMAR.target = "x"  # type: ignore[misc]


def test_entries_stand_one_to_a_line() -> None:
    from importlib import resources

    text = (resources.files("raising.grammar") / "data" / "linalg.json").read_text()
    lines = [line.rstrip(",") for line in text.splitlines() if line.startswith('{"op":')]
    assert sum(len(json.loads(line)["says"]) for line in lines) == len(GRAMMAR.productions)
