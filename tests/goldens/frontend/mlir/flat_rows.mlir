// RUN: programs %s | filecheck %s

// Rows of flat memory are dimensions of the array.
// CHECK-LABEL: function sums(
// CHECK: argument A3: f64[A3_0][n2]
// CHECK: for i5 = 0 to n1
// CHECK-NEXT: for i6 = 0 to n2
// CHECK-NEXT: v7 = A3[i5][i6]
func.func @sums(%n: index, %m: index, %a: memref<?xf64>, %o: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %x = affine.load %a[%i * symbol(%m) + %j] : memref<?xf64>
      %y = affine.load %o[%i] : memref<?xf64>
      %z = arith.addf %x, %y : f64
      affine.store %z, %o[%i] : memref<?xf64>
    }
  }
  return
}

// A column that may be one of the next row: nothing is known of rows.
// CHECK-LABEL: function next(
// CHECK-NEXT: refused affine.for
func.func @next(%n: index, %m: index, %a: memref<?xf64>, %o: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %x = affine.load %a[%i * symbol(%m) + %j + 1] : memref<?xf64>
      affine.store %x, %o[%i] : memref<?xf64>
    }
  }
  return
}
