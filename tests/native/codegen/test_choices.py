"""A choice that a loop makes of its data is no jump: what data decide is hard to guess."""

from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build

BEST = """
func.func @best(%a: memref<?xi64>, %o: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xi64>
  %zero = arith.constant 0 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (i64) {
    %x = memref.load %a[%i] : memref<?xi64>
    %s = arith.addi %t, %x : i64
    %c = arith.cmpi sgt, %s, %x : i64
    %b = arith.select %c, %s, %x : i64
    memref.store %b, %o[%i] : memref<?xi64>
    scf.yield %b : i64
  }
  return
}"""


def test_a_choice_is_a_conditional_move() -> None:
    assembly = build(BEST.encode(), "f.mlir", CompileOptions(cpu="x86-64-v3", triple="x86_64-linux-gnu")).code.assembly
    body = assembly.partition("best:")[2].partition(".Lfunc_end")[0]
    assert body.count("cmov") > 2  # of an unrolled loop
