// RUN: passes --bufferize --schedule=fp=strict %s | filecheck %s
// RUN: passes --bufferize --schedule=fp=strict %s | filecheck %s --check-prefix=KERNEL

// In each row an element needs the one before it, but rows are independent: vectors go across the rows.
// CHECK-LABEL: func.func @rows(
// CHECK: call @native_loops_1
// KERNEL-LABEL: func.func private @native_loops_1(
// KERNEL: vector
func.func @rows(%x: memref<512x512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 512 : index
  scf.for %j = %c1 to %n step %c1 {
    %k = arith.subi %j, %c1 : index
    %p = memref.subview %x[0, %k] [512, 1] [1, 1] : memref<512x512xf32> to memref<512xf32, strided<[512], offset: ?>>
    %q = memref.subview %x[0, %j] [512, 1] [1, 1] : memref<512x512xf32> to memref<512xf32, strided<[512], offset: ?>>
    linalg.add ins(%p, %q : memref<512xf32, strided<[512], offset: ?>>, memref<512xf32, strided<[512], offset: ?>>) outs(%q : memref<512xf32, strided<[512], offset: ?>>)
  }
  return
}
