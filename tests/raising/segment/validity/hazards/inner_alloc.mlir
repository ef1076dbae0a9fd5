// a memory of each iteration's own
func.func @inner_alloc(%x: memref<12x9xf64>, %y: memref<12xf64>) {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 12 {
    %t = memref.alloc() : memref<9xf64>
    affine.for %j = 0 to 9 {
      %v = affine.load %x[%i, %j] : memref<12x9xf64>
      %w = arith.mulf %v, %v : f64
      affine.store %w, %t[%j] : memref<9xf64>
    }
    %s = affine.for %j = 0 to 9 iter_args(%acc = %z) -> (f64) {
      %v = affine.load %t[%j] : memref<9xf64>
      %n = arith.addf %acc, %v : f64
      affine.yield %n : f64
    }
    affine.store %s, %y[%i] : memref<12xf64>
    memref.dealloc %t : memref<9xf64>
  }
  return
}
