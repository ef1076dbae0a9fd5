// n=0,1,7 m=1,2,5 | x=m idx=n<m y=n
func.func @gather_index(%n: index, %x: memref<?xf64>, %idx: memref<?xindex>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %k = affine.load %idx[%i] : memref<?xindex>
    %a = memref.load %x[%k] : memref<?xf64>
    affine.store %a, %y[%i] : memref<?xf64>
  }
  return
}
// n=0,1,7 m=1,2,5 | x=m idx=n<m y=n
func.func @gather_i32(%n: index, %x: memref<?xf32>, %idx: memref<?xi32>, %y: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %k = affine.load %idx[%i] : memref<?xi32>
    %j = arith.index_cast %k : i32 to index
    %a = memref.load %x[%j] : memref<?xf32>
    affine.store %a, %y[%i] : memref<?xf32>
  }
  return
}
// | x=5,3 idx=4<5 y=4,3
func.func @gather_rows_fixed(%x: memref<5x3xf64>, %idx: memref<4xi64>, %y: memref<4x3xf64>) {
  affine.for %i = 0 to 4 {
    affine.for %d = 0 to 3 {
      %k = affine.load %idx[%i] : memref<4xi64>
      %j = arith.index_cast %k : i64 to index
      %a = memref.load %x[%j, %d] : memref<5x3xf64>
      affine.store %a, %y[%i, %d] : memref<4x3xf64>
    }
  }
  return
}
// | x=6 idx=9<6
func.func @gather_dot(%x: memref<6xf64>, %idx: memref<9xi32>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %s = affine.for %i = 0 to 9 iter_args(%acc = %zero) -> (f64) {
    %k = affine.load %idx[%i] : memref<9xi32>
    %j = arith.index_cast %k : i32 to index
    %a = memref.load %x[%j] : memref<6xf64>
    %t = arith.addf %acc, %a : f64
    affine.yield %t : f64
  }
  return %s : f64
}
// | b=12<4 h=4 | none: scatter
func.func @histogram_mlir(%b: memref<12xi32>, %h: memref<4xi32>) {
  %one = arith.constant 1 : i32
  affine.for %i = 0 to 12 {
    %k = affine.load %b[%i] : memref<12xi32>
    %j = arith.index_cast %k : i32 to index
    %c = memref.load %h[%j] : memref<4xi32>
    %d = arith.addi %c, %one : i32
    memref.store %d, %h[%j] : memref<4xi32>
  }
  return
}
