// an integer product that wraps before it becomes a float
func.func @overflow(%x: memref<10xi32>, %y: memref<10xf64>) {
  %big = arith.constant 1000000000 : i32
  affine.for %i = 0 to 10 {
    %a = affine.load %x[%i] : memref<10xi32>
    %b = arith.muli %a, %big : i32
    %f = arith.sitofp %b : i32 to f64
    affine.store %f, %y[%i] : memref<10xf64>
  }
  return
}
