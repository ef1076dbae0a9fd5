// A product of four matrices in one statement: three matrix products take far fewer operations.
func.func @chain4(%A: memref<10x12xf64>, %B: memref<12x14xf64>, %C: memref<14x16xf64>, %D: memref<16x18xf64>,
                  %E: memref<10x18xf64>) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 18 {
      affine.for %k = 0 to 12 {
        affine.for %l = 0 to 14 {
          affine.for %m = 0 to 16 {
            %a = affine.load %A[%i, %k] : memref<10x12xf64>
            %b = affine.load %B[%k, %l] : memref<12x14xf64>
            %c = affine.load %C[%l, %m] : memref<14x16xf64>
            %d = affine.load %D[%m, %j] : memref<16x18xf64>
            %e = affine.load %E[%i, %j] : memref<10x18xf64>
            %0 = arith.mulf %a, %b : f64
            %1 = arith.mulf %0, %c : f64
            %2 = arith.mulf %1, %d : f64
            %3 = arith.addf %e, %2 : f64
            affine.store %3, %E[%i, %j] : memref<10x18xf64>
          }
        }
      }
    }
  }
  return
}
