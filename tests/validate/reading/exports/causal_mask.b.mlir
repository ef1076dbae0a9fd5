module @jit_mask2 {
  func.func public @main(%arg0: tensor<9x9xf32>) -> (tensor<9x9xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<9x9xi32>
    %1 = stablehlo.iota dim = 1 : tensor<9x9xi32>
    %2 = stablehlo.compare LE, %1, %0, SIGNED : (tensor<9x9xi32>, tensor<9x9xi32>) -> tensor<9x9xi1>
    %cst = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %3 = call @_where(%2, %arg0, %cst) : (tensor<9x9xi1>, tensor<9x9xf32>, tensor<f32>) -> tensor<9x9xf32>
    return %3 : tensor<9x9xf32>
  }
  func.func private @_where(%arg0: tensor<9x9xi1>, %arg1: tensor<9x9xf32>, %arg2: tensor<f32>) -> tensor<9x9xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<9x9xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<9x9xi1>, tensor<9x9xf32>
    return %2 : tensor<9x9xf32>
  }
}
