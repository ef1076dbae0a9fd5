"""The grammar of TOSA: read from its definitions, bound constants and all, and true when compiled."""

from __future__ import annotations

from collections import Counter

import pytest

from raising.grammar.crosscheck.crosscheck import Executor, Job
from raising.grammar.dialects import tablegen
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.load import load, parse
from raising.grammar.dialects.target_dialect import read_target
from raising.grammar.measure.tracer import Trace
from raising.grammar.measure.verifier import Verifier, instance, reading_of
from raising.grammar.probe.worker_pool import guarded

GRAMMAR = load("tosa")
OPS = {op.full_name: op for op in GRAMMAR.operations}
SAID = Counter(p.op.split(".")[1] for p in GRAMMAR.productions)
FIXED = [p for p in GRAMMAR.productions if not p.family]
SIZES = (4, 2, 3, 5)
WANTED = (
    *("matmul", "add", "sub", "mul", "maximum", "minimum", "exp", "log", "tanh", "rsqrt", "reciprocal", "select"),
    *("greater", "equal", "reduce_sum", "reduce_max", "transpose", "reshape", "tile", "slice", "pad", "concat"),
    *("const", "cast", "negate", "abs", "reverse"),
)


def _definitions() -> str:
    try:
        return str(tablegen.include_folder())
    except tablegen.NoDefinitions as why:
        return f"no: {why}"


needs_definitions = pytest.mark.skipif(_definitions().startswith("no: "), reason=_definitions())


def test_enough_operations_have_meaning() -> None:
    assert len(SAID) >= 45
    assert not [name for name in WANTED if not SAID[name]]
    assert not [e for e in GRAMMAR.excluded if "disagrees" in e.why]


def test_operands_that_must_be_constant_are_bound() -> None:
    product = next(p for p in FIXED if p.meaning.maps == ((0, 2), (2, 1), (0, 1)) and p.elements[0] == "f32")
    assert product.operands[:2] == ("0", "1") and len(product.operands) == 4
    assert all(o.startswith('"') and "dense<0.0> : tensor<1xf32>" in o for o in product.operands[2:])
    assert product.units == ((0,), (0,), (0,))  # the batch


def test_operands_hold_what_attributes_hold_elsewhere() -> None:
    roles = {p.op.split(".")[1]: [(a, r) for a, r, _ in p.roles] for p in GRAMMAR.productions if p.family}
    assert roles["slice"] == [("#1", "start"), ("#2", "extent")]
    assert roles["pad"] == [("#1", "edges")]
    assert roles["tile"] == [("#1", "times")]
    assert roles["reshape"] == [("#1", "extent")]


def test_reductions_keep_a_dimension_of_extent_one() -> None:
    sums = [p for p in FIXED if p.op == "tosa.reduce_sum" and p.elements[0] == "f32"]
    assert {(p.meaning.maps, p.units) for p in sums} >= {(((0, 1), (0,)), ((), (1,))), (((1, 0), (0,)), ((), (0,)))}


def test_the_dialect_accepts_every_production() -> None:
    def refused() -> list[str]:
        verifier = Verifier(Host(read_target("tosa")), 4)
        return [repr(p) for p in FIXED if verifier.result(instance(p, OPS[p.op], SIZES)) is None]

    assert guarded(refused) == []


def test_compiled_productions_compute_what_they_mean() -> None:
    def wrong() -> list[str]:
        none = Trace(None, (), ())  # type: ignore[arg-type]
        jobs = [Job(instance(p, OPS[p.op], SIZES), reading_of(p), none) for p in FIXED[::37]]
        return [why for why in Executor(Host(read_target("tosa"))).check(jobs, ((-2.0, 2.0),)) if why]

    assert guarded(wrong) == []


@needs_definitions
def test_regenerating_gives_the_committed_productions() -> None:
    from raising.grammar.regenerate import regenerate

    only = frozenset(f"tosa.{n}" for n in ("exp", "reduce_sum", "const", "reshape", "add"))
    again = parse("tosa", regenerate("tosa", only)["tosa.json"])
    assert again.productions == tuple(p for p in GRAMMAR.productions if p.op in only)
