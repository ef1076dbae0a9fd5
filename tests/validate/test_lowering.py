"""The stock command line, the loop order, and speed."""

import pytest
from mlir import ir

from raising.support.mlir.loop_order import interchange_for_locality
from tests.validate import programs
from tests.validate.stock_lowering import LoweringFailed, lower_to_llvm


@pytest.mark.parametrize(
    "text",
    [
        programs.at_sizes(programs.GEMM_LINALG, 30, 40, 50),
        programs.at_sizes(programs.GEMM_LOOPS, 30, 40, 50),
        programs.SYRK_LINALG,
        programs.SWAP_COPIED,
    ],
)
def test_stock_mlir_opt_lowers_to_llvm(text: str):
    lowered = lower_to_llvm(text)
    assert "llvm.func @" in lowered
    for dialect in (
        "memref.",
        "tensor",
        "linalg.",
        "affine.",
        "scf.",
        "arith.",
        "bufferization.",
        "unrealized",
    ):
        assert f" {dialect}" not in lowered


def test_a_program_that_frees_memory_itself_lowers():
    frees = """func.func @f(%A: memref<4xf64>) {
      %t = memref.alloc() : memref<4xf64>
      memref.copy %A, %t : memref<4xf64> to memref<4xf64>
      memref.dealloc %t : memref<4xf64>
      return
    }"""
    assert "llvm.call @free" in lower_to_llvm(frees)


def test_what_mlir_opt_refuses_is_an_error_with_its_words():
    with pytest.raises(LoweringFailed, match="expected"):
        lower_to_llvm("func.func @f(")


def loop_order(generic: str) -> list[str]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(generic)
        interchange_for_locality(module)
        assert module.operation.verify()
        return str(module).splitlines()


MATMUL = """func.func @f(%A: memref<8x9xf32>, %B: memref<9x7xf32>, %C: memref<8x7xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
      affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<8x9xf32>, memref<9x7xf32>) outs(%C : memref<8x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %j = linalg.index 1 : index
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}"""


def test_matmul_becomes_i_k_j():
    text = "\n".join(loop_order(MATMUL))
    assert '["parallel", "reduction", "parallel"]' in text
    assert "affine_map<(d0, d1, d2) -> (d1, d2)>" in text
    assert "linalg.index 2" in text


def test_a_good_order_stays():
    assert '["parallel", "parallel", "reduction"]' in "\n".join(
        loop_order(MATMUL.replace("-> (k, j)", "-> (j, k)").replace("9x7xf32", "7x9xf32"))
    )
