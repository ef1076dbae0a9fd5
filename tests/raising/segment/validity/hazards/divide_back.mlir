// (x y) / y is x only where y is not 0
func.func @divide_back(%x: memref<16xf64>, %y: memref<16xf64>, %z: memref<16xf64>) {
  affine.for %i = 0 to 16 {
    %a = affine.load %x[%i] : memref<16xf64>
    %b = affine.load %y[%i] : memref<16xf64>
    %p = arith.mulf %a, %b : f64
    %q = arith.divf %p, %b : f64
    affine.store %q, %z[%i] : memref<16xf64>
  }
  return
}
