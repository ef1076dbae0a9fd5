"""`--abi tensor`: pure functions on tensors, and what stands against them."""

import re

from raising import RaiseResult, raise_module
from tests.cli.running import FILL, INPUTS


def raised(text: str, check: str = "native") -> RaiseResult:
    return raise_module(text, abi="tensor", check=check)


def signature(text: str, name: str) -> str:
    found = re.search(rf"func.func @{name}(\(.*?)(?: attributes {{.*}})? {{$", text, re.MULTILINE)
    assert found
    return found[1]


def test_written_arguments_come_first_then_results() -> None:
    result = raised("""
      func.func @f(%a: f64, %x: memref<5xf64>, %y: memref<6xf64>, %z: memref<5xf64>) -> (f64, memref<5xf64>) {
        %new = memref.alloc() : memref<5xf64>
        affine.for %i = 0 to 5 {
          %v = affine.load %x[%i] : memref<5xf64>
          %w = arith.mulf %v, %a : f64
          affine.store %w, %z[%i] : memref<5xf64>
          affine.store %v, %new[%i] : memref<5xf64>
        }
        affine.for %i = 0 to 6 {
          affine.store %a, %y[%i] : memref<6xf64>
        }
        return %a, %new : f64, memref<5xf64>
      }""")
    assert "memref" not in result.text
    assert signature(result.text, "f") == (
        "(%arg0: f64, %arg1: tensor<5xf64>, %arg2: tensor<6xf64>, %arg3: tensor<5xf64>)"
        " -> (tensor<6xf64>, tensor<5xf64>, f64, tensor<5xf64>)"
    )


def test_open_sizes_and_loads_and_stores_outside_of_loops() -> None:
    result = raised("""
      func.func @f(%x: memref<?xf64>, %y: memref<?xf64>, %n: index) -> f64 {
        %c0 = arith.constant 0 : index
        %size = memref.dim %x, %c0 : memref<?xf64>
        %sum = memref.alloc(%size) : memref<?xf64>
        affine.for %i = 0 to %size {
          %v = affine.load %x[%i] : memref<?xf64>
          %w = affine.load %y[%i] : memref<?xf64>
          %s = arith.addf %v, %w : f64
          affine.store %s, %sum[%i] : memref<?xf64>
        }
        %r = affine.load %sum[0] : memref<?xf64>
        affine.store %r, %y[1] : memref<?xf64>
        memref.dealloc %sum : memref<?xf64>
        return %r : f64
      }""")
    assert "memref" not in result.text
    assert "tensor.dim" in result.text
    assert signature(result.text, "f").endswith("-> (tensor<?xf64>, f64)")
    (function,) = result.functions
    assert "relative error" in str(function.verdict) or "relative_error" in str(function.verdict)


def test_attributes_of_results_keep_their_places() -> None:
    text = """
      func.func @f(%x: memref<5xf64>) -> (f64 {d.a = 1 : i32}) {
        %one = arith.constant 1.0 : f64
        affine.for %i = 0 to 5 {
          affine.store %one, %x[%i] : memref<5xf64>
        }
        return %one : f64
      }"""
    result = raised(text, "none")
    assert signature(result.text, "f").endswith("-> (tensor<5xf64>, f64 {d.a = 1 : i32})")


def test_a_function_that_needs_memory_keeps_it() -> None:
    text = (INPUTS / "mixed" / "call_between.mlir").read_text()
    result = raised(text, "field")
    assert signature(result.text, result.functions[0].name) == signature(
        raise_module(text, check="field").text, result.functions[0].name
    )
    assert any("keeps its memref arguments: " in r.why for r in result.remarks)


def test_a_function_that_is_called_keeps_its_signature() -> None:
    caller = """
      func.func @caller(%x: memref<8xf64>) {
        func.call @fill(%x) : (memref<8xf64>) -> ()
        return
      }"""
    result = raised(FILL + caller, "field")
    assert "memref<8xf64>" in signature(result.text, "fill")
    assert any("it is called in this module" in r.why for r in result.remarks)


def test_loops_that_stay_carry_tensors() -> None:
    text = (INPUTS / "mixed" / "functions.mlir").read_text()
    result = raised(text, "field")
    assert "tensor<25xf64>" in signature(result.text, "orbit")
    assert "tensor<25xf64>" in signature(result.text, "add")


def test_local_memory_that_became_useless_is_erased() -> None:
    text = """
      func.func @f(%x: memref<5xf64>) {
        %local = memref.alloc() : memref<5xf64>
        affine.for %i = 0 to 5 {
          %v = affine.load %x[%i] : memref<5xf64>
          affine.store %v, %local[%i] : memref<5xf64>
        }
        affine.for %i = 0 to 5 {
          %v = affine.load %local[%i] : memref<5xf64>
          %w = arith.addf %v, %v : f64
          affine.store %w, %x[%i] : memref<5xf64>
        }
        memref.dealloc %local : memref<5xf64>
        return
      }"""
    result = raise_module(text)
    assert "alloc" not in result.text
    assert result.complete
