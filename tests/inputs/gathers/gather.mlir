// Expected: one operation that reads at positions that are data.
func.func @gather(%index: memref<200xi32>, %table: memref<50xf32>, %out: memref<200xf32>) {
  affine.for %i = 0 to 200 {
    %raw = affine.load %index[%i] : memref<200xi32>
    %at = arith.index_cast %raw : i32 to index
    %v = memref.load %table[%at] : memref<50xf32>
    affine.store %v, %out[%i] : memref<200xf32>
  }
  return
}
