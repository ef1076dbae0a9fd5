// A[i, j] := x[i] y[j]
func.func @outer_product(%x: memref<7xf64>, %y: memref<9xf64>, %A: memref<7x9xf64>) {
  affine.parallel (%i, %j) = (0, 0) to (7, 9) {
    %a = affine.load %x[%i] : memref<7xf64>
    %b = affine.load %y[%j] : memref<9xf64>
    %p = arith.mulf %a, %b : f64
    affine.store %p, %A[%i, %j] : memref<7x9xf64>
  }
  return
}
