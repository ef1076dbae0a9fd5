// RUN: raise-opt %s | filecheck %s

// An operation with effects stays where it is, and so does what it reads.
// CHECK-LABEL: func.func @effects(
// CHECK: %[[LOAD:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<8xf32>
// CHECK-NEXT: call @outside(%{{.*}}) : (memref<8xf32>) -> ()
// CHECK-NEXT: %[[LOAD1:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<8xf32>
// CHECK-NEXT: arith.addf %[[LOAD]], %[[LOAD1]] : f32
func.func private @outside(memref<8xf32>)
func.func @effects(%m: memref<8xf32>, %i: index) -> f32 {
  %x = memref.load %m[%i] : memref<8xf32>
  call @outside(%m) : (memref<8xf32>) -> ()
  %y = memref.load %m[%i] : memref<8xf32>
  %s = arith.addf %x, %y : f32
  return %s : f32
}
