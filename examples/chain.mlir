// A product of four matrices from left to right: 543,000 multiplications. Another order needs 31,200.
func.func @chain(%a: tensor<100x50xf64>, %b: tensor<50x90xf64>, %c: tensor<90x10xf64>, %d: tensor<10x3xf64>)
    -> tensor<100x3xf64> {
  %e0 = tensor.empty() : tensor<100x90xf64>
  %ab = linalg.matmul ins(%a, %b : tensor<100x50xf64>, tensor<50x90xf64>)
                      outs(%e0 : tensor<100x90xf64>) -> tensor<100x90xf64>
  %e1 = tensor.empty() : tensor<100x10xf64>
  %abc = linalg.matmul ins(%ab, %c : tensor<100x90xf64>, tensor<90x10xf64>)
                       outs(%e1 : tensor<100x10xf64>) -> tensor<100x10xf64>
  %e2 = tensor.empty() : tensor<100x3xf64>
  %abcd = linalg.matmul ins(%abc, %d : tensor<100x10xf64>, tensor<10x3xf64>)
                        outs(%e2 : tensor<100x3xf64>) -> tensor<100x3xf64>
  return %abcd : tensor<100x3xf64>
}
