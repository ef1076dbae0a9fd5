// RUN: passes --bufferize --schedule=fp=strict %s | filecheck %s

// Elimination goes forwards and substitution backwards along rows: each vector of rows goes through both loops, and the
// fill between them, of something else, comes behind.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK: scf.for %[[LINES:[a-z0-9_]+]] = %{{.*}} to %{{.*}} step %c8
// CHECK: scf.for
// CHECK-LABEL: func.func @solve(
// CHECK-NOT: scf.for
// CHECK: call @native_loops_1
// CHECK: call @native_loops_2
// CHECK-NOT: call
// CHECK: return
func.func @solve(%x: memref<512x512xf32>, %y: memref<512x512xf32>, %s: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 511 : index
  %n = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  scf.for %j = %c1 to %n step %c1 {
    %k = arith.subi %j, %c1 : index
    %p = memref.subview %x[0, %k] [512, 1] [1, 1] : memref<512x512xf32> to memref<512xf32, strided<[512], offset: ?>>
    %q = memref.subview %x[0, %j] [512, 1] [1, 1] : memref<512x512xf32> to memref<512xf32, strided<[512], offset: ?>>
    linalg.add ins(%p, %q : memref<512xf32, strided<[512], offset: ?>>, memref<512xf32, strided<[512], offset: ?>>) outs(%q : memref<512xf32, strided<[512], offset: ?>>)
  }
  linalg.fill ins(%zero : f32) outs(%s : memref<512xf32>)
  scf.for %t = %c0 to %last step %c1 {
    %k = arith.subi %last, %t : index
    %j = arith.subi %k, %c1 : index
    %p = memref.subview %x[0, %j] [512, 1] [1, 1] : memref<512x512xf32> to memref<512xf32, strided<[512], offset: ?>>
    %o = memref.subview %y[0, %k] [512, 1] [1, 1] : memref<512x512xf32> to memref<512xf32, strided<[512], offset: ?>>
    %q = memref.subview %y[0, %j] [512, 1] [1, 1] : memref<512x512xf32> to memref<512xf32, strided<[512], offset: ?>>
    linalg.mul ins(%p, %o : memref<512xf32, strided<[512], offset: ?>>, memref<512xf32, strided<[512], offset: ?>>) outs(%q : memref<512xf32, strided<[512], offset: ?>>)
  }
  return
}
