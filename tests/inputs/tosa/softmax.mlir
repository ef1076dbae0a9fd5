// Softmax of every row: P[i, j] := exp(X[i, j] - m[i]) / sum over j of exp(X[i, j] - m[i]),
// where m[i] is the largest element of row i. Taking it off first keeps exp from overflowing.
//
//   raise examples/softmax.mlir --target linalg
//
// Three loops share each row: a maximum, a sum on the way through exp, a division.
func.func @softmax(%X: memref<16x24xf32>, %P: memref<16x24xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 16 {
    // the largest element, starting from the first
    %first = affine.load %X[%i, 0] : memref<16x24xf32>
    %largest = affine.for %j = 1 to 24 iter_args(%max = %first) -> (f32) {
      %x = affine.load %X[%i, %j] : memref<16x24xf32>
      %next = arith.maximumf %max, %x : f32
      affine.yield %next : f32
    }
    // exponentials, kept in P, and their sum
    %total = affine.for %j = 0 to 24 iter_args(%sum = %zero) -> (f32) {
      %x = affine.load %X[%i, %j] : memref<16x24xf32>
      %below = arith.subf %x, %largest : f32
      %power = math.exp %below : f32
      affine.store %power, %P[%i, %j] : memref<16x24xf32>
      %next = arith.addf %sum, %power : f32
      affine.yield %next : f32
    }
    // shares of the sum
    affine.for %j = 0 to 24 {
      %power = affine.load %P[%i, %j] : memref<16x24xf32>
      %share = arith.divf %power, %total : f32
      affine.store %share, %P[%i, %j] : memref<16x24xf32>
    }
  }
  return
}
