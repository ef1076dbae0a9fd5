// a shifted view of an array goes to another one, and the array is overwritten
func.func @view_kept(%A: memref<10xf64>, %B: memref<9xf64>) {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 9 {
    %a = affine.load %A[%i + 1] : memref<10xf64>
    affine.store %a, %B[%i] : memref<9xf64>
  }
  affine.for %i = 0 to 10 { affine.store %z, %A[%i] : memref<10xf64> }
  return
}
