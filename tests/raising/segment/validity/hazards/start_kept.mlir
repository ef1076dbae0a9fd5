// a sum starts from an array that is overwritten afterwards
func.func @start_kept(%A: memref<10xf64>, %C: memref<10xf64>, %M: memref<10x12xf64>, %x: memref<12xf64>) {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 10 {
    %a = affine.load %A[%i] : memref<10xf64>
    affine.store %a, %C[%i] : memref<10xf64>
    affine.for %j = 0 to 12 {
      %m = affine.load %M[%i, %j] : memref<10x12xf64>
      %v = affine.load %x[%j] : memref<12xf64>
      %p = arith.mulf %m, %v : f64
      %c = affine.load %C[%i] : memref<10xf64>
      %s = arith.addf %c, %p : f64
      affine.store %s, %C[%i] : memref<10xf64>
    }
    affine.store %z, %A[%i] : memref<10xf64>
  }
  return
}
