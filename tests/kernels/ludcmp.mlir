// Made by `python -m tests.kernels`.
// ludcmp of PolyBench/C 4.2.1, LARGE: N = 2000

func.func @kernel_ludcmp(%A: memref<2000x2000xf64>, %b: memref<2000xf64>, %x: memref<2000xf64>,
    %y: memref<2000xf64>) {
  // L U = A in place, then A x = b by two substitutions
  affine.for %i = 0 to 2000 {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %A_ij = affine.load %A[%i, %j] : memref<2000x2000xf64>
      %result = affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) iter_args(%w_in = %A_ij) -> (f64) {
        %A_ik = affine.load %A[%i, %k] : memref<2000x2000xf64>
        %A_kj = affine.load %A[%k, %j] : memref<2000x2000xf64>
        %prod = arith.mulf %A_ik, %A_kj : f64
        %diff = arith.subf %w_in, %prod : f64
        affine.yield %diff : f64
      }
      %A_jj = affine.load %A[%j, %j] : memref<2000x2000xf64>
      %quot = arith.divf %result, %A_jj : f64
      affine.store %quot, %A[%i, %j] : memref<2000x2000xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to 2000 {
      %A_ij = affine.load %A[%i, %j] : memref<2000x2000xf64>
      %result = affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%w_in = %A_ij) -> (f64) {
        %A_ik = affine.load %A[%i, %k] : memref<2000x2000xf64>
        %A_kj = affine.load %A[%k, %j] : memref<2000x2000xf64>
        %prod = arith.mulf %A_ik, %A_kj : f64
        %diff = arith.subf %w_in, %prod : f64
        affine.yield %diff : f64
      }
      affine.store %result, %A[%i, %j] : memref<2000x2000xf64>
    }
  }
  affine.for %i = 0 to 2000 {
    %b_i = affine.load %b[%i] : memref<2000xf64>
    %result = affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%w_in = %b_i) -> (f64) {
      %A_ij = affine.load %A[%i, %j] : memref<2000x2000xf64>
      %y_j = affine.load %y[%j] : memref<2000xf64>
      %prod = arith.mulf %A_ij, %y_j : f64
      %diff = arith.subf %w_in, %prod : f64
      affine.yield %diff : f64
    }
    affine.store %result, %y[%i] : memref<2000xf64>
  }
  affine.for %i = 0 to 2000 {
    %y_el = affine.load %y[-%i + 1999] : memref<2000xf64>
    %result = affine.for %j = affine_map<(d0) -> (-d0 + 2000)>(%i) to 2000 iter_args(%w_in = %y_el) -> (f64) {
      %A_el = affine.load %A[-%i + 1999, %j] : memref<2000x2000xf64>
      %x_j = affine.load %x[%j] : memref<2000xf64>
      %prod = arith.mulf %A_el, %x_j : f64
      %diff = arith.subf %w_in, %prod : f64
      affine.yield %diff : f64
    }
    %A_el = affine.load %A[-%i + 1999, -%i + 1999] : memref<2000x2000xf64>
    %quot = arith.divf %result, %A_el : f64
    affine.store %quot, %x[-%i + 1999] : memref<2000xf64>
  }
  return
}
