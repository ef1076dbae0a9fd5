// RUN: not passes --check-lifetimes %s | filecheck %s

// Memory that an iteration allocates is carried to the next one: it would be overwritten there while it is read.
// CHECK: memory of memref<8xf32> outlives the iteration that allocates it
func.func @handed_on(%a: memref<8xf32>, %c: i1, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%p = %a) -> memref<8xf32> {
    %new = memref.alloc() : memref<8xf32>
    memref.copy %p, %new : memref<8xf32> to memref<8xf32>
    %q = scf.if %c -> memref<8xf32> {
      scf.yield %new : memref<8xf32>
    } else {
      scf.yield %p : memref<8xf32>
    }
    scf.yield %q : memref<8xf32>
  }
  return
}
