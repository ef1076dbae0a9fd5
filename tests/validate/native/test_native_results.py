"""Returned values, open sizes and the tensor interface."""

import pytest

from raising.validate.base.verdict import FloatEvidence, Refuted, Unknown
from raising.validate.native.native import compare_native
from tests.validate import programs


def check(source: str, target: str, function: str) -> FloatEvidence | Refuted | Unknown:
    return compare_native(source, target, function, timeout=30, level=0)


RETURNED = """func.func @f(%A: memref<6x7xf64>) -> (memref<7x6xf64>, f64) {
  %out = memref.alloc() : memref<7x6xf64>
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 7 {
      %a = affine.load %A[%i, %j] : memref<6x7xf64>
      affine.store %a, %out[%j, %i] : memref<7x6xf64>
    }
  }
  %x = affine.load %A[0, 1] : memref<6x7xf64>
  return %out, %x : memref<7x6xf64>, f64
}"""

RETURNED_TENSORS = """func.func @f(%A: memref<6x7xf64>) -> (memref<7x6xf64>, f64) {
  %a = bufferization.to_tensor %A restrict : memref<6x7xf64> to tensor<6x7xf64>
  %e = tensor.empty() : tensor<7x6xf64>
  %t = linalg.transpose ins(%a : tensor<6x7xf64>) outs(%e : tensor<7x6xf64>) permutation = [1, 0]
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = tensor.extract %a[%z, %one] : tensor<6x7xf64>
  %out = bufferization.to_buffer %t : tensor<7x6xf64> to memref<7x6xf64>
  return %out, %x : memref<7x6xf64>, f64
}"""


def test_returned_memref_and_scalar():
    assert isinstance(check(RETURNED, RETURNED_TENSORS, "f"), FloatEvidence)
    wrong = RETURNED_TENSORS.replace("%x = tensor.extract %a[%z, %one]", "%x = tensor.extract %a[%z, %z]")
    verdict = check(RETURNED, wrong, "f")
    assert isinstance(verdict, Refuted) and verdict.counterexample.startswith("result 1 ")


@pytest.mark.parametrize("kind", ["f64", "f32"])
def test_one_returned_scalar(kind: str):
    text = """func.func @f(%x: f64, %A: memref<3xf64>) -> f64 {
      %a = affine.load %A[1] : memref<3xf64>
      %s = arith.addf %a, %x : f64
      return %s : f64
    }""".replace("f64", kind)
    assert isinstance(check(text, text, "f"), FloatEvidence)
    wrong = text.replace("addf %a, %x", "addf %a, %a")
    assert isinstance(check(text, wrong, "f"), Refuted)


def test_several_returned_memrefs_of_different_ranks():
    text = """func.func @f() -> (memref<2x3xf32>, memref<f64>, i32) {
      %a = memref.alloc() : memref<2x3xf32>
      %b = memref.alloc() : memref<f64>
      %x = arith.constant 1.5 : f32
      %y = arith.constant 2.5 : f64
      %n = arith.constant 7 : i32
      linalg.fill ins(%x : f32) outs(%a : memref<2x3xf32>)
      memref.store %y, %b[] : memref<f64>
      return %a, %b, %n : memref<2x3xf32>, memref<f64>, i32
    }"""
    assert isinstance(check(text, text, "f"), FloatEvidence)
    assert isinstance(check(text, text.replace("2.5", "2.25"), "f"), Refuted)
    assert isinstance(check(text, text.replace("constant 7", "constant 8"), "f"), Refuted)


def test_a_tensor_function_returns_what_the_loops_write():
    target = programs.at_sizes(programs.GEMM_LINALG, 30, 40, 50)
    lines = [line for line in target.splitlines() if "to_tensor" not in line]
    body = "\n".join(lines[: next(k for k, line in enumerate(lines) if "materialize" in line)])
    body = body.replace("%C: memref", "%c: tensor").replace("%A: memref", "%a: tensor")
    body = body.replace("%B: memref", "%b: tensor").replace("xf64>) {", "xf64>) -> tensor<30x40xf64> {")
    tensors = f"{body}\n  return %r : tensor<30x40xf64>\n}}"
    source = programs.at_sizes(programs.GEMM_LOOPS, 30, 40, 50)
    assert isinstance(check(source, tensors, "gemm"), FloatEvidence)
    assert isinstance(check(source, tensors.replace("return %r", "return %kept"), "gemm"), Refuted)


