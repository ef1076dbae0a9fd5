// B = max(A * W, 0), as loops that know nothing of the dialect.
func.func @layer(%A: memref<40x30xf64>, %W: memref<30x20xf64>, %B: memref<40x20xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 40 {
    affine.for %j = 0 to 20 {
      affine.store %zero, %B[%i, %j] : memref<40x20xf64>
      affine.for %k = 0 to 30 {
        %a = affine.load %A[%i, %k] : memref<40x30xf64>
        %w = affine.load %W[%k, %j] : memref<30x20xf64>
        %aw = arith.mulf %a, %w : f64
        %sum = affine.load %B[%i, %j] : memref<40x20xf64>
        %next = arith.addf %sum, %aw : f64
        affine.store %next, %B[%i, %j] : memref<40x20xf64>
      }
      %all = affine.load %B[%i, %j] : memref<40x20xf64>
      %positive = arith.maximumf %all, %zero : f64
      affine.store %positive, %B[%i, %j] : memref<40x20xf64>
    }
  }
  return
}
