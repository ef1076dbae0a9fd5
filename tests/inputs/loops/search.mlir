// | x=9
func.func @argmax_pair(%x: memref<9xf64>) -> (f64, index) {
  %c0 = arith.constant 0 : index
  %first = affine.load %x[0] : memref<9xf64>
  %r:2 = affine.for %i = 1 to 9 iter_args(%m = %first, %k = %c0) -> (f64, index) {
    %a = affine.load %x[%i] : memref<9xf64>
    %c = arith.cmpf ogt, %a, %m : f64
    %n = arith.select %c, %a, %m : f64
    %l = arith.select %c, %i, %k : index
    affine.yield %n, %l : f64, index
  }
  return %r#0, %r#1 : f64, index
}
// n=1,2,7 | x=n
func.func @argmin_pair_i32(%n: index, %x: memref<?xf32>) -> i32 {
  %zero = arith.constant 0 : i32
  %first = affine.load %x[0] : memref<?xf32>
  %r:2 = affine.for %i = 1 to %n iter_args(%m = %first, %k = %zero) -> (f32, i32) {
    %a = affine.load %x[%i] : memref<?xf32>
    %c = arith.cmpf olt, %a, %m : f32
    %p = arith.index_cast %i : index to i32
    %v = arith.select %c, %a, %m : f32
    %l = arith.select %c, %p, %k : i32
    affine.yield %v, %l : f32, i32
  }
  return %r#1 : i32
}
// n=0,1,7 | x=n
func.func @last_negative(%n: index, %x: memref<?xf64>) -> index {
  %none = arith.constant -1 : index
  %zero = arith.constant 0.0 : f64
  %r = affine.for %i = 0 to %n iter_args(%k = %none) -> (index) {
    %a = affine.load %x[%i] : memref<?xf64>
    %c = arith.cmpf olt, %a, %zero : f64
    %l = arith.select %c, %i, %k : index
    affine.yield %l : index
  }
  return %r : index
}
