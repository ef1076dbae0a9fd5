"""Functions that a call in their module gives one memory twice: what is taken for apart from the other is not."""

import pytest

from raising.pipeline import raise_module

SHIFT = """
func.func private @g(%n: index, %a: memref<?xf64>, %b: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %v = affine.load %a[%i - 1] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    affine.store %w, %b[%i] : memref<?xf64>
  }
  return
}
"""
G = "(index, memref<?xf64>, memref<?xf64>) -> ()"
TWICE = f"""
func.func @f(%n: index, %a: memref<?xf64>) {{
  call @g(%n, %a, %a) : {G}
  return
}}"""
BY_WAY = f"""
func.func private @h(%n: index, %a: memref<?xf64>, %b: memref<?xf64>) {{
  call @g(%n, %b, %a) : {G}
  return
}}
func.func @f(%n: index, %a: memref<?xf64>) {{
  call @h(%n, %a, %a) : {G}
  return
}}"""
PARTS = f"""
func.func @f(%n: index, %m: memref<?x?xf64>, %i: index, %j: index) {{
  %a = memref.subview %m[%i, 0] [1, %n] [1, 1] : memref<?x?xf64> to memref<?xf64, strided<[1], offset: ?>>
  %b = memref.subview %m[%j, 0] [1, %n] [1, 1] : memref<?x?xf64> to memref<?xf64, strided<[1], offset: ?>>
  %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1]
    : memref<?xf64, strided<[1], offset: ?>> to memref<?xf64>
  %y = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1]
    : memref<?xf64, strided<[1], offset: ?>> to memref<?xf64>
  call @g(%n, %x, %y) : {G}
  return
}}"""
TURNS = f"""
func.func @f(%n: index, %a: memref<?xf64>, %b: memref<?xf64>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 iter_args(%p = %a) -> (memref<?xf64>) {{
    func.call @g(%n, %p, %b) : {G}
    scf.yield %b : memref<?xf64>
  }}
  return
}}"""
APART = f"""
func.func @f(%n: index, %a: memref<?xf64>) {{
  %t = memref.alloc(%n) : memref<?xf64>
  call @g(%n, %a, %t) : {G}
  call @g(%n, %t, %a) : {G}
  return
}}"""


@pytest.mark.parametrize("caller", [TWICE, BY_WAY, PARTS, TURNS], ids=["twice", "by-way", "parts", "turns"])
def test_what_may_be_one_memory_is_not_taken_for_apart(caller: str) -> None:
    found = raise_module(SHIFT + caller, check="proof", cache=False)
    assert "affine.for" in found.text
    assert any("may give its arguments 1 and 2 the same memory" in str(remark) for remark in found.remarks)


def test_a_guard_asks_at_run_time() -> None:
    found = raise_module(SHIFT + TWICE, check="proof", guard=True, cache=False)
    assert "linalg" in found.text


def test_memory_that_is_apart_or_read_only() -> None:
    assert "affine.for" not in raise_module(SHIFT + APART, check="proof", cache=False).text
    dot = SHIFT.replace("affine.store %w, %b[%i]", "affine.store %w, %o[%i]").replace("%v, %v", "%v, %u")
    dot = dot.replace("    %w =", "    %u = affine.load %b[%i] : memref<?xf64>\n    %w =")
    dot = dot.replace("%b: memref<?xf64>)", "%b: memref<?xf64>, %o: memref<?xf64>)")
    call = f"""
func.func @f(%n: index, %a: memref<?xf64>, %o: memref<?xf64>) {{
  call @g(%n, %a, %a, %o) : {G.replace("(index,", "(index, memref<?xf64>,")}
  return
}}"""
    assert "affine.for" not in raise_module(dot + call, check="proof", cache=False).text
