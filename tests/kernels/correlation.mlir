// Made by `python -m tests.kernels`.
// correlation of PolyBench/C 4.2.1, LARGE: M = 1200, N = 1400

func.func @kernel_correlation(%float_n: f64, %data: memref<1400x1200xf64>,
    %corr: memref<1200x1200xf64>, %mean: memref<1200xf64>, %stddev: memref<1200xf64>) {
  %cst_0 = arith.constant 0.0 : f64
  %cst_0_1 = arith.constant 0.1 : f64
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
  // column deviations; nearly constant columns count as deviation 1
  affine.for %j = 0 to 1200 {
    affine.store %cst_0, %stddev[%j] : memref<1200xf64>
    affine.for %i = 0 to 1400 {
      %stddev_j = affine.load %stddev[%j] : memref<1200xf64>
      %data_ij = affine.load %data[%i, %j] : memref<1400x1200xf64>
      %mean_j = affine.load %mean[%j] : memref<1200xf64>
      %diff = arith.subf %data_ij, %mean_j : f64
      %data_ij_1 = affine.load %data[%i, %j] : memref<1400x1200xf64>
      %mean_j_1 = affine.load %mean[%j] : memref<1200xf64>
      %diff_1 = arith.subf %data_ij_1, %mean_j_1 : f64
      %prod = arith.mulf %diff, %diff_1 : f64
      %sum = arith.addf %stddev_j, %prod : f64
      affine.store %sum, %stddev[%j] : memref<1200xf64>
    }
    %stddev_j = affine.load %stddev[%j] : memref<1200xf64>
    %quot = arith.divf %stddev_j, %float_n : f64
    affine.store %quot, %stddev[%j] : memref<1200xf64>
    %stddev_j_1 = affine.load %stddev[%j] : memref<1200xf64>
    %sqrt = math.sqrt %stddev_j_1 : f64
    affine.store %sqrt, %stddev[%j] : memref<1200xf64>
    %stddev_j_2 = affine.load %stddev[%j] : memref<1200xf64>
    %test = arith.cmpf ole, %stddev_j_2, %cst_0_1 : f64
    %stddev_j_3 = affine.load %stddev[%j] : memref<1200xf64>
    %chosen = arith.select %test, %cst_1, %stddev_j_3 : f64
    affine.store %chosen, %stddev[%j] : memref<1200xf64>
  }
  // centre and scale the columns
  affine.for %i = 0 to 1400 {
    affine.for %j = 0 to 1200 {
      %data_ij = affine.load %data[%i, %j] : memref<1400x1200xf64>
      %mean_j = affine.load %mean[%j] : memref<1200xf64>
      %diff = arith.subf %data_ij, %mean_j : f64
      affine.store %diff, %data[%i, %j] : memref<1400x1200xf64>
      %data_ij_1 = affine.load %data[%i, %j] : memref<1400x1200xf64>
      %sqrt = math.sqrt %float_n : f64
      %stddev_j = affine.load %stddev[%j] : memref<1200xf64>
      %prod = arith.mulf %sqrt, %stddev_j : f64
      %quot = arith.divf %data_ij_1, %prod : f64
      affine.store %quot, %data[%i, %j] : memref<1400x1200xf64>
    }
  }
  // upper triangle of data' data, mirrored; ones on the diagonal
  affine.for %i = 0 to 1199 {
    affine.store %cst_1, %corr[%i, %i] : memref<1200x1200xf64>
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to 1200 {
      affine.store %cst_0, %corr[%i, %j] : memref<1200x1200xf64>
      affine.for %k = 0 to 1400 {
        %corr_ij = affine.load %corr[%i, %j] : memref<1200x1200xf64>
        %data_ki = affine.load %data[%k, %i] : memref<1400x1200xf64>
        %data_kj = affine.load %data[%k, %j] : memref<1400x1200xf64>
        %prod = arith.mulf %data_ki, %data_kj : f64
        %sum = arith.addf %corr_ij, %prod : f64
        affine.store %sum, %corr[%i, %j] : memref<1200x1200xf64>
      }
      %corr_ij = affine.load %corr[%i, %j] : memref<1200x1200xf64>
      affine.store %corr_ij, %corr[%j, %i] : memref<1200x1200xf64>
    }
  }
  affine.store %cst_1, %corr[1199, 1199] : memref<1200x1200xf64>
  return
}
