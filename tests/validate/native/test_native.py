import time

import pytest

from raising.validate.base.verdict import FloatEvidence, Refuted, Unknown
from raising.validate.native.native import compare_native
from tests.validate import programs

LOOPS = programs.at_sizes(programs.GEMM_LOOPS, 30, 40, 50)
LINALG = programs.at_sizes(programs.GEMM_LINALG, 30, 40, 50)


def check(source: str, target: str, function: str, **limits: float) -> FloatEvidence | Refuted | Unknown:
    return compare_native(source, target, function, **{"timeout": 30, "level": 0, **limits})  # type: ignore[arg-type]


def test_right_gemm_agrees():
    evidence = check(LOOPS, LINALG, "gemm")
    assert isinstance(evidence, FloatEvidence), evidence
    assert evidence.relative_error < 1e-12
    assert evidence.sizes == "30x40 30x50 50x40"


def test_wrong_gemm_is_refuted_with_place_and_values():
    wrong = LINALG.replace("outs(%kept :", "outs(%c :")
    verdict = check(LOOPS, wrong, "gemm")
    assert isinstance(verdict, Refuted)
    assert "argument 2[" in verdict.counterexample and "relative error" in verdict.counterexample


def test_a_program_that_clobbers_an_input_is_refuted():
    wrong = LINALG.replace("%A restrict :", "%A restrict writable :").replace("outs(%ea :", "outs(%a :")
    verdict = check(LOOPS, wrong, "gemm")
    assert isinstance(verdict, Refuted) and verdict.counterexample.startswith("argument 3")


def test_syrk_with_a_triangle_select_agrees():
    evidence = check(programs.SYRK_LOOPS, programs.SYRK_LINALG, "syrk")
    assert isinstance(evidence, FloatEvidence), evidence
    assert 0 < evidence.relative_error < 1e-5


def test_syrk_with_the_wrong_triangle_is_refuted():
    wrong = programs.SYRK_LINALG.replace("cmpi sge", "cmpi sgt")
    assert isinstance(check(programs.SYRK_LOOPS, wrong, "syrk"), Refuted)


def test_swapped_arrays_need_a_copy():
    assert isinstance(check(programs.SWAP_LOOPS, programs.SWAP_HAZARD, "swap"), Refuted)
    assert isinstance(check(programs.SWAP_LOOPS, programs.SWAP_COPIED, "swap"), FloatEvidence)


def test_swapped_outputs_are_refuted():
    swapped = LOOPS.replace("(%alpha: f64, %beta: f64", "(%beta: f64, %alpha: f64")
    assert isinstance(check(LOOPS, swapped, "gemm"), Refuted)


CRASH = "func.func @f(%A: memref<4xf64>) {{\n{}\n  return\n}}"
STORE_FAR = """  %far = arith.constant 900000000000 : index
  %x = arith.constant 1.0 : f64
  memref.store %x, %A[%far] : memref<4xf64>"""
SPIN = """  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 4000000000000 : index
  scf.for %i = %zero to %end step %one {
    %x = memref.load %A[%zero] : memref<4xf64>
    %y = math.sqrt %x : f64
    memref.store %y, %A[%zero] : memref<4xf64>
  }"""
NOTHING = CRASH.format("")


def test_a_crash_is_unknown():
    verdict = check(NOTHING, CRASH.format(STORE_FAR), "f")
    assert isinstance(verdict, Unknown) and "SIGSEGV" in verdict.reason


def test_a_missing_symbol_is_unknown():
    missing = "func.func private @gone(memref<4xf64>)\n" + CRASH.format("  call @gone(%A) : (memref<4xf64>) -> ()")
    assert isinstance(check(NOTHING, missing, "f"), Unknown)


def test_a_hang_is_unknown_in_time():
    start = time.monotonic()
    verdict = check(NOTHING, CRASH.format(SPIN), "f", timeout=2)
    assert isinstance(verdict, Unknown) and "stopped after 2 s" in verdict.reason
    assert time.monotonic() - start < 4


