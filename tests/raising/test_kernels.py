"""The kernels are raised whole, to the algebra they are known to have, and compute the same."""

from functools import cache

import pytest

from raising.pipeline import RaiseResult
from raising.validate.base.verdict import FieldEvidence, FloatEvidence, Proved, evidence
from raising.validate.native.native import compare_native
from raising.verify.verify import MAX_WORK
from tests.kernels import ISSUE_KERNELS, kernel
from tests.kernels.sources import SOURCES
from tests.raising.algebra import kinds, loops, signatures
from tests.raising.running import kept, medium, raised, wrong
from tests.validate.stock_lowering import lower_to_llvm
from tests.variants import Variant

# Contractions by their number of loops; beside them any number of pointwise operations, unless told.
ALGEBRA: dict[str, dict[str, int]] = {
    "2mm": {"contraction 3": 2},
    "3mm": {"contraction 3": 3, "pointwise": 0},
    "atax": {"contraction 2": 2, "pointwise": 0},
    "bicg": {"contraction 2": 2, "pointwise": 0},
    "covariance": {"contraction 3": 1, "reduction": 1},
    "doitgen": {"contraction 4": 1, "pointwise": 0},
    "gemm": {"contraction 3": 1},
    "gemver": {"contraction 2": 2, "outer product": 2},
    "gesummv": {"contraction 2": 2},
    "mvt": {"contraction 2": 2, "pointwise": 0},
    "syrk": {"contraction 3": 1, "selection": 1},
}
AT_FULL_SIZE = ("atax", "gemm", "gemver")


@cache
def _large(name: str) -> RaiseResult:
    return raised(kernel(name), check="proof")


def _medium(name: str) -> Variant:
    return Variant("original", name, SOURCES[name].tree(), medium(name))


def test_the_algebra_of_each_kernel_is_listed() -> None:
    assert set(ALGEBRA) == set(ISSUE_KERNELS)


@pytest.mark.parametrize("name", ISSUE_KERNELS)
def test_no_loop_is_left(name: str) -> None:
    result = _large(name)
    assert kept(result) == []
    assert loops(result.text) == []
    assert result.complete


@pytest.mark.parametrize("name", ISSUE_KERNELS)
def test_the_algebra_is_the_known_one(name: str) -> None:
    found = kinds(_large(name).text)
    pointwise = ALGEBRA[name].get("pointwise", found.get("pointwise", 0))
    wanted = {**ALGEBRA[name], "pointwise": pointwise}
    assert {k: n for k, n in found.items() if n} == {k: n for k, n in wanted.items() if n}


@pytest.mark.parametrize("name", ISSUE_KERNELS)
def test_the_signature_and_the_sizes_are_the_original_ones(name: str) -> None:
    assert signatures(_large(name).text) == signatures(kernel(name))


@pytest.mark.parametrize("name", ISSUE_KERNELS)
def test_it_is_proved_for_all_sizes_and_what_was_tested_is_told(name: str) -> None:
    (report,) = _large(name).functions
    assert report.name == f"kernel_{name}" and report.kept == 0 and report.raised > 0
    assert isinstance(report.verdict, Proved) and report.verdict.sizes is None, report.verdict
    found = evidence(report.verdict)
    assert found is not None
    field = found.field
    assert isinstance(field, FieldEvidence)
    assert field.points > 0 and len(field.size_vectors) >= 2 and field.error_bound < 1e-15
    assert all(part.found is not None and part.where.line > 0 for part in report.parts)
    assert sum(part.stats.enumerated + part.stats.goals for part in report.parts) > 0


@pytest.mark.parametrize("name", ISSUE_KERNELS)
def test_it_computes_what_the_oracle_says(name: str) -> None:
    variant = _medium(name)
    result = raised(variant.text)
    assert loops(result.text) == []
    assert not wrong(variant, result.text)


@pytest.mark.parametrize("name", ISSUE_KERNELS)
def test_f32_stays_f32(name: str) -> None:
    text = raised(kernel(name, dtype="f32")).text
    assert loops(text) == [] and "f64" not in text


@pytest.mark.parametrize("name", ISSUE_KERNELS)
def test_mlir_opt_lowers_it_to_llvm(name: str) -> None:
    lowered = lower_to_llvm(_large(name).text)
    assert f"llvm.func @kernel_{name}" in lowered
    assert "linalg." not in lowered and "tensor<" not in lowered and "unrealized" not in lowered


@pytest.mark.parametrize("name", AT_FULL_SIZE)
def test_it_agrees_with_the_loops_at_full_size(name: str) -> None:
    """As the commands compare: the rounding of so many operations as gemm has is not followed at full size."""
    evidence = compare_native(kernel(name), _large(name).text, f"kernel_{name}", timeout=120, max_work=MAX_WORK)
    assert isinstance(evidence, FloatEvidence), evidence


def test_the_rounding_of_a_contraction_is_followed() -> None:
    text = _medium("gemm").text
    evidence = compare_native(text, raised(text).text, "kernel_gemm", timeout=120)
    assert isinstance(evidence, FloatEvidence), evidence


def test_a_wrong_result_would_be_seen() -> None:
    variant = _medium("gemm")
    text = raised(variant.text).text
    assert not wrong(variant, text)
    assert wrong(variant, text.replace("linalg.mul ", "linalg.add ", 1))
