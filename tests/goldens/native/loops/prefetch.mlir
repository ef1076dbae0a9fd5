// RUN: passes --schedule %s | filecheck %s

// Rows of open length: one by one where they are short pieces of a large array, as a distant cache has them.
// CHECK-LABEL: func.func private @native_loops_2(
// CHECK: %[[SHORT:.*]] = arith.cmpi slt, %{{.*}}, %c128 : index
// CHECK: %[[LARGE:.*]] = arith.cmpi sgt, %{{.*}}, %c524288 : index
// CHECK: %[[FAR:.*]] = arith.andi %[[SHORT]], %[[LARGE]] : i1
// CHECK: scf.if %[[FAR]] {
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1 {
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c4 {

// Rows of a stencil on an array that no cache holds: neighbouring rows are done together, and the next rows are asked
// for ahead of time.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK: memref.prefetch %{{.*}}, read, locality<2>, data : memref<4002x4000xf64>
// CHECK: vector.store
#id = affine_map<(i, j) -> (i, j)>
func.func @f(%x: memref<4002x4000xf64>, %out: memref<4000x4000xf64>) {
  %0 = memref.subview %x[0, 0] [4000, 4000] [1, 1] : memref<4002x4000xf64> to memref<4000x4000xf64, strided<[4000, 1]>>
  %2 = memref.subview %x[2, 0] [4000, 4000] [1, 1] : memref<4002x4000xf64> to memref<4000x4000xf64, strided<[4000, 1], offset: 8000>>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %2 : memref<4000x4000xf64, strided<[4000, 1]>>, memref<4000x4000xf64, strided<[4000, 1], offset: 8000>>) outs(%out : memref<4000x4000xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %s = arith.addf %a, %b : f64
    linalg.yield %s : f64
  }
  return
}

func.func @open(%x: memref<?x?xf64>, %out: memref<?x?xf64>, %n: index, %m: index) {
  %0 = memref.subview %x[0, 0] [%n, %m] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, 1]>>
  %2 = memref.subview %x[2, 0] [%n, %m] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, 1], offset: ?>>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %2 : memref<?x?xf64, strided<[?, 1]>>, memref<?x?xf64, strided<[?, 1], offset: ?>>) outs(%out : memref<?x?xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %s = arith.addf %a, %b : f64
    linalg.yield %s : f64
  }
  return
}
