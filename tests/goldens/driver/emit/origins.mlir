// RUN: raise --places %s | filecheck %s

// With places, an operation has the locations of the statements that it stands for.
// CHECK: #[[AT:.*]] = loc("-":{{[0-9]+}}:{{[0-9]+}})
// CHECK-LABEL: func.func @scale(
// CHECK: linalg.mul {{.*}} loc(#[[MUL:.*]])
// CHECK: #[[MUL]] = loc(fused[#loc
func.func @scale(%a: memref<8x9xf32>, %b: memref<8x9xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 9 {
      %y = affine.load %a[%i, %j] : memref<8x9xf32>
      %z = arith.mulf %y, %x : f32
      affine.store %z, %b[%i, %j] : memref<8x9xf32>
    }
  }
  return
}
