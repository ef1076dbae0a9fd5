// Expected: unchanged, one remark at the loop over %t: every point needs its neighbours of this sweep.
func.func @seidel_2d(%A: memref<400x400xf64>) {
  %nine = arith.constant 9.0 : f64
  affine.for %t = 0 to 100 {  // expect-remark: sequential
    affine.for %i = 1 to 399 {
      affine.for %j = 1 to 399 {
        %nw = affine.load %A[%i - 1, %j - 1] : memref<400x400xf64>
        %n = affine.load %A[%i - 1, %j] : memref<400x400xf64>
        %ne = affine.load %A[%i - 1, %j + 1] : memref<400x400xf64>
        %w = affine.load %A[%i, %j - 1] : memref<400x400xf64>
        %c = affine.load %A[%i, %j] : memref<400x400xf64>
        %e = affine.load %A[%i, %j + 1] : memref<400x400xf64>
        %sw = affine.load %A[%i + 1, %j - 1] : memref<400x400xf64>
        %s = affine.load %A[%i + 1, %j] : memref<400x400xf64>
        %se = affine.load %A[%i + 1, %j + 1] : memref<400x400xf64>
        %0 = arith.addf %nw, %n : f64
        %1 = arith.addf %0, %ne : f64
        %2 = arith.addf %1, %w : f64
        %3 = arith.addf %2, %c : f64
        %4 = arith.addf %3, %e : f64
        %5 = arith.addf %4, %sw : f64
        %6 = arith.addf %5, %s : f64
        %7 = arith.addf %6, %se : f64
        %8 = arith.divf %7, %nine : f64
        affine.store %8, %A[%i, %j] : memref<400x400xf64>
      }
    }
  }
  return
}
