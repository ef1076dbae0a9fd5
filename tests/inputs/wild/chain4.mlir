// A product of four matrices in one statement: three matrix products take far fewer operations.
func.func @chain4(%A: memref<50x60xf64>, %B: memref<60x70xf64>, %C: memref<70x80xf64>, %D: memref<80x90xf64>,
                  %E: memref<50x90xf64>) {
  affine.for %i = 0 to 50 {
    affine.for %j = 0 to 90 {
      affine.for %k = 0 to 60 {
        affine.for %l = 0 to 70 {
          affine.for %m = 0 to 80 {
            %a = affine.load %A[%i, %k] : memref<50x60xf64>
            %b = affine.load %B[%k, %l] : memref<60x70xf64>
            %c = affine.load %C[%l, %m] : memref<70x80xf64>
            %d = affine.load %D[%m, %j] : memref<80x90xf64>
            %e = affine.load %E[%i, %j] : memref<50x90xf64>
            %0 = arith.mulf %a, %b : f64
            %1 = arith.mulf %0, %c : f64
            %2 = arith.mulf %1, %d : f64
            %3 = arith.addf %e, %2 : f64
            affine.store %3, %E[%i, %j] : memref<50x90xf64>
          }
        }
      }
    }
  }
  return
}
