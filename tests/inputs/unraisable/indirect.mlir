// Expected: unchanged, one remark at the store to %bin: its subscript is read from memory.
func.func @histogram(%key: memref<1000xindex>, %weight: memref<1000xf64>, %bin: memref<64xf64>) {
  affine.for %i = 0 to 1000 {
    %k = affine.load %key[%i] : memref<1000xindex>
    %w = affine.load %weight[%i] : memref<1000xf64>
    %old = memref.load %bin[%k] : memref<64xf64>
    %new = arith.addf %old, %w : f64
    memref.store %new, %bin[%k] : memref<64xf64>  // expect-remark: subscript
  }
  return
}
