// Made by `python -m tests.kernels`.
// covariance of PolyBench/C 4.2.1, LARGE: M = 1200, N = 1400

func.func @kernel_covariance(%float_n: f64, %data: memref<1400x1200xf64>,
    %cov: memref<1200x1200xf64>, %mean: memref<1200xf64>) {
  %cst_0 = arith.constant 0.0 : f64
  %cst_1 = arith.constant 1.0 : f64
  // column means
  affine.for %j = 0 to 1200 {
    affine.store %cst_0, %mean[%j] : memref<1200xf64>
    affine.for %i = 0 to 1400 {
      %mean_j = affine.load %mean[%j] : memref<1200xf64>
      %data_ij = affine.load %data[%i, %j] : memref<1400x1200xf64>
      %sum = arith.addf %mean_j, %data_ij : f64
      affine.store %sum, %mean[%j] : memref<1200xf64>
    }
    %mean_j = affine.load %mean[%j] : memref<1200xf64>
    %quot = arith.divf %mean_j, %float_n : f64
    affine.store %quot, %mean[%j] : memref<1200xf64>
  }
  // centre the columns
  affine.for %i = 0 to 1400 {
    affine.for %j = 0 to 1200 {
      %data_ij = affine.load %data[%i, %j] : memref<1400x1200xf64>
      %mean_j = affine.load %mean[%j] : memref<1200xf64>
      %diff = arith.subf %data_ij, %mean_j : f64
      affine.store %diff, %data[%i, %j] : memref<1400x1200xf64>
    }
  }
  // upper triangle of data' data / (n - 1), mirrored
  affine.for %i = 0 to 1200 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to 1200 {
      affine.store %cst_0, %cov[%i, %j] : memref<1200x1200xf64>
      affine.for %k = 0 to 1400 {
        %cov_ij = affine.load %cov[%i, %j] : memref<1200x1200xf64>
        %data_ki = affine.load %data[%k, %i] : memref<1400x1200xf64>
        %data_kj = affine.load %data[%k, %j] : memref<1400x1200xf64>
        %prod = arith.mulf %data_ki, %data_kj : f64
        %sum = arith.addf %cov_ij, %prod : f64
        affine.store %sum, %cov[%i, %j] : memref<1200x1200xf64>
      }
      %cov_ij = affine.load %cov[%i, %j] : memref<1200x1200xf64>
      %diff = arith.subf %float_n, %cst_1 : f64
      %quot = arith.divf %cov_ij, %diff : f64
      affine.store %quot, %cov[%i, %j] : memref<1200x1200xf64>
      %cov_ij_1 = affine.load %cov[%i, %j] : memref<1200x1200xf64>
      affine.store %cov_ij_1, %cov[%j, %i] : memref<1200x1200xf64>
    }
  }
  return
}
