// y := A x with the columns in tiles of 4, the last one cut short
func.func @tiled_matvec(%A: memref<6x10xf64>, %x: memref<10xf64>, %y: memref<6xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 6 {
    affine.store %zero, %y[%i] : memref<6xf64>
  }
  affine.for %jj = 0 to 10 step 4 {
    affine.for %i = 0 to 6 {
      affine.for %j = affine_map<(d0) -> (d0)>(%jj) to min affine_map<(d0) -> (d0 + 4, 10)>(%jj) {
        %a = affine.load %A[%i, %j] : memref<6x10xf64>
        %b = affine.load %x[%j] : memref<10xf64>
        %p = arith.mulf %a, %b : f64
        %s = affine.load %y[%i] : memref<6xf64>
        %t = arith.addf %s, %p : f64
        affine.store %t, %y[%i] : memref<6xf64>
      }
    }
  }
  return
}
