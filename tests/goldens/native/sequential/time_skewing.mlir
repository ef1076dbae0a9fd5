// RUN: passes --bufferize --schedule %s | filecheck %s

// A time loop of two sweeps over a grid: several iterations follow one another at a distance of rows, in one pass over
// the rows that fit into the cache, so the loop over time is inside of the kernel.
// CHECK-LABEL: func.func @heat(
// CHECK: call @native_loops_1(%arg0, %arg1, %{{.*}}, %{{.*}}, %{{.*}}) : (memref<1000x1000xf32>, memref<1000x1000xf32>, index, index, index) -> ()
func.func @heat(%a: memref<1000x1000xf32>, %b: memref<1000x1000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  scf.for %t = %c0 to %n step %c1 {
    %a0 = memref.subview %a[0, 0] [998, 1000] [1, 1] : memref<1000x1000xf32> to memref<998x1000xf32, strided<[1000, 1]>>
    %a2 = memref.subview %a[2, 0] [998, 1000] [1, 1] : memref<1000x1000xf32> to memref<998x1000xf32, strided<[1000, 1], offset: 2000>>
    %b1 = memref.subview %b[1, 0] [998, 1000] [1, 1] : memref<1000x1000xf32> to memref<998x1000xf32, strided<[1000, 1], offset: 1000>>
    linalg.add ins(%a0, %a2 : memref<998x1000xf32, strided<[1000, 1]>>, memref<998x1000xf32, strided<[1000, 1], offset: 2000>>) outs(%b1 : memref<998x1000xf32, strided<[1000, 1], offset: 1000>>)
    %b0 = memref.subview %b[0, 0] [998, 1000] [1, 1] : memref<1000x1000xf32> to memref<998x1000xf32, strided<[1000, 1]>>
    %b2 = memref.subview %b[2, 0] [998, 1000] [1, 1] : memref<1000x1000xf32> to memref<998x1000xf32, strided<[1000, 1], offset: 2000>>
    %a1 = memref.subview %a[1, 0] [998, 1000] [1, 1] : memref<1000x1000xf32> to memref<998x1000xf32, strided<[1000, 1], offset: 1000>>
    linalg.add ins(%b0, %b2 : memref<998x1000xf32, strided<[1000, 1]>>, memref<998x1000xf32, strided<[1000, 1], offset: 2000>>) outs(%a1 : memref<998x1000xf32, strided<[1000, 1], offset: 1000>>)
  }
  return
}
