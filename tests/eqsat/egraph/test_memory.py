"""Memory that is written between a computation and its use, and memory that tensors only go through."""

from __future__ import annotations

import numpy as np
import pytest

import raising
from raising.optimise.optimise_module import optimise_module

_T, _V = "tensor<16x16xf64>", "tensor<16xf64>"
_STORE = "memref.store %s, {}[%i, %i] : memref<16x16xf64>"
_IN_LOOP = "scf.for %k = %o to %two step %i {{\n    memref.store %s, {}[%k, %k] : memref<16x16xf64>\n  }}"


def product(between: str, before: str = "") -> str:
    """(A B) x, with something between the two products."""
    return f"""func.func private @other(memref<16x16xf64>)
func.func @f(%A: memref<16x16xf64>, %B: memref<16x16xf64>, %x: memref<16xf64>, %y: memref<16xf64>) {{
  %a = bufferization.to_tensor %A restrict : memref<16x16xf64> to {_T}
  %b = bufferization.to_tensor %B restrict : memref<16x16xf64> to {_T}
  %v = bufferization.to_tensor %x restrict : memref<16xf64> to {_V}
  %c = arith.constant 0.0 : f64
  %s = arith.constant 30.0 : f64
  %o = arith.constant 0 : index
  %i = arith.constant 1 : index
  %two = arith.constant 2 : index
  %e = tensor.empty() : {_T}
  %g = tensor.empty() : {_V}
  %z = linalg.fill ins(%c : f64) outs(%e : {_T}) -> {_T}
  %w = linalg.fill ins(%c : f64) outs(%g : {_V}) -> {_V}
  %own = memref.alloc() : memref<16x16xf64>
  {before}
  %p = linalg.matmul ins(%a, %b : {_T}, {_T}) outs(%z : {_T}) -> {_T}
  {between}
  %q = linalg.matvec ins(%p, %v : {_T}, {_V}) outs(%w : {_V}) -> {_V}
  bufferization.materialize_in_destination %q in restrict writable %y : ({_V}, memref<16xf64>) -> ()
  memref.dealloc %own : memref<16x16xf64>
  return
}}"""


def products(text: str) -> int:
    return optimise_module(text, fp="reassoc").text.count("linalg.matmul")


@pytest.mark.parametrize("store", [_STORE, _IN_LOOP])
def test_what_was_computed_is_not_computed_again_from_memory_that_changed(store: str):
    assert products(product(store.format("%A"))) == products(product(store.format("%B"))) == 1
    assert products(product("func.call @other(%own) : (memref<16x16xf64>) -> ()")) == 1
    assert products(product("")) == products(product(store.format("%own"))) == 0
    assert products(product("", store.format("%A"))) == 0


def test_a_product_is_that_of_the_matrices_as_they_were():
    rng = np.random.default_rng(1)
    a, b, x, y = rng.random((16, 16)), rng.random((16, 16)), rng.random(16), np.zeros(16)
    wanted = a @ b @ x
    text = optimise_module(product(_STORE.format("%A")), fp="reassoc").text
    raising.compile(text, cache=False)["f"](a, b, x, y)
    assert a[1, 1] == 30.0 and np.allclose(y, wanted)


def test_equality_with_memory_itself_copies_it_before_it_is_written():
    turned = "linalg.transpose ins(%{} : tensor<4x6xf64>) outs(%e : tensor<6x4xf64>) permutation = [1, 0]"
    back = "linalg.transpose ins(%t : tensor<6x4xf64>) outs(%g : tensor<4x6xf64>) permutation = [1, 0]"
    text = f"""func.func @f(%A: memref<4x6xf64>, %y: memref<4x6xf64>) {{
      %a = bufferization.to_tensor %A restrict : memref<4x6xf64> to tensor<4x6xf64>
      %e = tensor.empty() : tensor<6x4xf64>
      %g = tensor.empty() : tensor<4x6xf64>
      %t = {turned.format("a")}
      %u = {back}
      %i = arith.constant 1 : index
      %s = arith.constant 30.0 : f64
      memref.store %s, %A[%i, %i] : memref<4x6xf64>
      %w = linalg.mul ins(%u, %u : tensor<4x6xf64>, tensor<4x6xf64>) outs(%g : tensor<4x6xf64>) -> tensor<4x6xf64>
      bufferization.materialize_in_destination %w in restrict writable %y : (tensor<4x6xf64>, memref<4x6xf64>) -> ()
      return
    }}"""
    found = optimise_module(text).text
    assert "transpose" not in found and "raise." not in found
    assert found.index("alloc_tensor() copy(") < found.index("memref.store")
    a, y = np.arange(24.0).reshape(4, 6), np.zeros((4, 6))
    wanted = a * a
    raising.compile(found, cache=False)["f"](a, y)
    assert (y == wanted).all()


