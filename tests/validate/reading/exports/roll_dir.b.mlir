module @jit__lambda {
  func.func public @main(%arg0: tensor<5x6xf32>) -> (tensor<5x6xf32> {jax.result_info = "result"}) {
    %0 = call @_roll_static(%arg0) : (tensor<5x6xf32>) -> tensor<5x6xf32>
    return %0 : tensor<5x6xf32>
  }
  func.func private @_roll_static(%arg0: tensor<5x6xf32>) -> tensor<5x6xf32> {
    %0 = stablehlo.slice %arg0 [0:5, 2:6] : (tensor<5x6xf32>) -> tensor<5x4xf32>
    %1 = stablehlo.slice %arg0 [0:5, 0:2] : (tensor<5x6xf32>) -> tensor<5x2xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<5x4xf32>, tensor<5x2xf32>) -> tensor<5x6xf32>
    return %2 : tensor<5x6xf32>
  }
}
