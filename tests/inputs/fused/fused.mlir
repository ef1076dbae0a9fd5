// factor * x + y
func.func @fused.axpy(%factor: tensor<f64>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %f = tensor.extract %factor[] : tensor<f64>
  %sum = linalg.map ins(%x, %y : tensor<?xf64>, tensor<?xf64>) outs(%x : tensor<?xf64>) (%a: f64, %b: f64, %old: f64) {
    %scaled = arith.mulf %a, %f : f64
    %both = arith.addf %scaled, %b : f64
    linalg.yield %both : f64
  }
  return %sum : tensor<?xf64>
}

// y[i] = sum over k of a[i,k] * x[k] * w[k]
func.func @fused.weighted(%a: tensor<?x?xf64>, %x: tensor<?xf64>, %w: tensor<?xf64>) -> tensor<?xf64> {
  %zero = arith.constant 0.0 : f64
  %0 = arith.constant 0 : index
  %rows = tensor.dim %a, %0 : tensor<?x?xf64>
  %empty = tensor.empty(%rows) : tensor<?xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<?xf64>) -> tensor<?xf64>
  %y = linalg.generic {
    indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a, %x, %w : tensor<?x?xf64>, tensor<?xf64>, tensor<?xf64>) outs(%zeros : tensor<?xf64>) {
  ^bb0(%p: f64, %q: f64, %r: f64, %sum: f64):
    %1 = arith.mulf %p, %q : f64
    %2 = arith.mulf %1, %r : f64
    %3 = arith.addf %sum, %2 : f64
    linalg.yield %3 : f64
  } -> tensor<?xf64>
  return %y : tensor<?xf64>
}
