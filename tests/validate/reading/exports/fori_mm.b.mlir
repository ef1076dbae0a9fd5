module @jit_matmul {
  func.func public @main(%arg0: tensor<5x6xf32>, %arg1: tensor<6x4xf32>) -> (tensor<5x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x6xf32>, tensor<6x4xf32>) -> tensor<5x4xf32>
    return %0 : tensor<5x4xf32>
  }
}
