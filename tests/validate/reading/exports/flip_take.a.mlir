module @jit__lambda {
  func.func public @main(%arg0: tensor<5x6xf32>) -> (tensor<5x6xf32> {jax.result_info = "result"}) {
    %0 = call @_flip(%arg0) : (tensor<5x6xf32>) -> tensor<5x6xf32>
    return %0 : tensor<5x6xf32>
  }
  func.func private @_flip(%arg0: tensor<5x6xf32>) -> tensor<5x6xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<5x6xf32>
    return %0 : tensor<5x6xf32>
  }
}
