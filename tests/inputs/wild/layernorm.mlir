// Y[i, :] := (X[i, :] - mean) / sqrt(variance + eps), then scaled and shifted; mean and variance are kept
func.func @layernorm(%X: memref<5x12xf64>, %gamma: memref<12xf64>, %shift: memref<12xf64>,
                     %mean: memref<5xf64>, %variance: memref<5xf64>, %Y: memref<5x12xf64>) {
  %zero = arith.constant 0.0 : f64
  %count = arith.constant 12.0 : f64
  %eps = arith.constant 1.0e-5 : f64
  affine.for %i = 0 to 5 {
    %total = affine.for %j = 0 to 12 iter_args(%acc = %zero) -> (f64) {
      %x = affine.load %X[%i, %j] : memref<5x12xf64>
      %s = arith.addf %acc, %x : f64
      affine.yield %s : f64
    }
    %m = arith.divf %total, %count : f64
    affine.store %m, %mean[%i] : memref<5xf64>
    %squares = affine.for %j = 0 to 12 iter_args(%acc = %zero) -> (f64) {
      %x = affine.load %X[%i, %j] : memref<5x12xf64>
      %d = arith.subf %x, %m : f64
      %q = arith.mulf %d, %d : f64
      %s = arith.addf %acc, %q : f64
      affine.yield %s : f64
    }
    %v = arith.divf %squares, %count : f64
    affine.store %v, %variance[%i] : memref<5xf64>
  }
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 12 {
      %x = affine.load %X[%i, %j] : memref<5x12xf64>
      %m = affine.load %mean[%i] : memref<5xf64>
      %v = affine.load %variance[%i] : memref<5xf64>
      %g = affine.load %gamma[%j] : memref<12xf64>
      %b = affine.load %shift[%j] : memref<12xf64>
      %d = arith.subf %x, %m : f64
      %w = arith.addf %v, %eps : f64
      %r = math.sqrt %w : f64
      %n = arith.divf %d, %r : f64
      %h = arith.mulf %n, %g : f64
      %y = arith.addf %h, %b : f64
      affine.store %y, %Y[%i, %j] : memref<5x12xf64>
    }
  }
  return
}
