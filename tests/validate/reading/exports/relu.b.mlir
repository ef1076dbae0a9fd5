module @jit__lambda {
  func.func public @main(%arg0: tensor<7xf32>) -> (tensor<7xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = call @_where(%1, %arg0, %cst_0) : (tensor<7xi1>, tensor<7xf32>, tensor<f32>) -> tensor<7xf32>
    return %2 : tensor<7xf32>
  }
  func.func private @_where(%arg0: tensor<7xi1>, %arg1: tensor<7xf32>, %arg2: tensor<f32>) -> tensor<7xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<7xi1>, tensor<7xf32>
    return %2 : tensor<7xf32>
  }
}