def test_too_much_memory_is_unknown():
    allocate = """  %n = arith.constant 4000000000000 : index
  %m = memref.alloc(%n) : memref<?xf64>
  %x = arith.constant 1.0 : f64
  %z = arith.constant 0 : index
  memref.store %x, %m[%z] : memref<?xf64>
  %y = memref.load %m[%z] : memref<?xf64>
  memref.store %y, %A[%z] : memref<4xf64>"""
    assert isinstance(check(NOTHING, CRASH.format(allocate), "f"), Unknown | Refuted)
    verdict = check(NOTHING, NOTHING, "f", max_bytes=10)
    assert isinstance(verdict, Unknown) and "bytes" in verdict.reason


def test_too_much_work_is_unknown():
    verdict = check(LOOPS, LINALG, "gemm", max_work=1e5)
    assert isinstance(verdict, Unknown) and "loads and stores" in verdict.reason
    assert isinstance(check(LOOPS, LINALG, "gemm", max_work=1e7), FloatEvidence)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("not mlir", "MLIRError"),
        ("func.func @g() { return }", "no function @f"),
        ("func.func private @f()", "no body"),
        (NOTHING.replace("f64", "f32"), "arguments differ"),
        (NOTHING.replace("xf64>", "xcomplex<f64>>"), "complex"),
        (NOTHING.replace("xf64>", "xf64, strided<[2]>>"), "layout"),
    ],
)
def test_what_cannot_be_run_says_why(text: str, reason: str):
    verdict = check(NOTHING, text, "f")
    assert isinstance(verdict, Unknown) and reason in verdict.reason


def test_integers_are_exact():
    source = """func.func @f(%A: memref<6x7xi32>, %s: memref<i64>) {
      affine.for %i = 0 to 6 { affine.for %j = 0 to 7 {
        %a = affine.load %A[%i, %j] : memref<6x7xi32>
        %w = arith.extsi %a : i32 to i64
        %o = affine.load %s[] : memref<i64>
        %n = arith.addi %o, %w : i64
        affine.store %n, %s[] : memref<i64>
      } }
      return
    }"""
    target = """func.func @f(%A: memref<6x7xi32>, %s: memref<i64>) {
      %a = bufferization.to_tensor %A restrict : memref<6x7xi32> to tensor<6x7xi32>
      %o = bufferization.to_tensor %s restrict writable : memref<i64> to tensor<i64>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
          iterator_types = ["reduction", "reduction"]} ins(%a : tensor<6x7xi32>) outs(%o : tensor<i64>) {
      ^bb0(%x: i32, %s0: i64):
        %w = arith.extsi %x : i32 to i64
        %n = arith.addi %s0, %w : i64
        linalg.yield %n : i64
      } -> tensor<i64>
      bufferization.materialize_in_destination %r in restrict writable %s : (tensor<i64>, memref<i64>) -> ()
      return
    }"""
    evidence = check(source, target, "f")
    assert isinstance(evidence, FloatEvidence) and evidence.relative_error == 0
    assert isinstance(check(source, target.replace("extsi %x", "extui %x"), "f"), Refuted)
    assert isinstance(check(source, target.replace("addi %s0, %w", "subi %s0, %w"), "f"), Refuted)


ROOTS = """
func.func @roots(%A: memref<5x5xf64>) {
  affine.for %i = 1 to 5 {
    %a = affine.load %A[%i, %i] : memref<5x5xf64>
    %b = affine.load %A[%i, 0] : memref<5x5xf64>
    %c = arith.constant 3.0 : f64
    %0 = arith.mulf %b, %c : f64
    %1 = arith.subf %a, %0 : f64
    %2 = math.sqrt %1 : f64
    affine.store %2, %A[%i, 0] : memref<5x5xf64>
  }
  return
}
"""


def test_a_matrix_has_a_dominant_diagonal_where_results_are_no_numbers_otherwise():
    assert check(ROOTS, ROOTS, "roots").note == ""
    wrong = ROOTS.replace("3.0", "3.0001")
    assert isinstance(check(ROOTS, wrong, "roots"), Refuted)


