// m[j] := max over i of A[i, j]; the first row starts the maximum
func.func @column_max(%A: memref<9x5xf64>, %m: memref<5xf64>) {
  affine.for %j = 0 to 5 {
    %first = affine.load %A[0, %j] : memref<9x5xf64>
    %max = affine.for %i = 1 to 9 iter_args(%best = %first) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<9x5xf64>
      %b = arith.maximumf %best, %a : f64
      affine.yield %b : f64
    }
    affine.store %max, %m[%j] : memref<5xf64>
  }
  return
}
