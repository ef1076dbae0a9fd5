// a truth value that lies in a byte: what is cut from a number at random is true half of the time, not always
func.func @truth_in_bytes(%x: memref<9xf64>, %y: memref<9xf64>) {
  %t = memref.alloca() : memref<i8>
  affine.for %i = 0 to 9 {
    affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {
      %a = affine.load %x[%i] : memref<9xf64>
      %b = affine.load %y[%i] : memref<9xf64>
      %c = arith.cmpf ogt, %a, %b : f64
      %d = arith.extui %c : i1 to i8
      affine.store %d, %t[] : memref<i8>
    } else {
      %zero = arith.constant 0 : i8
      affine.store %zero, %t[] : memref<i8>
    }
    %0 = affine.load %t[] : memref<i8>
    %1 = arith.trunci %0 : i8 to i1
    %2 = affine.load %x[%i] : memref<9xf64>
    %less = arith.constant -1.0 : f64
    %3 = arith.select %1, %2, %less : f64
    affine.store %3, %y[%i] : memref<9xf64>
  }
  return
}
