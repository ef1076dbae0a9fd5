"""Calls are the bodies of the functions that they call, in the MLIR of either package."""

import importlib
from typing import Any

import pytest
from mlir import ir

from raising.grammar.dialects.host import Host
from raising.grammar.dialects.target_dialect import read_target
from raising.support.mlir import inline
from raising.support.mlir.inline import inline_calls, keep_only

TWICE = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @sum(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @sum(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ADD %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @other() -> i32
"""
RECURSIVE = """
func.func @main(%x: f32) -> f32 {
  %0 = func.call @ping(%x) : (f32) -> f32
  %1 = func.call @inverse(%0) : (f32) -> f32
  return %1 : f32
}
func.func private @ping(%x: f32) -> f32 {
  %0 = func.call @pong(%x) : (f32) -> f32
  return %0 : f32
}
func.func private @pong(%x: f32) -> f32 {
  %0 = func.call @ping(%x) : (f32) -> f32
  %1 = func.call @inverse(%0) : (f32) -> f32
  return %1 : f32
}
func.func private @inverse(%x: f32) -> f32 {
  %0 = arith.negf %x : f32
  return %0 : f32
}
"""
IN_LOOP = """
func.func @main(%A: memref<8xf64>, %n: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %8 = arith.constant 8 : index
  scf.for %i = %0 to %8 step %1 {
    %j = arith.remui %i, %n : index
    func.call @fill(%A, %j) : (memref<8xf64>, index) -> ()
  }
  return
}
func.func private @fill(%A: memref<8xf64>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %A[%i] : memref<8xf64>
    affine.store %x, %A[%i] : memref<8xf64>
  }
  return
}
"""


def inlined(text: str, bindings: Any = ir) -> Any:
    context = bindings.Context() if bindings is ir else Host(read_target("stablehlo")).context
    with context, bindings.Location.unknown():
        module = bindings.Module.parse(text)
        inline_calls(module, bindings)
        assert module.operation.verify()
    return module


def functions(module: Any) -> dict[str, str]:
    return {str(op.attributes["sym_name"]).strip('"'): str(op) for op in module.body.operations}


@pytest.mark.parametrize(("bindings", "add"), [("mlir.ir", "arith.addf"), ("jaxlib.mlir.ir", "stablehlo.add")])
def test_calls_of_calls_are_taken_in(bindings: str, add: str) -> None:
    module = inlined(TWICE.replace("ADD", add), importlib.import_module(bindings))
    main = functions(module)["main"]
    assert main.count(add) == 2 and "call" not in main


def test_functions_that_call_themselves_are_left() -> None:
    found = functions(inlined(RECURSIVE))
    assert found["main"].count("call @ping") == 1 and "@inverse" not in found["main"]
    assert "call @ping" in found["pong"] and "@inverse" not in found["pong"]


def test_no_function_becomes_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inline, "MOST", 8)
    main = functions(inlined(TWICE.replace("ADD", "arith.addf")))["main"]
    assert main.count("arith.addf") == 1 and main.count("call") == 1


def test_affine_loops_are_left_where_their_bounds_would_be_no_symbols() -> None:
    assert "call @fill" in functions(inlined(IN_LOOP))["main"]


@pytest.mark.parametrize(("name", "kept"), [(None, {"main", "twice", "sum"}), ("twice", {"twice", "sum"})])
def test_only_what_a_function_needs_is_kept(name: str | None, kept: set[str]) -> None:
    with ir.Context():
        module = ir.Module.parse(TWICE.replace("ADD", "arith.addf"))
        keep_only(module, name, ir)
        assert functions(module).keys() == kept
