// Expected: the first and the last nest are raised; the sweep between them stays, with one remark.
func.func @smooth(%A: memref<60x70xf64>, %x: memref<70xf64>, %y: memref<60xf64>, %out: memref<60xf64>) {
  %zero = arith.constant 0.0 : f64
  // y := A x
  affine.for %i = 0 to 60 {
    affine.store %zero, %y[%i] : memref<60xf64>
    affine.for %j = 0 to 70 {
      %a = affine.load %A[%i, %j] : memref<60x70xf64>
      %b = affine.load %x[%j] : memref<70xf64>
      %p = arith.mulf %a, %b : f64
      %s = affine.load %y[%i] : memref<60xf64>
      %t = arith.addf %s, %p : f64
      affine.store %t, %y[%i] : memref<60xf64>
    }
  }
  // in place, each element from the square of the one just written: sequential
  affine.for %i = 1 to 60 {  // expect-remark: sequential
    %l = affine.load %y[%i - 1] : memref<60xf64>
    %r = affine.load %y[%i] : memref<60xf64>
    %d = arith.mulf %l, %l : f64
    %h = arith.addf %d, %r : f64
    affine.store %h, %y[%i] : memref<60xf64>
  }
  // out := y + y
  affine.for %i = 0 to 60 {
    %v = affine.load %y[%i] : memref<60xf64>
    %w = arith.addf %v, %v : f64
    affine.store %w, %out[%i] : memref<60xf64>
  }
  return
}
