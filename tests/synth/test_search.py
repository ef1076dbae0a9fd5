"""The search finds what is there, forwards and backwards, and says which bound stopped it."""

import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from raising.grammar.evaluate.evaluator import Evaluator
from raising.grammar.evaluate.number import Num, apply
from raising.grammar.field import field as zp
from raising.grammar.terms.term import Apply, Term
from raising.synth.complete.backward import Backward, materialised
from raising.synth.complete.goal import Goal
from raising.synth.enumerate.forward import expand
from raising.synth.enumerate.limits import Statistics
from raising.synth.enumerate.store import Store
from raising.synth.search import NotRaised, Raised, first_wrong, meets, search
from raising.synth.search_options import EVERY, Options
from tests.kernels import kernel
from tests.synth.specs import SIZES, M, N, available, found, limits, matrix, operations, spec_of, store

ROOT = Path(__file__).parents[2]
A, B, C, X = matrix("a", M, N), matrix("b", M, N), matrix("c", M, N), matrix("x", N)


def _terms(made: Store, cost: int) -> list[Term]:
    return [t for b in made.buckets.values() for t, c in zip(b.terms, b.costs, strict=True) if c == cost]


# ---- forwards ------------------------------------------------------------------------------------


def test_one_step_forward_holds_each_value_once() -> None:
    made, values = store(A, X)
    stats = Statistics()
    expand(made, available("arith.addf", "arith.mulf"), 1, limits(), stats)
    terms = _terms(made, 1)
    assert stats.enumerated >= stats.evaluated >= len(terms) > 0
    assert stats.evaluated - stats.equivalence_filtered == len(terms)
    products = [t for t in terms if isinstance(t, Apply) and t.inputs == (A, X) and t.type.dims == (M,)]
    assert "arith.mulf arith.addf" in [operations(t)[0] for t in products]
    for sample, sizes in enumerate(SIZES):
        evaluate = Evaluator({n: v[sample] for n, v in values.items()}, sizes)
        results = [(t.type, evaluate(t).res.tobytes()) for t in terms]
        assert len(set(results)) == len(results)


def test_two_steps_forward_reach_a_scaled_sum() -> None:
    made, values = store(A, B, X)
    schemes = available("arith.addf")
    for cost in (1, 2):
        expand(made, schemes, cost, limits(), Statistics())
    for sample, sizes in enumerate(SIZES):
        wanted = apply("arith.addf", [apply("arith.addf", [values[n][sample] for n in "ab"]), values["x"][sample]])
        evaluate = Evaluator({n: v[sample] for n, v in values.items()}, sizes)
        same = [t for t in _terms(made, 2) if t.type == A.type and np.array_equal(evaluate(t).res, wanted.res)]
        assert len(same) == 1


def test_the_bound_on_candidates_stops_the_enumeration() -> None:
    made, _ = store(A, B, C, X)
    stats = Statistics()
    few = limits(Options(max_candidates=50))
    for cost in (1, 2, 3):
        expand(made, available("arith.addf", "arith.mulf"), cost, few, stats)
    assert few.exhausted(made, stats)
    assert stats.enumerated < 5_000


@pytest.mark.parametrize(("operation", "bounded"), [("arith.addf", False), ("arith.maximumf", True)])
def test_the_bound_on_elements_is_for_those_that_have_to_be_computed(operation: str, bounded: bool) -> None:
    made, _ = store(A, B, C, X)
    stats, few = Statistics(), limits(Options(max_computed=1_000))
    expand(made, available(operation), 1, few, stats)
    assert stats.work > 1_000
    assert few.exhausted(made, stats) == bounded == (stats.computed > 1_000)


# ---- backwards -----------------------------------------------------------------------------------


def _goal(values: list[Num], masks: list[np.ndarray] | None = None) -> Goal:
    given = masks or [np.ones(v.res.shape, dtype=bool) for v in values]
    return Goal(A.type, tuple(v.res for v in values), tuple(given))


def _solved(made: Store, values: dict[str, list[Num]], goal: Goal, ops: tuple[str, ...], depth: int) -> list[Term]:
    """The terms that backward search offers, of which all must meet the goal."""
    search = Backward(made, available(*ops), limits(), Statistics())
    terms = list(dict.fromkeys(materialised(r, A.type) for r in search.solve(goal, depth)))
    for term in terms:
        results = []
        for sample, sizes in enumerate(SIZES):
            results.append(Evaluator({n: v[sample] for n, v in values.items()}, sizes)(term).res)
        for result, wanted, mask in zip(results, goal.values, goal.masks, strict=True):
            assert np.all((np.broadcast_to(result, wanted.shape) == wanted) | ~mask)
    return terms


@pytest.mark.parametrize("op", ["arith.addf", "arith.subf", "arith.mulf", "arith.divf"])
def test_one_split_finds_either_operand(op: str) -> None:
    made, values = store(A, B, C)
    for first, second in (("a", "b"), ("b", "a")):
        wanted = [apply(op, [x, y]) for x, y in zip(values[first], values[second], strict=True)]
        terms = _solved(made, values, _goal(wanted), (op,), 1)
        assert terms and all(operations(t) == [op] for t in terms)
        assert not _solved(made, values, _goal(wanted), (op,), 0)


