"""Tensors whose extents are open: what operations take for equal, parts that are returned, shapes as tensors."""

from __future__ import annotations

import pytest

from raising.validate.base.verdict import Proved, Refuted, describe
from raising.validate.check import check

_T, _V = "tensor<?x?xf64>", "tensor<4x3xf64>"


def added(first: str, second: str, operation: str = "add") -> str:
    """A sum of two matrices of open sizes; the first one says how large it is."""
    return f"""func.func @f(%A: {_T}, %B: {_T}) -> {_T} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim {first}, %c0 : {_T}
  %d1 = tensor.dim {first}, %c1 : {_T}
  %e = tensor.empty(%d0, %d1) : {_T}
  %r = linalg.{operation} ins({first}, {second} : {_T}, {_T}) outs(%e : {_T}) -> {_T}
  return %r : {_T}
}}"""


def test_sizes_that_the_source_has_no_meaning_for_refute_nothing():
    found = check(added("%A", "%B"), added("%B", "%A"))
    assert isinstance(found, Proved) and "a0_0 = a1_0 (source" in describe(found)


def test_what_differs_at_sizes_that_fit_is_refuted():
    assert isinstance(check(added("%A", "%B"), added("%B", "%A", "sub")), Refuted)
    assert isinstance(check(added("%A", "%B"), added("%A", "%A")), Refuted)


def test_a_target_that_needs_more_than_the_source_is_refuted():
    """The source reads its first argument alone, which may be longer than the second one."""
    assert isinstance(check(added("%A", "%A"), added("%A", "%B").replace("linalg.add", "linalg.max")), Refuted)
    beyond = added("%A", "%A").replace("tensor.dim %A", "tensor.dim %B")
    assert not isinstance(check(added("%A", "%A"), beyond), Proved)


def stablehlo(operation: str) -> str:
    return f"func.func @f(%A: {_T}, %B: {_T}) -> {_T} {{\n  %r = stablehlo.{operation} : {_T}\n  return %r : {_T}\n}}"


def test_stablehlo_of_open_sizes_is_read():
    assert isinstance(check(stablehlo("add %A, %B"), stablehlo("add %B, %A")), Proved)
    assert isinstance(check(stablehlo("add %A, %B"), stablehlo("subtract %B, %A")), Refuted)


def part(first: int) -> str:
    """Rows of one matrix above another."""
    return f"""func.func @f(%A: {_V}, %B: {_V}) -> {_V} {{
  %j = tensor.concat dim(0) %A, %B : ({_V}, {_V}) -> tensor<8x3xf64>
  %r = tensor.extract_slice %j[{first}, 0] [4, 3] [1, 1] : tensor<8x3xf64> to {_V}
  return %r : {_V}
}}"""


@pytest.mark.parametrize(("first", "equal"), [(0, "%A"), (4, "%B"), (2, "")])
def test_a_part_of_what_was_joined_may_be_the_result(first: int, equal: str):
    for one in ("%A", "%B"):
        whole = f"func.func @f(%A: {_V}, %B: {_V}) -> {_V} {{\n  return {one} : {_V}\n}}"
        assert isinstance(check(part(first), whole), Proved if one == equal else Refuted)
