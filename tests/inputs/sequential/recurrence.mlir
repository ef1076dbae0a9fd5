// Expected: unchanged, one remark at the loop: each element needs the square of the one before it,
// so neither order nor association is free.
func.func @orbit(%x: memref<96xf64>) {
  affine.for %i = 1 to 96 {  // expect-remark: sequential
    %before = affine.load %x[%i - 1] : memref<96xf64>
    %here = affine.load %x[%i] : memref<96xf64>
    %square = arith.mulf %before, %before : f64
    %next = arith.addf %square, %here : f64
    affine.store %next, %x[%i] : memref<96xf64>
  }
  return
}
