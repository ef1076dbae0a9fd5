// RUN: not passes --check-lifetimes %s | filecheck %s

// The memory is both results of a choice, and only the second one is carried on.
// CHECK: memory of memref<8xf32> outlives the iteration that allocates it
func.func @second(%a: memref<8xf32>, %c: i1, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%p = %a) -> memref<8xf32> {
    %new = memref.alloc() : memref<8xf32>
    memref.copy %p, %new : memref<8xf32> to memref<8xf32>
    %q:2 = scf.if %c -> (memref<8xf32>, memref<8xf32>) {
      scf.yield %new, %new : memref<8xf32>, memref<8xf32>
    } else {
      scf.yield %p, %p : memref<8xf32>, memref<8xf32>
    }
    memref.copy %q#0, %a : memref<8xf32> to memref<8xf32>
    scf.yield %q#1 : memref<8xf32>
  }
  return
}
