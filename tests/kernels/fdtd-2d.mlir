// Made by `python -m tests.kernels`.
// fdtd-2d of PolyBench/C 4.2.1, LARGE: T = 500, NX = 1000, NY = 1200

func.func @kernel_fdtd_2d(%ex: memref<1000x1200xf64>, %ey: memref<1000x1200xf64>,
    %hz: memref<1000x1200xf64>, %fict: memref<500xf64>) {
  %cst_0_5 = arith.constant 0.5 : f64
  %cst_0_7 = arith.constant 0.7 : f64
  // electric and magnetic field in turn
  affine.for %t = 0 to 500 {
    affine.for %j = 0 to 1200 {
      %fict_t = affine.load %fict[%t] : memref<500xf64>
      affine.store %fict_t, %ey[0, %j] : memref<1000x1200xf64>
    }
    affine.for %i = 1 to 1000 {
      affine.for %j = 0 to 1200 {
        %ey_ij = affine.load %ey[%i, %j] : memref<1000x1200xf64>
        %hz_ij = affine.load %hz[%i, %j] : memref<1000x1200xf64>
        %hz_el = affine.load %hz[%i - 1, %j] : memref<1000x1200xf64>
        %diff = arith.subf %hz_ij, %hz_el : f64
        %prod = arith.mulf %cst_0_5, %diff : f64
        %diff_1 = arith.subf %ey_ij, %prod : f64
        affine.store %diff_1, %ey[%i, %j] : memref<1000x1200xf64>
      }
    }
    affine.for %i = 0 to 1000 {
      affine.for %j = 1 to 1200 {
        %ex_ij = affine.load %ex[%i, %j] : memref<1000x1200xf64>
        %hz_ij = affine.load %hz[%i, %j] : memref<1000x1200xf64>
        %hz_el = affine.load %hz[%i, %j - 1] : memref<1000x1200xf64>
        %diff = arith.subf %hz_ij, %hz_el : f64
        %prod = arith.mulf %cst_0_5, %diff : f64
        %diff_1 = arith.subf %ex_ij, %prod : f64
        affine.store %diff_1, %ex[%i, %j] : memref<1000x1200xf64>
      }
    }
    affine.for %i = 0 to 999 {
      affine.for %j = 0 to 1199 {
        %hz_ij = affine.load %hz[%i, %j] : memref<1000x1200xf64>
        %ex_el = affine.load %ex[%i, %j + 1] : memref<1000x1200xf64>
        %ex_ij = affine.load %ex[%i, %j] : memref<1000x1200xf64>
        %diff = arith.subf %ex_el, %ex_ij : f64
        %ey_el = affine.load %ey[%i + 1, %j] : memref<1000x1200xf64>
        %sum = arith.addf %diff, %ey_el : f64
        %ey_ij = affine.load %ey[%i, %j] : memref<1000x1200xf64>
        %diff_1 = arith.subf %sum, %ey_ij : f64
        %prod = arith.mulf %cst_0_7, %diff_1 : f64
        %diff_2 = arith.subf %hz_ij, %prod : f64
        affine.store %diff_2, %hz[%i, %j] : memref<1000x1200xf64>
      }
    }
  }
  return
}
