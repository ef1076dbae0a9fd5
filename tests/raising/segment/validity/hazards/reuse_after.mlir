// the array is read at the top level between the nests
func.func @reuse_after(%x: memref<30xf64>) -> f64 {
  affine.for %i = 0 to 30 {
    %v = affine.load %x[%i] : memref<30xf64>
    %w = arith.addf %v, %v : f64
    affine.store %w, %x[%i] : memref<30xf64>
  }
  %k = affine.load %x[3] : memref<30xf64>
  affine.for %i = 0 to 30 {
    %v = affine.load %x[%i] : memref<30xf64>
    %w = arith.mulf %v, %k : f64
    affine.store %w, %x[%i] : memref<30xf64>
  }
  %l = affine.load %x[3] : memref<30xf64>
  %m = arith.addf %k, %l : f64
  return %m : f64
}
