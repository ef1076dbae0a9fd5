// A kernel of multiresolution quantum chemistry (PolyBench's doitgen, LARGE):
// A[r, q, p] := sum over s of A[r, q, s] C4[s, p], in place.
//
//   raise examples/doitgen.mlir --target linalg
//
// A row of A is overwritten only when the whole new row stands in the buffer %sum. The buffer is
// used again for every (r, q): seen as one array it ties all iterations together, and only when it
// is expanded to one buffer per iteration does the single contraction behind the loops appear.
// The caller may look at %sum afterwards, so it must end as the last row, as it does here.
func.func @doitgen(%A: memref<150x140x160xf64>, %C4: memref<160x160xf64>, %sum: memref<160xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %r = 0 to 150 {
    affine.for %q = 0 to 140 {
      // sum := A[r, q, :] C4
      affine.for %p = 0 to 160 {
        affine.store %zero, %sum[%p] : memref<160xf64>
        affine.for %s = 0 to 160 {
          %a = affine.load %A[%r, %q, %s] : memref<150x140x160xf64>
          %c = affine.load %C4[%s, %p] : memref<160x160xf64>
          %product = arith.mulf %a, %c : f64
          %partial = affine.load %sum[%p] : memref<160xf64>
          %next = arith.addf %partial, %product : f64
          affine.store %next, %sum[%p] : memref<160xf64>
        }
      }
      // A[r, q, :] := sum
      affine.for %p = 0 to 160 {
        %new = affine.load %sum[%p] : memref<160xf64>
        affine.store %new, %A[%r, %q, %p] : memref<150x140x160xf64>
      }
    }
  }
  return
}