def test_an_output_of_nan_only_is_flagged():
    text = """func.func @f(%A: memref<5xf32>) {
      affine.for %i = 0 to 5 {
        %a = affine.load %A[%i] : memref<5xf32>
        %n = arith.negf %a : f32
        %s = math.sqrt %n : f32
        affine.store %s, %A[%i] : memref<5xf32>
      }
      return
    }"""
    evidence = check(text, text, "f")
    assert isinstance(evidence, FloatEvidence) and evidence.note == "argument 0 is all NaN"
    assert isinstance(check(text, text.replace("0 to 5", "0 to 4"), "f"), Refuted)


def test_a_function_that_calls_itself_is_not_run():
    text = """func.func @f(%A: memref<5xf64>) {
      call @g(%A) : (memref<5xf64>) -> ()
      return
    }
    func.func @g(%A: memref<5xf64>) {
      call @f(%A) : (memref<5xf64>) -> ()
      return
    }"""
    verdict = check(text, text, "f")
    assert isinstance(verdict, Unknown) and "it calls itself" in verdict.reason


DELAY = """func.func @f(%n: index, %k: index, %a: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    affine.store %x, %a[%i + symbol(%k)] : memref<?xf64>
  }
  return
}"""
AT_ONCE = """func.func @f(%n: index, %k: index, %a: memref<?xf64>) {
  %zero = arith.constant 0 : index
  %length = arith.maxsi %n, %zero : index
  %t = bufferization.to_tensor %a restrict writable : memref<?xf64> to tensor<?xf64>
  %s = tensor.extract_slice %t[0] [%length] [1] : tensor<?xf64> to tensor<?xf64>
  %r = tensor.insert_slice %s into %t[%k] [%length] [1] : tensor<?xf64> into tensor<?xf64>
  bufferization.materialize_in_destination %r in restrict writable %a : (tensor<?xf64>, memref<?xf64>) -> ()
  return
}"""
SET = """func.func @f(%n: index, %o: memref<4xi32>) {{
  %seven = arith.constant 7 : i32
  affine.for %i = {} to {} {{
    affine.for %j = 0 to 4 {{
      affine.store %seven, %o[%j] : memref<4xi32>
    }}
  }}
  return
}}"""
SUMS = """func.func @f(%n: index, %a: memref<?xf64>, %o: memref<1xf64>) {{
  affine.for %i = 0 to %n {{
    %x = affine.load %a[%i] : memref<?xf64>
    %s = affine.load %o[0] : memref<1xf64>
    %t = arith.addf %s, %x : f64
    affine.store %t, %o[0] : memref<1xf64>
  }}
  {}
  return
}}"""
PAST_THE_END = """%z = arith.constant 0.0 : f64
  %small = arith.constant 2 : index
  %past = arith.cmpi eq, %n, %small : index
  scf.if %past {
    memref.store %z, %a[%n] : memref<?xf64>
  }"""


def test_a_difference_at_a_distance_that_the_large_run_does_not_have_is_found() -> None:
    verdict = check(DELAY, AT_ONCE, "f")
    assert isinstance(verdict, Refuted) and verdict.counterexample.endswith("at 6 3 9")


def test_what_is_written_where_no_loop_runs_is_found() -> None:
    wrong = check(SET.format("0", "%n"), SET.format("0", "1"), "f")
    assert isinstance(wrong, Refuted) and wrong.counterexample.endswith("at 0 4")
    assert isinstance(check(SET.format("0", "%n"), SET.format("0", "%n"), "f"), FloatEvidence)


def test_a_store_past_the_end_of_an_array_is_seen() -> None:
    verdict = check(SUMS.format(""), SUMS.format(PAST_THE_END), "f")
    assert isinstance(verdict, Refuted) and "writes outside of an argument" in verdict.counterexample


def test_a_source_that_is_not_defined_at_small_sizes_is_run_at_others() -> None:
    divided = SUMS.format("%one = arith.constant 1 : index\n  %q = arith.divsi %one, %n : index")
    stored = "%w = arith.index_cast %q : index to i64\n  %d = arith.sitofp %w : i64 to f64\n"
    text = divided.replace("  return", f"  {stored}  affine.store %d, %o[0] : memref<1xf64>\n  return")
    assert isinstance(check(text, text, "f"), FloatEvidence)