DYNAMIC = """func.func @f(%n: index, %m: i32, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %x: memref<?xf64>) {
  %mm = arith.index_cast %m : i32 to index
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %mm {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %y = affine.load %x[%j + 1] : memref<?xf64>
      %p = arith.mulf %a, %y : f64
      affine.store %p, %B[%j, %i] : memref<?x?xf64>
    }
  }
  return
}"""


def test_open_sizes_are_tied_and_distinct():
    evidence = check(DYNAMIC, DYNAMIC, "f")
    assert isinstance(evidence, FloatEvidence), evidence
    assert evidence.sizes == "17 19 17x19 19x17 20"


def test_sizes_from_dim_and_triangles():
    text = """func.func @f(%A: memref<?x?xf64>, %B: memref<?x12xf64>) {
      %zero = arith.constant 0 : index
      %n = memref.dim %A, %zero : memref<?x?xf64>
      affine.for %i = 0 to %n {
        affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
          affine.for %k = 0 to 12 {
            %b = affine.load %B[%j, %k] : memref<?x12xf64>
            affine.store %b, %A[%i, %j] : memref<?x?xf64>
          }
        }
      }
      return
    }"""
    evidence = check(text, text, "f")
    assert isinstance(evidence, FloatEvidence) and evidence.sizes == "17x17 17x12"


def test_an_open_size_is_capped_by_a_static_one_and_grows_with_constants():
    text = """func.func @f(%n: i32, %A: memref<?x12xf64>) {
      %end = arith.index_cast %n : i32 to index
      affine.for %i = 0 to 40 {
        affine.for %j = 0 to %end {
          %a = affine.load %A[%i, %j] : memref<?x12xf64>
          %s = arith.addf %a, %a : f64
          affine.store %s, %A[%i, %j] : memref<?x12xf64>
        }
      }
      return
    }"""
    evidence = check(text, text, "f")
    assert isinstance(evidence, FloatEvidence) and evidence.sizes == "12 40x12"


def test_scf_loops_with_computed_bounds():
    text = """func.func @f(%n: index, %A: memref<?xf64>) {
      %one = arith.constant 1 : index
      %last = arith.subi %n, %one : index
      scf.for %i = %one to %last step %one {
        %left = arith.subi %i, %one : index
        %x = memref.load %A[%left] : memref<?xf64>
        memref.store %x, %A[%i] : memref<?xf64>
      }
      return
    }"""
    evidence = check(text, text, "f")
    assert isinstance(evidence, FloatEvidence), evidence


def test_open_sizes_behind_indirection_are_unknown():
    text = """func.func @f(%p: memref<?xindex>, %A: memref<?xf64>) {
      affine.for %i = 0 to 5 {
        %k = affine.load %p[%i] : memref<?xindex>
        affine.store %k, %p[0] : memref<?xindex>
        %x = memref.load %A[%k] : memref<?xf64>
        affine.store %x, %A[%i] : memref<?xf64>
      }
      return
    }"""
    verdict = check(text, text, "f")
    assert isinstance(verdict, Unknown) and "positions that are data change" in verdict.reason


def test_modules_from_other_tools():
    text = """module attributes {
      dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<"dlti.endianness", "little">,
        #dlti.dl_entry<i64, dense<64> : vector<2xi64>>>,
      llvm.data_layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128",
      llvm.target_triple = "x86_64-unknown-linux-gnu", "polygeist.target-cpu" = "x86-64"} {
      func.func private @other()
      func.func private @f(%A: memref<4xf64>) attributes {llvm.linkage = #llvm.linkage<external>} {
        affine.for %i = 0 to 4 {
          %a = affine.load %A[%i] : memref<4xf64>
          %b = math.tanh %a : f64
          affine.store %b, %A[%i] : memref<4xf64>
        }
        return
      }
    }"""
    evidence = check(text, text, "f")
    assert isinstance(evidence, FloatEvidence), evidence


