// x[i] := x[i] + rate g[i] where |g[i]| >= threshold
func.func @masked_update(%rate: f64, %threshold: f64, %g: memref<21xf64>, %x: memref<21xf64>) {
  affine.for %i = 0 to 21 {
    %gi = affine.load %g[%i] : memref<21xf64>
    %size = math.absf %gi : f64
    %large = arith.cmpf oge, %size, %threshold : f64
    %xi = affine.load %x[%i] : memref<21xf64>
    %step = arith.mulf %rate, %gi : f64
    %moved = arith.addf %xi, %step : f64
    %new = arith.select %large, %moved, %xi : f64
    affine.store %new, %x[%i] : memref<21xf64>
  }
  return
}