SHARES = """func.func @f(%n: i32, %x: memref<?xi32>) {
  %end = arith.index_cast %n : i32 to index
  %one = arith.constant 1 : i32
  %share = arith.divsi %one, DIVISOR : i32
  affine.for %i = 0 to %end {
    affine.store %share, %x[%i] : memref<?xi32>
  }
  return
}"""


def test_a_side_that_ends_the_process_at_small_sizes_is_told_from_the_other():
    """At size 0 a division by it is a trap, unless LLVM sees that nobody uses it."""
    trapped, plain = SHARES.replace("DIVISOR", "%n"), SHARES.replace("DIVISOR", "%one")
    guarded = trapped.replace("arith.divsi %one, %n", "arith.divsi %one, %m").replace(
        "  %share", "  %m = arith.maxsi %n, %one : i32\n  %share"
    )
    verdict = check(guarded, trapped, "f")
    assert isinstance(verdict, Refuted) and "at small sizes, where the source returns" in verdict.counterexample
    assert isinstance(check(trapped, guarded, "f"), FloatEvidence)
    assert isinstance(check(trapped, trapped, "f"), FloatEvidence)
    verdict = check(guarded, plain, "f")
    assert isinstance(verdict, Refuted) and "SIG" not in verdict.counterexample


FAR = """func.func @f(%n: index, %k: index, %a: memref<?xf64>) {{
  affine.for %i = {} {{
    affine.if affine_set<(d0) : ({})>(%i) {{
      %x = affine.load %a[%i] : memref<?xf64>
      %y = arith.{} %x, %x : f64
      affine.store %y, %a[%i] : memref<?xf64>
    }} {}
  }}
  return
}}"""
ALWAYS = "d0 >= 0"
OTHERWISE = """else {
      %z = arith.constant 0.0 : f64
      affine.store %z, %a[%i] : memref<?xf64>
    }"""


@pytest.mark.parametrize(
    ("loop", "condition", "otherwise"),
    [
        ("137 to %n", ALWAYS, ""),
        ("affine_map<(d0) -> (d0 + 300)>(%k) to %n", ALWAYS, ""),
        ("0 to affine_map<(d0) -> (d0 floordiv 64)>(%n)", ALWAYS, ""),
        ("100000 to %n", ALWAYS, ""),
        ("0 to %n", "d0 - 137 >= 0", ""),
        ("0 to %n", "d0 mod 100 - 55 == 0", OTHERWISE),
    ],
)
def test_loops_that_begin_far_out_are_run(loop: str, condition: str, otherwise: str) -> None:
    right, wrong = (FAR.format(loop, condition, op, otherwise) for op in ("addf", "mulf"))
    assert isinstance(check(right, wrong, "f"), Refuted)
    assert isinstance(check(right, right, "f"), FloatEvidence)


def test_the_branch_that_conditions_leave_is_run() -> None:
    """It is the other one at small sizes."""
    right, wrong = (FAR.format("0 to %n", "100 - d0 >= 0", "addf", OTHERWISE.replace("0.0", z)) for z in ("0.0", "1.0"))
    assert isinstance(check(right, wrong, "f"), Refuted)


def test_loops_that_run_twice_at_small_sizes_are_run_at_those() -> None:
    text = FAR.format("1 to %n", ALWAYS, "addf", "")
    found = check(text, text, "f")
    assert isinstance(found, FloatEvidence) and found.sizes == "17 19 17"


def test_what_would_take_long_at_large_sizes_is_run_at_small_ones() -> None:
    text = FAR.format("10000000 to %n", ALWAYS, "addf", "")
    found = check(text, text, "f")
    assert isinstance(found, FloatEvidence) and found.sizes.startswith("17 ")


def test_offsets_are_such_that_loops_stay_inside_of_their_arrays() -> None:
    text = FAR.format("0 to %n", ALWAYS, "addf", "").replace("load %a[%i]", "load %a[%i - symbol(%k)]")
    found = check(text, text, "f")
    assert isinstance(found, FloatEvidence) and found.sizes == "17 -5 22"
