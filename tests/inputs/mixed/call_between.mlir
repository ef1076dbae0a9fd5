// Expected: both loops are raised, the call between them stays in its place: it may read and write %x.
func.func private @report(memref<32xf32>)

func.func @scale_report_shift(%a: f32, %x: memref<32xf32>) {
  affine.for %i = 0 to 32 {
    %v = affine.load %x[%i] : memref<32xf32>
    %w = arith.mulf %v, %a : f32
    affine.store %w, %x[%i] : memref<32xf32>
  }
  func.call @report(%x) : (memref<32xf32>) -> ()
  affine.for %i = 0 to 32 {
    %v = affine.load %x[%i] : memref<32xf32>
    %w = arith.addf %v, %a : f32
    affine.store %w, %x[%i] : memref<32xf32>
  }
  return
}
