// One nest that is tensor algebra and one that is not, in the same function.
//
//   raise examples/mixed.mlir --target linalg
//
// The first nest, b := A x, is raised. The second is one Gauss-Seidel sweep over a line: each
// unknown uses the neighbour that was relaxed just before it, so the order of the loop is part of
// its meaning. It stays as it is, and a remark says where it stands and why. Nothing is lost: the
// exit status is 0, or 1 with --require-all.
func.func @relax(%A: memref<300x400xf64>, %x: memref<400xf64>, %b: memref<300xf64>, %u: memref<300xf64>) {
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64

  // b := A x
  affine.for %i = 0 to 300 {
    affine.store %zero, %b[%i] : memref<300xf64>
    affine.for %j = 0 to 400 {
      %a = affine.load %A[%i, %j] : memref<300x400xf64>
      %v = affine.load %x[%j] : memref<400xf64>
      %product = arith.mulf %a, %v : f64
      %partial = affine.load %b[%i] : memref<300xf64>
      %next = arith.addf %partial, %product : f64
      affine.store %next, %b[%i] : memref<300xf64>
    }
  }

  // u[i] := (u[i - 1] + u[i + 1] + b[i]) / 2, where u[i - 1] is already the new one
  affine.for %i = 1 to 299 {
    %left = affine.load %u[%i - 1] : memref<300xf64>
    %right = affine.load %u[%i + 1] : memref<300xf64>
    %source = affine.load %b[%i] : memref<300xf64>
    %around = arith.addf %left, %right : f64
    %both = arith.addf %around, %source : f64
    %new = arith.mulf %both, %half : f64
    affine.store %new, %u[%i] : memref<300xf64>
  }
  return
}