def test_two_splits_find_a_sum_of_three() -> None:
    made, values = store(A, B, C)
    wanted = []
    for k in range(len(SIZES)):
        wanted.append(apply("arith.addf", [apply("arith.mulf", [values["a"][k], values["b"][k]]), values["c"][k]]))
    ops = ("arith.addf", "arith.mulf")
    assert not _solved(made, values, _goal(wanted), ops, 1)
    terms = _solved(made, values, _goal(wanted), ops, 2)
    assert ["arith.addf", "arith.mulf"] in [operations(t) for t in terms]


def test_an_operand_may_lack_dimensions() -> None:
    made, values = store(A, X)
    wanted = [apply("arith.divf", [a, x]) for a, x in zip(values["a"], values["x"], strict=True)]
    assert _solved(made, values, _goal(wanted), ("arith.divf",), 1)


def test_outside_of_the_mask_anything_will_do() -> None:
    made, values = store(A, B)
    wanted = [apply("arith.addf", [a, b]) for a, b in zip(values["a"], values["b"], strict=True)]
    masks = [np.ones(v.res.shape, dtype=bool) for v in wanted]
    for value, mask in zip(wanted, masks, strict=True):
        value.res[0, 0], mask[0, 0] = 12345, False
    assert _solved(made, values, _goal(wanted, masks), ("arith.addf",), 1)
    assert not _solved(made, values, _goal(wanted), ("arith.addf",), 2)


def test_a_selection_splits_by_a_stored_truth() -> None:
    truth = matrix("t", M, N, element="i1")
    made, values = store(A, B, truth)
    columns = zip(values["t"], values["a"], values["b"], strict=True)
    wanted = [apply("arith.select", list(three)) for three in columns]
    assert all(0 < v.res.sum() < v.res.size for v in values["t"])
    terms = _solved(made, values, _goal(wanted), ("arith.select",), 1)
    assert terms and all("arith.select" in operations(t) for t in terms)


def test_what_is_not_there_is_not_found() -> None:
    made, values = store(A, B)
    rng = np.random.default_rng(9)
    noise = [Num(rng.integers(0, zp.P, v.res.shape, dtype=np.uint64), v.flt) for v in values["a"]]
    assert not _solved(made, values, _goal(noise), ("arith.addf", "arith.mulf", "arith.divf"), 2)


# ---- whole searches ------------------------------------------------------------------------------


@pytest.mark.parametrize("guides", [EVERY, *(EVERY - {name} for name in sorted(EVERY)), frozenset()])
def test_a_contraction_is_one_operation(guides: frozenset[str]) -> None:
    text = kernel("3mm")
    result = found(spec_of(text, 1), guides=guides)
    assert isinstance(result, Raised)
    assert operations(result.term) == ["arith.mulf arith.addf"]
    assert result.stats.seconds > 0 and result.cost.operations <= 2


def test_the_check_has_the_last_word() -> None:
    from tests.synth.specs import every

    spec, seen = spec_of(kernel("atax"), 1), []

    def check(term: Term) -> bool:
        seen.append(term)
        return False

    result = search(spec, every(), check, lambda _: 0, Options(timeout=5, max_forward=1))
    assert isinstance(result, NotRaised)
    assert seen and all(meets(t, spec, spec.samples) for t in seen)
    assert len({t.digest for t in seen}) == len(seen)  # what was rejected is not offered again


def test_the_first_sample_that_shows_a_term_to_be_wrong_is_found() -> None:
    spec = spec_of(kernel("atax"), 1)
    result = found(spec)
    assert isinstance(result, Raised) and first_wrong(result.term, spec, spec.samples * 9) is None
    sample = spec.samples[0]
    value = sample.outputs[spec.output]
    wrong = replace(sample, outputs={spec.output: Num(value.res + np.uint64(1), value.flt)})
    for place in (0, 1, 5, 6, 19):
        assert first_wrong(result.term, spec, [sample] * place + [wrong] + [sample] * 3) is wrong


ORBIT = (ROOT / "tests" / "inputs" / "sequential" / "recurrence.mlir").read_text()


def test_the_bound_that_stopped_a_search_is_named() -> None:
    few = found(spec_of(ORBIT), max_forward=1, max_backward=1)
    assert isinstance(few, NotRaised)
    assert re.search(r"no program of up to 1 operations? forward.* 1 backward", few.reason), few.reason
    many = found(spec_of(ORBIT), max_forward=9)
    assert isinstance(many, NotRaised)
    assert "the bound on candidates was reached" in many.reason
    assert str(many.stats.enumerated) in many.reason


def test_a_timeout_is_kept_and_named() -> None:
    started = time.monotonic()
    late = found(spec_of(ORBIT), timeout=0.02, max_forward=9)
    assert time.monotonic() - started < 30
    assert isinstance(late, NotRaised)
    assert "the time limit was reached" in late.reason


SCRIPT = """
import sys
from raising.pipeline import RaiseOptions, raise_module
from tests.kernels import kernel
for name in ("gemver", "syrk", "doitgen"):
    result = raise_module(kernel(name), options=RaiseOptions(check="field", threads=int(sys.argv[1])))
    print(result.text, *result.remarks, *(p.stats.enumerated for f in result.functions for p in f.parts), sep="\\n")
"""


def test_neither_the_order_of_hashes_nor_the_number_of_processes_changes_what_is_found() -> None:
    texts = []
    for seed, threads in (("1", "1"), ("2", "2"), ("3", "3")):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT, threads],
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        texts.append(run.stdout)
    assert texts[0] == texts[1] == texts[2]
    assert texts[0].count("func.func @kernel_") == 3
