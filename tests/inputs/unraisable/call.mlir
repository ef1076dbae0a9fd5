// Expected: unchanged, one remark at the call: nothing is known of what @update reads or writes.
func.func private @update(f64, memref<100xf64>) -> f64

func.func @apply_update(%x: memref<100xf64>, %state: memref<100xf64>) {
  affine.for %i = 0 to 100 {
    %v = affine.load %x[%i] : memref<100xf64>
    %r = func.call @update(%v, %state) : (f64, memref<100xf64>) -> f64  // expect-remark: call
    affine.store %r, %x[%i] : memref<100xf64>
  }
  return
}
