// Expected: @add and @outer are raised, @orbit stays with a remark, @twice (no loop) and the
// declaration are left alone.
module {
  func.func private @log(f64)

  func.func @add(%x: memref<25xf64>, %y: memref<25xf64>) {
    affine.for %i = 0 to 25 {
      %a = affine.load %x[%i] : memref<25xf64>
      %b = affine.load %y[%i] : memref<25xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %y[%i] : memref<25xf64>
    }
    return
  }

  func.func @orbit(%x: memref<25xf64>) {
    affine.for %i = 1 to 25 {  // expect-remark: sequential
      %a = affine.load %x[%i - 1] : memref<25xf64>
      %b = affine.load %x[%i] : memref<25xf64>
      %s = arith.mulf %a, %a : f64
      %c = arith.addf %s, %b : f64
      affine.store %c, %x[%i] : memref<25xf64>
    }
    return
  }

  func.func @twice(%a: f64) -> f64 {
    %b = arith.addf %a, %a : f64
    return %b : f64
  }

  func.func @outer(%x: memref<25xf64>, %y: memref<30xf64>, %A: memref<25x30xf64>) {
    affine.for %i = 0 to 25 {
      affine.for %j = 0 to 30 {
        %a = affine.load %x[%i] : memref<25xf64>
        %b = affine.load %y[%j] : memref<30xf64>
        %c = arith.mulf %a, %b : f64
        affine.store %c, %A[%i, %j] : memref<25x30xf64>
      }
    }
    return
  }
}
