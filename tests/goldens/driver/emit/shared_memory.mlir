// RUN: raise --remarks %s | filecheck %s

// The function is called with one memory for both of its arrays: that they are apart would be wrong, so it stays.
// CHECK-LABEL: func.func @scale(
// CHECK: affine.for
// CHECK: remark: function 'scale' kept: a call in this module may give its arguments 0 and 1 the same memory
func.func @scale(%a: memref<8xf32>, %b: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    %y = affine.load %a[%i] : memref<8xf32>
    %z = arith.mulf %y, %x : f32
    affine.store %z, %b[%i] : memref<8xf32>
  }
  return
}
func.func @caller(%a: memref<8xf32>, %x: f32) {
  call @scale(%a, %a, %x) : (memref<8xf32>, memref<8xf32>, f32) -> ()
  return
}
