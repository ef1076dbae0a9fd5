// RUN: passes --check-lifetimes %s | filecheck %s

// Memory that only its own iteration uses may be the same for all iterations.
// CHECK-LABEL: func.func @own(
// CHECK: %[[MEM:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: memref.copy %arg0, %[[MEM]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: memref.copy %[[MEM]], %arg0 : memref<8xf32> to memref<8xf32>
func.func @own(%a: memref<8xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %new = memref.alloc() : memref<8xf32>
    memref.copy %a, %new : memref<8xf32> to memref<8xf32>
    memref.copy %new, %a : memref<8xf32> to memref<8xf32>
  }
  return
}
