// RUN: passes --bufferize --schedule=fp=strict %s | filecheck %s

// The sum of two rows that no iteration writes is computed along them; it is transposed, and they are not.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK: %[[A:.*]] = vector.load
// CHECK: %[[B:.*]] = vector.load
// CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NOT: vector.shuffle %[[A]]
// CHECK-NOT: vector.shuffle %[[B]]
// CHECK: vector.shuffle %[[SUM]]
func.func @sums(%x: memref<512x512xf32>, %y: memref<514x512xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 512 : index
  scf.for %j = %c1 to %n step %c1 {
    %k = arith.subi %j, %c1 : index
    %p = memref.subview %x[0, %k] [512, 1] [1, 1] : memref<512x512xf32> to memref<512xf32, strided<[512], offset: ?>>
    %q = memref.subview %x[0, %j] [512, 1] [1, 1] : memref<512x512xf32> to memref<512xf32, strided<[512], offset: ?>>
    %a = memref.subview %y[0, %j] [512, 1] [1, 1] : memref<514x512xf32> to memref<512xf32, strided<[512], offset: ?>>
    %b = memref.subview %y[2, %j] [512, 1] [1, 1] : memref<514x512xf32> to memref<512xf32, strided<[512], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%p, %a, %b : memref<512xf32, strided<[512], offset: ?>>, memref<512xf32, strided<[512], offset: ?>>, memref<512xf32, strided<[512], offset: ?>>)
      outs(%q : memref<512xf32, strided<[512], offset: ?>>) {
    ^bb0(%before: f32, %one: f32, %two: f32, %out: f32):
      %s = arith.addf %one, %two : f32
      %r = arith.mulf %before, %s : f32
      linalg.yield %r : f32
    }
  }
  return
}