def test_an_e_graph_that_was_written_knows_it_too():
    text = optimise_module(product(_STORE.format("%A")), fp="reassoc", emit="equivalence").text
    found = optimise_module(text, fp="reassoc").text
    assert found.count("linalg.matmul") == 1 and "raise." not in found


_THROUGH = f"""bufferization.materialize_in_destination %p in restrict writable %own : ({_T}, memref<16x16xf64>) -> ()
  {{}}
  %r = bufferization.to_tensor %own restrict : memref<16x16xf64> to {_T}"""


@pytest.mark.parametrize(
    ("between", "left"),
    [("", 0), ("memref.store %s, %own[%i, %i] : memref<16x16xf64>", 1), (_STORE.format("%A"), 1), (
        f"bufferization.materialize_in_destination %z in writable %own : ({_T}, memref<16x16xf64>) -> ()", 1)],
)  # fmt: skip
def test_a_tensor_that_goes_through_memory_of_the_function_is_seen(between: str, left: int):
    text = product(_THROUGH.format(between)).replace("ins(%p, %v", "ins(%r, %v")
    assert products(text) == left


def test_a_view_does_not_go_through_memory():
    """The memory keeps what the view was."""
    text = (
        product(_THROUGH.format(_STORE.format("%A")))
        .replace("ins(%p, %v", "ins(%r, %v")
        .replace("nation %p", "nation %a")
    )
    found = optimise_module(text, fp="reassoc").text
    assert "memref.alloc()" in found
    rng = np.random.default_rng(1)
    a, b, x, y = rng.random((16, 16)), rng.random((16, 16)), rng.random(16), np.zeros(16)
    wanted = a @ x
    raising.compile(found, cache=False)["f"](a, b, x, y)
    assert np.allclose(y, wanted)


def two_views(between: str, second: str = "restrict") -> str:
    """A x + A y, where A is viewed twice, with something between the views."""
    return f"""func.func private @other(memref<16x16xf64>)
func.func @f(%A: memref<16x16xf64>, %B: memref<16x16xf64>, %x: {_V}, %y: {_V}) -> {_V}
    attributes {{raise.fp = "reassoc"}} {{
  %s = arith.constant 30.0 : f64
  %c = arith.constant 0.0 : f64
  %o = arith.constant 0 : index
  %i = arith.constant 1 : index
  %two = arith.constant 2 : index
  %g = tensor.empty() : {_V}
  %w = linalg.fill ins(%c : f64) outs(%g : {_V}) -> {_V}
  %own = memref.alloc() : memref<16x16xf64>
  %a = bufferization.to_tensor %A restrict : memref<16x16xf64> to {_T}
  %ax = linalg.matvec ins(%a, %x : {_T}, {_V}) outs(%w : {_V}) -> {_V}
  {between}
  %b = bufferization.to_tensor %A {second} : memref<16x16xf64> to {_T}
  %by = linalg.matvec ins(%b, %y : {_T}, {_V}) outs(%w : {_V}) -> {_V}
  %r = linalg.add ins(%ax, %by : {_V}, {_V}) outs(%g : {_V}) -> {_V}
  memref.dealloc %own : memref<16x16xf64>
  return %r : {_V}
}}"""


@pytest.mark.parametrize(
    ("between", "left"),
    [
        ("", 1),
        (_STORE.format("%own"), 1),
        (_STORE.format("%A"), 2),
        (_STORE.format("%B"), 2),  # which may be A: nothing says that it is another one
        (_IN_LOOP.format("%A"), 2),
        (_IN_LOOP.format("%own"), 1),
        ("func.call @other(%A) : (memref<16x16xf64>) -> ()", 2),
        ("%old = bufferization.to_tensor %B restrict : memref<16x16xf64> to " + _T, 1),
        (
            "%old = bufferization.to_tensor %B restrict : memref<16x16xf64> to " + _T + "\n" + _STORE.format("%B"),
            1,
        ),  # both restrict: no other name
    ],
)
def test_two_views_of_memory_that_nothing_writes_to_in_between_are_one_value(between: str, left: int):
    assert optimise_module(two_views(between)).text.count("linalg.matvec") == left


def test_views_that_promise_other_things_stay_apart():
    assert optimise_module(two_views("", "restrict writable")).text.count("linalg.matvec") == 2
