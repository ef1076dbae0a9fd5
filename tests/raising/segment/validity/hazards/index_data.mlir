// indices as data
func.func @index_data(%y: memref<10x12xi32>, %z: memref<10x12xf64>) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 12 {
      %a = arith.addi %i, %j : index
      %v = arith.index_cast %a : index to i32
      affine.store %v, %y[%i, %j] : memref<10x12xi32>
      %f = arith.sitofp %v : i32 to f64
      affine.store %f, %z[%i, %j] : memref<10x12xf64>
    }
  }
  return
}
