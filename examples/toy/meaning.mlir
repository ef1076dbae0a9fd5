// a · b
func.func @toy.matmul(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %rows = tensor.dim %a, %0 : tensor<?x?xf64>
  %columns = tensor.dim %b, %1 : tensor<?x?xf64>
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<?x?xf64>) -> tensor<?x?xf64>
  %product = linalg.matmul ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>)
                           outs(%zeros : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %product : tensor<?x?xf64>
}

// max(x, 0), element by element
func.func @toy.relu(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %y = linalg.map ins(%x : tensor<?x?xf64>) outs(%x : tensor<?x?xf64>) (%element: f64, %old: f64) {
    %larger = arith.maximumf %element, %zero : f64
    linalg.yield %larger : f64
  }
  return %y : tensor<?x?xf64>
}
