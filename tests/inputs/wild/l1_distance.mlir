// D[i, j] := sum over k of |X[i, k] - Y[j, k]|
func.func @l1_distance(%X: memref<6x4xf64>, %Y: memref<7x4xf64>, %D: memref<6x7xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 7 {
      affine.store %zero, %D[%i, %j] : memref<6x7xf64>
      affine.for %k = 0 to 4 {
        %x = affine.load %X[%i, %k] : memref<6x4xf64>
        %y = affine.load %Y[%j, %k] : memref<7x4xf64>
        %d = arith.subf %x, %y : f64
        %a = math.absf %d : f64
        %s = affine.load %D[%i, %j] : memref<6x7xf64>
        %t = arith.addf %s, %a : f64
        affine.store %t, %D[%i, %j] : memref<6x7xf64>
      }
    }
  }
  return
}
