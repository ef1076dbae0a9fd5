// n=0,1,7 | x=n o=n | none: scan
func.func @prefix_iter(%n: index, %x: memref<?xf64>, %o: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %r = affine.for %i = 0 to %n iter_args(%s = %zero) -> (f64) {
    %a = affine.load %x[%i] : memref<?xf64>
    %t = arith.addf %s, %a : f64
    affine.store %t, %o[%i] : memref<?xf64>
    affine.yield %t : f64
  }
  return
}
// | x=4,6 | none: scan
func.func @prefix_rows(%x: memref<4x6xi32>) {
  affine.for %i = 0 to 4 {
    affine.for %j = 1 to 6 {
      %a = affine.load %x[%i, %j] : memref<4x6xi32>
      %b = affine.load %x[%i, %j - 1] : memref<4x6xi32>
      %c = arith.addi %a, %b : i32
      affine.store %c, %x[%i, %j] : memref<4x6xi32>
    }
  }
  return
}
