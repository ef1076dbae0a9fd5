// RUN: passes --to-bytes %s | filecheck %s

// Truth values are bytes in memory: what is stored is widened, what is loaded is compared with 0.
// CHECK-LABEL: func.func @negated(
// CHECK-SAME: %arg0: memref<8xi8>, %arg1: index)
// CHECK-NEXT: %[[C:.*]] = arith.constant true
// CHECK-NEXT: %[[LOAD:.*]] = memref.load %arg0[%arg1] : memref<8xi8>
// CHECK-NEXT: %[[C1:.*]] = arith.constant 0 : i8
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ne, %[[LOAD]], %[[C1]] : i8
// CHECK-NEXT: %[[XORI:.*]] = arith.xori %[[CMPI]], %[[C]] : i1
// CHECK-NEXT: %[[EXTUI:.*]] = arith.extui %[[XORI]] : i1 to i8
// CHECK-NEXT: memref.store %[[EXTUI]], %arg0[%arg1] : memref<8xi8>
// CHECK-NEXT: return
func.func @negated(%m: memref<8xi1>, %i: index) {
  %true = arith.constant true
  %x = memref.load %m[%i] : memref<8xi1>
  %y = arith.xori %x, %true : i1
  memref.store %y, %m[%i] : memref<8xi1>
  return
}

// So are vectors of them.
// CHECK-LABEL: func.func @vectors(
// CHECK-SAME: %arg0: memref<8xi8>, %arg1: index) -> vector<4xi1>
// CHECK-NEXT: %[[LOAD:.*]] = vector.load %arg0[%arg1] : memref<8xi8>, vector<4xi8>
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<0> : vector<4xi8>
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ne, %[[LOAD]], %[[C]] : vector<4xi8>
// CHECK-NEXT: %[[EXTUI:.*]] = arith.extui %[[CMPI]] : vector<4xi1> to vector<4xi8>
// CHECK-NEXT: vector.store %[[EXTUI]], %arg0[%arg1] : memref<8xi8>, vector<4xi8>
// CHECK-NEXT: return %[[CMPI]] : vector<4xi1>
func.func @vectors(%m: memref<8xi1>, %i: index) -> vector<4xi1> {
  %x = vector.load %m[%i] : memref<8xi1>, vector<4xi1>
  vector.store %x, %m[%i] : memref<8xi1>, vector<4xi1>
  return %x : vector<4xi1>
}

// A table of truth values has a byte for each, too.
// CHECK: memref.global "private" constant @table : memref<3xi8> = dense<[1, 0, 1]>
// CHECK-LABEL: func.func @looked_up(
// CHECK: memref.get_global @table : memref<3xi8>
memref.global "private" constant @table : memref<3xi1> = dense<[true, false, true]>
func.func @looked_up(%i: index) -> i1 {
  %t = memref.get_global @table : memref<3xi1>
  %x = memref.load %t[%i] : memref<3xi1>
  return %x : i1
}
