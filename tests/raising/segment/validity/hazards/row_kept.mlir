// a row of an array goes to another one, and the array is overwritten
func.func @row_kept(%A: memref<10x10xf64>, %B: memref<10xf64>) {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 10 {
    %a = affine.load %A[3, %i] : memref<10x10xf64>
    affine.store %a, %B[%i] : memref<10xf64>
  }
  affine.for %i = 0 to 10 { affine.for %j = 0 to 10 { affine.store %z, %A[%i, %j] : memref<10x10xf64> } }
  return
}
