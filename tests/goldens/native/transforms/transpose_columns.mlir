// RUN: passes --columns-as-rows %s | filecheck %s

// Each iteration stores one element and reads a whole column, and far more columns are read than there are: a second
// array has rows and columns exchanged, is filled before the loop, and takes every element that is stored.
// CHECK-LABEL: func.func @columns(
// CHECK: %[[MEM:.*]] = memref.alloc() {alignment = 64 : i64} : memref<100x100xf32>
// CHECK-NEXT: call @native_columns_1(%arg0, %[[MEM]]) : (memref<100x100xf32>, memref<100x100xf32>) -> ()
// CHECK-NEXT: scf.for %arg1 = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: scf.for %arg2 = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: %[[MEM1:.*]] = memref.alloc() : memref<f32>
// CHECK-NEXT: %[[VIEW:.*]] = memref.subview %[[MEM]][%arg2, 0] [1, 100] [1, 1] : memref<100x100xf32> to memref<100xf32, strided<[1], offset: ?>>
// CHECK-NEXT: linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%[[VIEW]] : memref<100xf32, strided<[1], offset: ?>>) outs(%[[MEM1]] : memref<f32>) {
// CHECK: %[[LOAD:.*]] = memref.load %[[MEM1]][] : memref<f32>
// CHECK-NEXT: memref.store %[[LOAD]], %arg0[%arg1, %arg2] : memref<100x100xf32>
// CHECK-NEXT: memref.store %[[LOAD]], %[[MEM]][%arg2, %arg1] : memref<100x100xf32>
func.func @columns(%m: memref<100x100xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 100 : index
  scf.for %i = %zero to %n step %one {
    scf.for %j = %zero to %n step %one {
      %sum = memref.alloc() : memref<f32>
      %column = memref.subview %m[0, %j] [100, 1] [1, 1] : memref<100x100xf32> to memref<100xf32, strided<[100], offset: ?>>
      linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} ins(%column : memref<100xf32, strided<[100], offset: ?>>) outs(%sum : memref<f32>) {
      ^bb0(%x: f32, %old: f32):
        %s = arith.maximumf %x, %old : f32
        linalg.yield %s : f32
      }
      %r = memref.load %sum[] : memref<f32>
      memref.store %r, %m[%i, %j] : memref<100x100xf32>
    }
  }
  return
}

// Each column is read once: a copy would not pay.
// CHECK-LABEL: func.func @once(
// CHECK: scf.for %arg2 = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: %[[VIEW:.*]] = memref.subview %arg0[0, %arg2] [100, 1] [1, 1] : memref<100x100xf32> to memref<100xf32, strided<[100], offset: ?>>
// CHECK-NEXT: linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%[[VIEW]] : memref<100xf32, strided<[100], offset: ?>>) outs(%arg1 : memref<100xf32>) {
// CHECK-NOT: native_columns
func.func @once(%m: memref<100x100xf32>, %out: memref<100xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 100 : index
  %x0 = arith.constant 0.0 : f32
  scf.for %j = %zero to %n step %one {
    %column = memref.subview %m[0, %j] [100, 1] [1, 1] : memref<100x100xf32> to memref<100xf32, strided<[100], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>], iterator_types = ["parallel"]} ins(%column : memref<100xf32, strided<[100], offset: ?>>) outs(%out : memref<100xf32>) {
    ^bb0(%x: f32, %old: f32):
      %s = arith.maximumf %x, %old : f32
      linalg.yield %s : f32
    }
    memref.store %x0, %m[%zero, %j] : memref<100x100xf32>
  }
  return
}
