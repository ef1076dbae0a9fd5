// Made by `python -m tests.kernels`.
// doitgen of PolyBench/C 4.2.1, LARGE: NR = 150, NQ = 140, NP = 160

func.func @kernel_doitgen(%A: memref<150x140x160xf64>, %C4: memref<160x160xf64>,
    %sum: memref<160xf64>) {
  %cst_0 = arith.constant 0.0 : f64
  // A[r, q, :] := A[r, q, :] C4, through the buffer sum
  affine.for %r = 0 to 150 {
    affine.for %q = 0 to 140 {
      affine.for %p = 0 to 160 {
        affine.store %cst_0, %sum[%p] : memref<160xf64>
        affine.for %s = 0 to 160 {
          %sum_p = affine.load %sum[%p] : memref<160xf64>
          %A_rqs = affine.load %A[%r, %q, %s] : memref<150x140x160xf64>
          %C4_sp = affine.load %C4[%s, %p] : memref<160x160xf64>
          %prod = arith.mulf %A_rqs, %C4_sp : f64
          %sum_1 = arith.addf %sum_p, %prod : f64
          affine.store %sum_1, %sum[%p] : memref<160xf64>
        }
      }
      affine.for %p = 0 to 160 {
        %sum_p = affine.load %sum[%p] : memref<160xf64>
        affine.store %sum_p, %A[%r, %q, %p] : memref<150x140x160xf64>
      }
    }
  }
  return
}
