// Made by `python -m tests.kernels`.
// floyd-warshall of PolyBench/C 4.2.1, LARGE: N = 2800

func.func @kernel_floyd_warshall(%path: memref<2800x2800xf64>) {
  // shortest paths between all pairs
  affine.for %k = 0 to 2800 {
    affine.for %i = 0 to 2800 {
      affine.for %j = 0 to 2800 {
        %path_ik = affine.load %path[%i, %k] : memref<2800x2800xf64>
        %path_kj = affine.load %path[%k, %j] : memref<2800x2800xf64>
        %sum = arith.addf %path_ik, %path_kj : f64
        %path_ij = affine.load %path[%i, %j] : memref<2800x2800xf64>
        %test = arith.cmpf olt, %path_ij, %sum : f64
        %path_ij_1 = affine.load %path[%i, %j] : memref<2800x2800xf64>
        %chosen = arith.select %test, %path_ij_1, %sum : f64
        affine.store %chosen, %path[%i, %j] : memref<2800x2800xf64>
      }
    }
  }
  return
}
