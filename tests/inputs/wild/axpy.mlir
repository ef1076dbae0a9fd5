// y := a x + y, any length
func.func @axpy(%a: f64, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %xi = affine.load %x[%i] : memref<?xf64>
    %yi = affine.load %y[%i] : memref<?xf64>
    %ax = arith.mulf %a, %xi : f64
    %r = arith.addf %ax, %yi : f64
    affine.store %r, %y[%i] : memref<?xf64>
  }
  return
}
