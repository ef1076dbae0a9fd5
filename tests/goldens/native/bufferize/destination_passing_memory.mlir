// RUN: passes --to-destinations %s | filecheck %s

// A function on memory gets the name of a body; its arrays are said not to overlap, and calls in it are inlined.
// CHECK-LABEL: func.func public @twice.body(
// CHECK-SAME: %arg0: memref<8xf32> {llvm.noalias}, %arg1: index)
// CHECK-NEXT: %[[LOAD:.*]] = memref.load %arg0[%arg1] : memref<8xf32>
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[LOAD]], %[[LOAD]] : f32
// CHECK-NEXT: memref.store %[[ADDF]], %arg0[%arg1] : memref<8xf32>
// CHECK-NEXT: return
// CHECK-NOT: @helper
func.func private @helper(%m: memref<8xf32>, %i: index) {
  %x = memref.load %m[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  memref.store %y, %m[%i] : memref<8xf32>
  return
}
func.func @twice(%m: memref<8xf32>, %i: index) {
  call @helper(%m, %i) : (memref<8xf32>, index) -> ()
  return
}
