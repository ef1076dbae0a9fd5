"""Attributes that hold coefficients; matching them; sizes that fit; compiled linalg."""

from __future__ import annotations

import dataclasses

import pytest

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Array, Load, Loop, Program, Store
from raising.grammar.crosscheck.crosscheck import RANGES, Executor, job_of
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.load import load
from raising.grammar.dialects.target_dialect import read_target
from raising.grammar.evaluate.extents import Accesses
from raising.grammar.probe.worker_pool import Died, guarded, spread
from raising.grammar.select.match import Matcher, reordered
from raising.grammar.terms.structured_op import Meaning, Production, coefficients, with_coefficients
from raising.grammar.terms.term import Apply, Input, TensorType
from raising.support.source import Loc

GRAMMAR = load("linalg")
OPS = {op.full_name: op for op in GRAMMAR.operations}


def _one(op: str, element: str = "f64") -> Production:
    return next(p for p in GRAMMAR.productions if p.op == op and set(p.elements) == {element})


CONVOLUTION = _one("linalg.conv_2d_nhwc_hwcf")


def _term(meaning: Meaning) -> Apply:
    """An application of a meaning to inputs of any sizes."""
    kinds = [TensorType("f64", tuple(Lin(9) for _ in m)) for m in meaning.maps]
    inputs = tuple(Input(kind, f"x{k}") for k, kind in enumerate(kinds[:-1]))
    return Apply(kinds[-1], meaning.body, meaning.maps, inputs)


def test_coefficients_are_told_apart_by_primes() -> None:
    held = {name: values for name, values, _ in CONVOLUTION.factors}
    assert set(held) == {"strides", "dilations"}
    flat = [v for values in held.values() for v in values]
    assert sorted(flat) == sorted(coefficients(CONVOLUTION.meaning.maps)) and len(set(flat)) == 4


def test_attributes_are_filled_in_from_the_coefficients_wanted() -> None:
    place = {c: k for k, c in enumerate(coefficients(CONVOLUTION.meaning.maps))}
    wanted = [0] * 4
    for name, values, _ in CONVOLUTION.factors:
        for axis, v in enumerate(values):
            wanted[place[v]] = {"strides": (2, 1), "dilations": (1, 3)}[name][axis]
    term = _term(Meaning(with_coefficients(CONVOLUTION.meaning.maps, wanted), CONVOLUTION.meaning.body))
    (said,) = [s for s in Matcher([CONVOLUTION]).said(term)]
    assert said.in_order
    assert dict(said.production.attrs) == {
        "strides": "dense<[2, 1]> : tensor<2xi64>",
        "dilations": "dense<[1, 3]> : tensor<2xi64>",
    }


def test_coefficients_that_no_attribute_holds_must_be_equal() -> None:
    line = _one("linalg.conv_1d")
    same, other = ((line.meaning.maps, c) for c in ([1, 1], [1, 2]))
    found = [Matcher([line]).said(_term(Meaning(with_coefficients(*x), line.meaning.body))) for x in (same, other)]
    assert [len(f) for f in found] == [1, 0]


def test_inputs_are_exchanged_where_that_finds_an_operation() -> None:
    product = _one("linalg.matvec")
    term = reordered(_term(product.meaning), (1, 0))
    (said,) = Matcher([product]).said(term)
    assert said.order == (1, 0) and reordered(term, said.order).maps == product.meaning.maps


def test_extents_fit_what_is_read_of_an_array() -> None:
    loc, i, k = Loc(), var("i"), var("k")
    body = (Load("a", "x", (i.scaled(2) + k,), loc), Store("s", "y", (i,), "a", loc))
    nest = (Loop("i", (Lin(0),), (var("N"),), 1, (Loop("k", (Lin(0),), (var("K"),), 1, body, loc),), loc),)
    arrays = {"x": Array("x", "f64", (var("M"),), "argument"), "y": Array("y", "f64", (var("N"),), "argument")}
    program = Program("f", arrays, {}, nest, frozenset({"y"}), ("K", "M", "N"))
    assert Accesses(program).reached({"N": 4, "K": 3, "M": 2}) == {"N": 4, "K": 3, "M": 9}
    assert Accesses(program).reached({"N": 4, "K": 3, "M": 20}) == {"N": 4, "K": 3, "M": 20}


# ---- compiled ------------------------------------------------------------------------------------


def _checked(pairs: list[tuple[Production, Production]]) -> list[str]:
    """Per pair, what is wrong when one production is executed and another one's meaning is expected."""

    def answers() -> list[str]:
        target = read_target("linalg")
        jobs = []
        for said, meant in pairs:
            job = job_of(said, OPS[said.op], target)
            jobs.append(dataclasses.replace(job, reading=job_of(meant, OPS[meant.op], target).reading))
        return Executor(Host(target)).check(jobs, RANGES)

    return guarded(answers)


def test_compiled_operations_compute_what_they_mean() -> None:
    names = ("conv_2d_nhwc_hwcf", "pooling_nchw_max", "conv_1d", "matmul", "quantized_matmul", "batch_mmt4d")
    some = [_one(f"linalg.{n}", e) for n in names for e in ("f64", "i32")]
    assert _checked([(p, p) for p in some]) == [""] * len(some)


def test_a_wrong_meaning_is_refused() -> None:
    largest, least = _one("linalg.pooling_nhwc_max"), _one("linalg.pooling_nhwc_min")
    (why,) = _checked([(largest, least)])
    assert "disagrees with the executor" in why


# ---- shared work ---------------------------------------------------------------------------------


def test_work_is_shared_and_comes_back_in_order() -> None:
    assert spread(list(range(40)), lambda n: n * n, 3) == [n * n for n in range(40)]


def test_an_error_in_shared_work_is_raised() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        spread([1, 0], lambda n: 1 // n, 2)


def test_a_worker_that_dies_is_reported() -> None:
    import os

    with pytest.raises(Died, match="ended early"):
        spread([1], lambda _: os.abort(), 1)
