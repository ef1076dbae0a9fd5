// 1 at one place and 0 before and behind it: at other sizes conditions that exclude each other would overlap
func.func @one_hot(%out: memref<10xf64>) {
  %t = memref.alloca() : memref<i8>
  affine.for %i = 0 to 10 {
    affine.if affine_set<(d0) : (d0 - 5 == 0)>(%i) {
      %one = arith.constant 1 : i8
      affine.store %one, %t[] : memref<i8>
    } else {
      %zero = arith.constant 0 : i8
      affine.store %zero, %t[] : memref<i8>
    }
    %0 = affine.load %t[] : memref<i8>
    %1 = arith.sitofp %0 : i8 to f64
    affine.store %1, %out[%i] : memref<10xf64>
  }
  return
}
