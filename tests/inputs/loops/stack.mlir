// | x=8
func.func @returned_stack(%x: memref<8xf64>) -> memref<8xf64> {
  %o = memref.alloca() : memref<8xf64>
  affine.for %i = 0 to 8 {
    %a = affine.load %x[%i] : memref<8xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %o[%i] : memref<8xf64>
  }
  return %o : memref<8xf64>
}
// | A=4,5 x=5
func.func @returned_product(%A: memref<4x5xf32>, %x: memref<5xf32>) -> memref<4xf32> {
  %zero = arith.constant 0.0 : f32
  %y = memref.alloca() : memref<4xf32>
  affine.for %i = 0 to 4 {
    affine.store %zero, %y[%i] : memref<4xf32>
    affine.for %j = 0 to 5 {
      %a = affine.load %A[%i, %j] : memref<4x5xf32>
      %b = affine.load %x[%j] : memref<5xf32>
      %p = arith.mulf %a, %b : f32
      %s = affine.load %y[%i] : memref<4xf32>
      %t = arith.addf %s, %p : f32
      affine.store %t, %y[%i] : memref<4xf32>
    }
  }
  return %y : memref<4xf32>
}
// | x=6
func.func @returned_heap(%x: memref<6xi32>) -> memref<6xi32> {
  %o = memref.alloc() : memref<6xi32>
  %three = arith.constant 3 : i32
  affine.for %i = 0 to 6 {
    %a = affine.load %x[%i] : memref<6xi32>
    %b = arith.muli %a, %three : i32
    affine.store %b, %o[5 - %i] : memref<6xi32>
  }
  return %o : memref<6xi32>
}
// | x=7 o=7
func.func @local_stack(%x: memref<7xf64>, %o: memref<7xf64>) {
  %t = memref.alloca() : memref<7xf64>
  affine.for %i = 0 to 7 {
    %a = affine.load %x[%i] : memref<7xf64>
    %b = arith.mulf %a, %a : f64
    affine.store %b, %t[%i] : memref<7xf64>
  }
  affine.for %i = 0 to 7 {
    %a = affine.load %t[%i] : memref<7xf64>
    affine.store %a, %o[%i] : memref<7xf64>
  }
  return
}
// n=0,1,6 | x=n
func.func @returned_sum(%n: index, %x: memref<?xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %s = memref.alloca() : memref<f64>
  affine.store %zero, %s[] : memref<f64>
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf64>
    %b = affine.load %s[] : memref<f64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %s[] : memref<f64>
  }
  %r = affine.load %s[] : memref<f64>
  return %r : f64
}
// | a=3,4 b=3,4
func.func @returned_two(%a: memref<3x4xf64>, %b: memref<3x4xf64>) -> (memref<3x4xf64>, memref<4x3xf64>) {
  %s = memref.alloca() : memref<3x4xf64>
  %t = memref.alloca() : memref<4x3xf64>
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 4 {
      %x = affine.load %a[%i, %j] : memref<3x4xf64>
      %y = affine.load %b[%i, %j] : memref<3x4xf64>
      %z = arith.addf %x, %y : f64
      affine.store %z, %s[%i, %j] : memref<3x4xf64>
      affine.store %z, %t[%j, %i] : memref<4x3xf64>
    }
  }
  return %s, %t : memref<3x4xf64>, memref<4x3xf64>
}
