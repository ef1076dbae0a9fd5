// the scalar memory keeps the last iteration's value; with n = 0 it keeps its old one
func.func @last_value(%x: memref<?xf64>, %t: memref<f64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    %w = arith.mulf %v, %v : f64
    affine.store %w, %t[] : memref<f64>
    %u = affine.load %t[] : memref<f64>
    %z = arith.addf %u, %v : f64
    affine.store %z, %y[%i] : memref<?xf64>
  }
  return
}
