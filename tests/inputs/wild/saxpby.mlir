// z := a x + b y
#id = affine_map<(d0) -> (d0)>
func.func @saxpby(%n: index, %a: f32, %x: memref<?xf32>, %b: f32, %y: memref<?xf32>, %z: memref<?xf32>)
    attributes {llvm.noinline} {
  affine.for %k = 0 to min affine_map<()[s0] -> (s0, 7)>()[%n] {
    %i = affine.apply #id(%k)
    %0 = affine.load %x[%i] : memref<?xf32>
    %1 = arith.mulf %0, %a : f32
    %2 = affine.load %y[%i] : memref<?xf32>
    %3 = arith.mulf %2, %b : f32
    %4 = arith.addf %1, %3 : f32
    affine.store %4, %z[%i] : memref<?xf32>
  }
  return
}
