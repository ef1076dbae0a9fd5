// RUN: interface --header %s | filecheck %s

// Open extents are arguments, and a comment says how large each array is.
// CHECK: #ifndef HEADER_MLIR
// CHECK: /* arg0[arg0_size0][8] */
// CHECK-NEXT: void scale(const double *RESTRICT arg0, int64_t arg0_size0, double arg1);
func.func @scale(%a: memref<?x8xf64>, %f: f64) {
  return
}

// A result becomes an array that the caller has.
// CHECK: /* result0[8] */
// CHECK-NEXT: void twice(const float *RESTRICT arg0, const float *RESTRICT result0);
func.func @twice(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
