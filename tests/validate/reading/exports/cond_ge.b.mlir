module @jit__lambda {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<9xf32>) -> (tensor<9xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare GE, %arg0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.multiply %1, %arg1 : tensor<9xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %4 = stablehlo.subtract %arg1, %3 : tensor<9xf32>
    %5 = call @_where(%0, %2, %4) : (tensor<i1>, tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    return %5 : tensor<9xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<9xf32>, %arg2: tensor<9xf32>) -> tensor<9xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<9xf32>
    return %0 : tensor<9xf32>
  }
}
