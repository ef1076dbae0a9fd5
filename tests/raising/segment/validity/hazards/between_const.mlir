// the extent is an argument, which may be negative: then no loop runs
func.func @between_const(%n: index, %x: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    affine.store %v, %y[%i] : memref<?xf64>
  }
  %c = arith.constant 3.0 : f64
  affine.for %i = 0 to %n {
    %v = affine.load %y[%i] : memref<?xf64>
    %w = arith.mulf %v, %c : f64
    affine.store %w, %y[%i] : memref<?xf64>
  }
  return
}
