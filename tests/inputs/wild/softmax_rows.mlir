// each row of P: exp(X - max) / sum of those
func.func @softmax_rows(%X: memref<6x10xf64>, %P: memref<6x10xf64>) {
  %zero = arith.constant 0.0 : f64
  %low = arith.constant 0xFFF0000000000000 : f64
  affine.for %i = 0 to 6 {
    %max = affine.for %j = 0 to 10 iter_args(%best = %low) -> (f64) {
      %x = affine.load %X[%i, %j] : memref<6x10xf64>
      %b = arith.maximumf %best, %x : f64
      affine.yield %b : f64
    }
    %sum = affine.for %j = 0 to 10 iter_args(%acc = %zero) -> (f64) {
      %x = affine.load %X[%i, %j] : memref<6x10xf64>
      %d = arith.subf %x, %max : f64
      %e = math.exp %d : f64
      affine.store %e, %P[%i, %j] : memref<6x10xf64>
      %s = arith.addf %acc, %e : f64
      affine.yield %s : f64
    }
    affine.for %j = 0 to 10 {
      %e = affine.load %P[%i, %j] : memref<6x10xf64>
      %p = arith.divf %e, %sum : f64
      affine.store %p, %P[%i, %j] : memref<6x10xf64>
    }
  }
  return
}
