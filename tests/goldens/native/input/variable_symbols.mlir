// RUN: passes --take-variables %s | filecheck %s

// A variable that can be written becomes an argument of the functions that use it, and leaves the module.
// CHECK-NOT: @counts
// CHECK: memref.global "private" constant @table
memref.global @counts : memref<8xi32> = dense<0>
memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>
// CHECK-LABEL: func.func @count(
// CHECK-SAME: %arg0: index, %arg1: memref<8xi32> {raise.global = "counts"})
// CHECK-NEXT: %[[C:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[LOAD:.*]] = memref.load %arg1[%arg0] : memref<8xi32>
// CHECK-NEXT: %[[ADDI:.*]] = arith.addi %[[LOAD]], %[[C]] : i32
// CHECK-NEXT: memref.store %[[ADDI]], %arg1[%arg0] : memref<8xi32>
// CHECK-NEXT: return
func.func @count(%i: index) {
  %m = memref.get_global @counts : memref<8xi32>
  %one = arith.constant 1 : i32
  %old = memref.load %m[%i] : memref<8xi32>
  %new = arith.addi %old, %one : i32
  memref.store %new, %m[%i] : memref<8xi32>
  return
}

// A constant stays where it is.
// CHECK-LABEL: func.func @constant(
// CHECK: memref.get_global @table : memref<2xf32>
func.func @constant(%i: index) -> f32 {
  %m = memref.get_global @table : memref<2xf32>
  %x = memref.load %m[%i] : memref<2xf32>
  return %x : f32
}
