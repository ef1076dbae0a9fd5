// RUN: programs %s | filecheck %s

// `x != x` asks for NaN: it is kept apart from comparisons of numbers, which real arithmetic decides.
// CHECK-LABEL: function is_nan(
// CHECK-NEXT: nest affine.for
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A1: f32[8], argument A2: f32[8]; live A1, A2
// CHECK-NEXT: for i4 = 0 to 8
// CHECK-NEXT: v5 = A1[i4]
// CHECK-NEXT: v6 = arith.cmpf(v5, v5) 14 : i64 : i1
// CHECK-NEXT: v7 = arith.select(v6, x3, v5) : f32
// CHECK-NEXT: A2[i4] = v7
func.func @is_nan(%a: memref<8xf32>, %out: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf32>
    %c = arith.cmpf une, %x, %x : f32
    %y = arith.select %c, %zero, %x : f32
    affine.store %y, %out[%i] : memref<8xf32>
  }
  return
}
