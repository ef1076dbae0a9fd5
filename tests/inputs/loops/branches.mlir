// | a=9 b=9
func.func @if_around_store(%a: memref<9xf64>, %b: memref<9xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 9 {
    %x = affine.load %a[%i] : memref<9xf64>
    %c = arith.cmpf ogt, %x, %zero : f64
    scf.if %c {
      affine.store %x, %b[%i] : memref<9xf64>
    }
  }
  return
}
// n=0,1,8 | a=n b=n
func.func @if_else_stores(%n: index, %a: memref<?xf32>, %b: memref<?xf32>) {
  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %c = arith.cmpf olt, %x, %one : f32
    scf.if %c {
      %y = arith.negf %x : f32
      affine.store %y, %b[%i] : memref<?xf32>
    } else {
      %y = arith.mulf %x, %x : f32
      affine.store %y, %b[%i] : memref<?xf32>
    }
  }
  return
}
// n=0,1,8 | a=n b=n
func.func @if_with_result(%n: index, %a: memref<?xf64>, %b: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf oge, %x, %zero : f64
    %r = scf.if %c -> (f64) {
      scf.yield %x : f64
    } else {
      %y = arith.addf %x, %x : f64
      scf.yield %y : f64
    }
    affine.store %r, %b[%i] : memref<?xf64>
  }
  return
}
// n=0,1,8 flag=0,1,1 | a=n
func.func @scalar_condition(%n: index, %flag: i32, %a: memref<?xf64>) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2.0 : f64
  %c = arith.cmpi ne, %flag, %zero : i32
  scf.if %c {
    affine.for %i = 0 to %n {
      %x = affine.load %a[%i] : memref<?xf64>
      %y = arith.mulf %x, %two : f64
      affine.store %y, %a[%i] : memref<?xf64>
    }
  }
  return
}
// | a=9
func.func @guarded_sum(%a: memref<9xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %s = affine.for %i = 0 to 9 iter_args(%acc = %zero) -> (f64) {
    %x = affine.load %a[%i] : memref<9xf64>
    %c = arith.cmpf ogt, %x, %zero : f64
    %r = scf.if %c -> (f64) {
      %t = arith.addf %acc, %x : f64
      scf.yield %t : f64
    } else {
      scf.yield %acc : f64
    }
    affine.yield %r : f64
  }
  return %s : f64
}
// n=0,1,8 | a=n o=n
func.func @two_nested_ifs(%n: index, %a: memref<?xi32>, %o: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xi32>
    %c = arith.cmpi sgt, %x, %zero : i32
    scf.if %c {
      %d = arith.cmpi slt, %x, %two : i32
      scf.if %d {
        affine.store %x, %o[%i] : memref<?xi32>
      } else {
        affine.store %two, %o[%i] : memref<?xi32>
      }
    } else {
      affine.store %zero, %o[%i] : memref<?xi32>
    }
  }
  return
}
