"""The grammar of StableHLO: complete enough, typed as the dialect types it, and true by its own interpreter."""

from __future__ import annotations

from collections import Counter

import pytest

from raising.grammar.crosscheck.crosscheck import Executor, Job
from raising.grammar.dialects import bindings
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.load import load, parse
from raising.grammar.dialects.target_dialect import read_target
from raising.grammar.measure.tracer import Trace
from raising.grammar.measure.verifier import Verifier, instance, reading_of
from raising.grammar.probe.worker_pool import guarded
from raising.grammar.regenerate import definitions
from raising.grammar.terms.scalar_ops import combiners
from raising.grammar.terms.structured_op import Body, Instr, Production

GRAMMAR = load("stablehlo")
OPS = {op.full_name: op for op in GRAMMAR.operations}
SAID = Counter(p.op.split(".")[1] for p in GRAMMAR.productions)
FLOOR = 55
WANTED = (
    *("dot_general", "reduce", "broadcast_in_dim", "transpose", "reshape", "select", "compare", "iota", "slice"),
    *("pad", "concatenate", "reverse", "constant", "convert", "add", "subtract", "multiply", "divide", "negate"),
    *("maximum", "minimum", "abs", "exponential", "log", "sqrt", "rsqrt", "tanh", "power", "sine", "cosine", "floor"),
)


def test_enough_operations_have_meaning() -> None:
    assert len(SAID) >= FLOOR
    assert not [name for name in WANTED if not SAID[name]]


def test_each_operation_has_productions_or_a_reason() -> None:
    excluded = {e.operation.split(".")[1] for e in GRAMMAR.excluded}
    assert excluded | set(SAID) == {op.name for op in GRAMMAR.operations}
    assert not excluded & set(SAID)
    assert not [e for e in GRAMMAR.excluded if "disagrees" in e.why and "shape" not in e.why]


def _family(name: str) -> Production:
    return next(p for p in GRAMMAR.productions if p.family == name)


@pytest.mark.parametrize(
    ("family", "roles"),
    [
        ("window", {"start", "limit", "stride"}),
        ("insert", {"start", "gap", "rest"}),
        ("concat", {"axis"}),
        ("index", {"axis"}),
        ("reverse", {"axes"}),
        ("fill", {"value"}),
        ("reshape", set()),
    ],
)
def test_families_know_what_their_attributes_hold(family: str, roles: set[str]) -> None:
    assert {role for _, role, _ in _family(family).roles} == roles


def test_a_matrix_product_says_so() -> None:
    product = Body(3, (Instr("arith.mulf", (0, 1)), Instr("arith.addf", (2, 3))), 4)
    maps = ((0, 2), (2, 1), (0, 1))
    found = [p for p in GRAMMAR.productions if p.meaning.maps == maps and p.meaning.body == product]
    assert [p.operands for p in found] == [("0", "1")]


def test_reductions_take_every_combiner_and_say_which_operand_starts_them() -> None:
    found = [p for p in GRAMMAR.productions if p.region and p.meaning.reduced]
    used = {i.op for p in found for i in p.meaning.body.instrs}
    assert {"arith.addf", "arith.mulf", "arith.maximumf", "arith.minimumf"} <= used <= combiners()
    assert all(p.operands == ("0", "init") for p in found)


def test_regenerating_gives_the_committed_productions() -> None:
    from raising.grammar.regenerate import regenerate

    names = ("add", "compare", "slice", "pad", "transpose", "iota", "constant", "concatenate", "maximum")
    only = frozenset(f"stablehlo.{n}" for n in names)
    again = parse("stablehlo", regenerate("stablehlo", only)["stablehlo.json"])
    assert again.productions == tuple(p for p in GRAMMAR.productions if p.op in only)


def test_signatures_are_the_committed_ones() -> None:
    assert set(definitions(read_target("stablehlo"))) == set(GRAMMAR.operations)


def test_bindings_without_operations_are_an_error() -> None:
    for module in ("json", "no.such.module"):
        with pytest.raises(bindings.NoBindings, match=module):
            bindings.read(module)


# ---- productions against the real dialect --------------------------------------------------------

SIZES = (4, 2, 3, 5)
FIXED = [p for p in GRAMMAR.productions if not p.family]
SAMPLE = [p for k, p in enumerate(FIXED) if k % 7 == 0 or p.region]


def test_the_dialect_accepts_every_production() -> None:
    def refused() -> list[str]:
        verifier = Verifier(Host(read_target("stablehlo")), 4)
        return [repr(p) for p in FIXED if verifier.result(instance(p, OPS[p.op], SIZES)) is None]

    assert guarded(refused) == []


def test_the_interpreter_computes_what_productions_mean() -> None:
    def wrong() -> list[str]:
        executor = Executor(Host(read_target("stablehlo")))
        return [text for p in SAMPLE if (text := _check(executor, p, p))]

    assert guarded(wrong) == []


def test_a_wrong_meaning_is_refused() -> None:
    add, subtract = (
        next(p for p in FIXED if p.op == f"stablehlo.{n}" and p.meaning.maps[0]) for n in ("add", "subtract")
    )

    def outcome() -> str:
        return _check(Executor(Host(read_target("stablehlo"))), add, subtract)

    assert "disagrees with the executor" in guarded(outcome)


def _check(executor: Executor, said: Production, meant: Production) -> str:
    job = Job(instance(said, OPS[said.op], SIZES), reading_of(meant), Trace(None, (), ()))  # type: ignore[arg-type]
    (why,) = executor.check([job], ((0.25, 0.9), (-2.0, 2.0)))
    return f"{said.op} {said.attrs}: {why}" if why else ""
