// RUN: not passes --to-destinations %s | filecheck %s

// CHECK: function 'again' on tensors calls itself, or is not defined here
func.func @again(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = call @again(%t) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
