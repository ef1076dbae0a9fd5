// a scalar computed between two nests from the first one's result
func.func @between(%x: memref<20xf64>, %y: memref<20xf64>) {
  %zero = arith.constant 0.0 : f64
  %s = affine.for %i = 0 to 20 iter_args(%acc = %zero) -> (f64) {
    %v = affine.load %x[%i] : memref<20xf64>
    %w = arith.mulf %v, %v : f64
    %n = arith.addf %acc, %w : f64
    affine.yield %n : f64
  }
  %norm = math.sqrt %s : f64
  affine.for %i = 0 to 20 {
    %v = affine.load %x[%i] : memref<20xf64>
    %w = arith.divf %v, %norm : f64
    affine.store %w, %y[%i] : memref<20xf64>
  }
  return
}