SENSITIVE = """func.func @f(%A: memref<64xf64>, %B: memref<64xf64>) {
  %f = arith.constant 1.0e+5 : f64
  %g = arith.constant 1.0e+10 : f64
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xf64>
    %s = arith.mulf %a, %f : f64
    %t = arith.mulf %s, %f : f64
    %u = arith.mulf %a, %g : f64
    %d = math.sin %t : f64
    affine.store %d, %B[%i] : memref<64xf64>
  }
  return
}"""


def test_a_difference_that_rounding_explains_is_none():
    other = SENSITIVE.replace("sin %t", "sin %u")
    found = check(SENSITIVE, other, "f")
    assert isinstance(found, FloatEvidence) and found.relative_error > 1e-9
    assert found.ratio is not None and 0 < found.ratio < 1
    assert isinstance(check(SENSITIVE, other.replace("sin", "cos"), "f"), Refuted)
    larger = (text.replace("e+10", "e+16").replace("e+5", "e+8") for text in (SENSITIVE, other))
    assert isinstance(check(*larger, "f"), Unknown)


def test_without_a_bound_for_an_operation_its_inputs_are_rounded():
    one, other = (text.replace("sin", "tan") for text in (SENSITIVE, SENSITIVE.replace("sin %t", "sin %u")))
    found = check(one, other, "f")
    assert isinstance(found, FloatEvidence) and found.ratio is None and "rounding its inputs" in found.note
    assert isinstance(check(one, other.replace("math.tan", "math.cos"), "f"), Refuted)


SUM = """func.func @f(%A: memref<{0}xf32>, %B: memref<2xf32>) {{
  %z = arith.constant 0.0 : f32
  %t = arith.constant {1} : f32
  affine.for %i = 0 to {0} {{
    %a = affine.load %A[{2}] : memref<{0}xf32>
    %b = affine.load %B[0] : memref<2xf32>
    %s = arith.addf %b, %a : f32
    affine.store %s, %B[0] : memref<2xf32>
  }}
  affine.store %t, %B[1] : memref<2xf32>
  return
}}"""


def test_a_long_sum_may_differ_by_more_than_a_small_element():
    count = 100_000
    right = [SUM.format(count, "1.0e-6", order) for order in ("%i", f"{count - 1} - %i")]
    found = check(*right, "f")
    assert isinstance(found, FloatEvidence) and found.ratio is not None and 0 < found.ratio < 0.5
    wrong = check(right[0], right[1].replace("1.0e-6", "1.1e-6"), "f")  # far below what a norm of the array sees
    assert isinstance(wrong, Refuted) and "argument 1[1]" in wrong.counterexample
    assert "where rounding explains" in wrong.counterexample


def test_a_choice_that_rounding_decides_may_go_either_way():
    text = """func.func @f(%A: memref<9xf64>, %B: memref<9xf64>) {
      %k = arith.constant 3.0 : f64
      affine.for %i = 0 to 9 {
        %a = affine.load %A[%i] : memref<9xf64>
        %t = arith.divf %a, %k : f64
        %u = arith.mulf %t, %k : f64
        %c = arith.cmpf ogt, %u, %a : f64
        %m = arith.select %c, %u, %a : f64
        affine.store %m, %B[%i] : memref<9xf64>
      }
      return
    }"""
    other = text.replace("ogt", "olt")
    found = check(text, other, "f")
    assert isinstance(found, FloatEvidence) and (found.relative_error == 0 or (found.ratio or 0) < 1)
    assert isinstance(check(text, other.replace("%m, %B", "%t, %B"), "f"), Refuted)
