// returns the Euclidean norm of x; the sum is kept in a one-element buffer
module {
  func.func @nrm2(%arg0: memref<29xf32>) -> f32 {
    %cst = arith.constant 0.0 : f32
    %acc = memref.alloca() : memref<1xf32>
    affine.store %cst, %acc[0] : memref<1xf32>
    affine.for %arg1 = 0 to 29 {
      %2 = affine.load %arg0[%arg1] : memref<29xf32>
      %3 = arith.mulf %2, %2 : f32
      %4 = affine.load %acc[0] : memref<1xf32>
      %5 = arith.addf %4, %3 : f32
      affine.store %5, %acc[0] : memref<1xf32>
    }
    %0 = affine.load %acc[0] : memref<1xf32>
    %1 = math.sqrt %0 : f32
    return %1 : f32
  }
}
