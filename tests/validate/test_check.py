"""The one interface: levels, options, and what an untrustworthy text does to it."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from raising.frontend.mlir.reader import InputError
from raising.validate.base.assumption import NO_OVERLAP
from raising.validate.base.verdict import Proved, Refuted, Tested, Unknown, level
from raising.validate.check import CheckOptions, check
from tests.validate.programs import GEMM_LINALG, GEMM_LOOPS
from tests.validate.reading.test_pair import at

SOURCE, TARGET = at(GEMM_LOOPS), at(GEMM_LINALG)


def test_loops_and_tensors_are_proved_equal_for_all_sizes() -> None:
    verdict = check(SOURCE, TARGET, CheckOptions(level="proved-all-sizes"))
    assert verdict == Proved((NO_OVERLAP,), floats="bit-exact")
    assert level(verdict) == "proved-all-sizes"


def test_a_difference_is_refuted_with_an_input() -> None:
    verdict = check(SOURCE, TARGET.replace("outs(%kept", "outs(%c"))
    assert isinstance(verdict, Refuted) and verdict.example is not None
    assert verdict.example.source != verdict.example.target
    assert verdict.example.output == "argument 2"


def test_a_write_outside_of_an_array_is_refuted() -> None:
    text = "func.func @f(%x: f64, %A: memref<?xf64>) {{\n{}\n return\n}}"
    inside = "%n = arith.constant 0 : index\n %s = memref.dim %A, %n : memref<?xf64>\n affine.for %i = 0 to %s {0}"
    source = text.format(inside.format("{ affine.store %x, %A[%i] : memref<?xf64> }"))
    target = text.format(
        inside.format("{ affine.store %x, %A[%i] : memref<?xf64>\n affine.store %x, %A[%i + 1] : memref<?xf64> }")
    )
    verdict = check(source, target)
    assert isinstance(verdict, Refuted) and "outside of an array" in verdict.counterexample


def test_a_text_that_is_no_module_is_the_users_error() -> None:
    with pytest.raises(InputError):
        check(SOURCE, "nonsense")


def test_a_size_that_does_not_exist_is_told() -> None:
    with pytest.raises(InputError, match="no open size 'n9'"):
        check(SOURCE, TARGET, CheckOptions(sizes={"n9": 4}))


def test_what_crashes_the_parser_is_unknown() -> None:
    deep = f"{'tuple<' * 100_000}i32{'>' * 100_000}"
    verdict = check(f"func.func @f(%x: {deep}) {{\nreturn\n}}", SOURCE)
    assert isinstance(verdict, Unknown) and "SIGSEGV" in verdict.reason


def test_what_would_crash_the_parser_is_refused_where_it_can_be_seen() -> None:
    deep = "".join(f"affine.for %i{k} = 0 to 2 {{\n" for k in range(6000)) + "}" * 6000
    with pytest.raises(InputError, match="nested deeper"):
        check(f"func.func @f() {{\n{deep}\nreturn\n}}", SOURCE)


def test_the_time_is_kept() -> None:
    verdict = check(SOURCE, TARGET, CheckOptions(timeout=0.01))
    assert isinstance(verdict, Unknown)


def test_constants_of_tensors_are_not_rounded_before_they_are_compared() -> None:
    head = "func.func @f(%A: memref<7xf64>) {{\n %a = arith.constant 1.0 : f64\n"
    head += " %b = arith.constant 49.0 : f64\n{}\n return\n}}"
    quotient = " %q = arith.divf %a, %b : f64\n %r = arith.mulf %q, %b : f64\n"
    loops = quotient + " affine.for %i = 0 to 7 { affine.store %r, %A[%i] : memref<7xf64> }"
    tensors = quotient + (
        " %t = bufferization.to_tensor %A restrict writable : memref<7xf64> to tensor<7xf64>\n"
        " %f = linalg.fill ins(%r : f64) outs(%t : tensor<7xf64>) -> tensor<7xf64>\n"
        " bufferization.materialize_in_destination %f in restrict writable %A : (tensor<7xf64>, memref<7xf64>) -> ()"
    )
    verdict = check(head.format(loops), head.format(tensors))
    assert isinstance(verdict, Proved)


def test_a_proof_takes_one_child(monkeypatch: pytest.MonkeyPatch) -> None:
    fork, here, children = os.fork, os.getpid(), []

    def counted() -> int:
        children.append(os.getpid())
        return fork()

    monkeypatch.setattr(os, "fork", counted)
    assert isinstance(check(SOURCE, TARGET, CheckOptions(level="proved-all-sizes")), Proved)
    assert children == [here]


def _raises() -> None:
    raise MemoryError


@pytest.mark.parametrize(("lost", "why"), [(os.abort, "crashed with signal SIGABRT"), (_raises, "out of memory")])
def test_a_proof_that_is_lost_leaves_the_ways_below_it(
    lost: Callable[[], None], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def proved(*_: object) -> None:
        lost()

    monkeypatch.setattr("raising.validate.check._proved", proved)
    for options in CheckOptions(level="proved-all-sizes"), CheckOptions(level="tested-field"):
        verdict = check(SOURCE, TARGET, options)
        reason = verdict.unproved if isinstance(verdict, Tested) else isinstance(verdict, Unknown) and verdict.reason
        assert reason == why or level(verdict) == "bounded"
    assert not isinstance(verdict, Unknown)
