// and on integers, with an operation nobody uses
func.func @bool_store(%x: memref<30xi32>, %y: memref<30xi32>) {
  affine.for %i = 0 to 30 {
    %v = affine.load %x[%i] : memref<30xi32>
    %w = affine.load %y[%i] : memref<30xi32>
    %a = arith.andi %v, %w : i32
    %s = arith.shrsi %a, %w : i32
    affine.store %a, %y[%i] : memref<30xi32>
  }
  return
}
