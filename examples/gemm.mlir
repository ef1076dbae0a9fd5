// General matrix multiplication, C := alpha A B + beta C, at PolyBench's LARGE size.
//
//   raise examples/gemm.mlir --target linalg
//
// These are the loops a C programmer would write: row i of C is scaled, then row k of B is added
// to it, A[i, k] times, for every k. All three extents differ, so each dimension has one meaning.
func.func @gemm(%alpha: f64, %beta: f64, %C: memref<1000x1100xf64>,
                %A: memref<1000x1200xf64>, %B: memref<1200x1100xf64>) {
  affine.for %i = 0 to 1000 {
    // C[i, :] := beta C[i, :]
    affine.for %j = 0 to 1100 {
      %c = affine.load %C[%i, %j] : memref<1000x1100xf64>
      %scaled = arith.mulf %c, %beta : f64
      affine.store %scaled, %C[%i, %j] : memref<1000x1100xf64>
    }
    // C[i, :] := C[i, :] + alpha A[i, k] B[k, :], for every k
    affine.for %k = 0 to 1200 {
      affine.for %j = 0 to 1100 {
        %a = affine.load %A[%i, %k] : memref<1000x1200xf64>
        %alpha_a = arith.mulf %alpha, %a : f64
        %b = affine.load %B[%k, %j] : memref<1200x1100xf64>
        %product = arith.mulf %alpha_a, %b : f64
        %c = affine.load %C[%i, %j] : memref<1000x1100xf64>
        %sum = arith.addf %c, %product : f64
        affine.store %sum, %C[%i, %j] : memref<1000x1100xf64>
      }
    }
  }
  return
}
