module @jit_mask1 {
  func.func public @main(%arg0: tensor<9x9xf32>) -> (tensor<9x9xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<true> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<9x9xi1>
    %1 = call @tril(%0) : (tensor<9x9xi1>) -> tensor<9x9xi1>
    %cst = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %2 = call @_where(%1, %arg0, %cst) : (tensor<9x9xi1>, tensor<9x9xf32>, tensor<f32>) -> tensor<9x9xf32>
    return %2 : tensor<9x9xf32>
  }
  func.func private @tril(%arg0: tensor<9x9xi1>) -> tensor<9x9xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<9x9xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<9x9xi32>
    %2 = stablehlo.add %0, %1 : tensor<9x9xi32>
    %3 = stablehlo.iota dim = 1 : tensor<9x9xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<9x9xi32>, tensor<9x9xi32>) -> tensor<9x9xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<9x9xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<9x9xi1>, tensor<9x9xi1>
    return %6 : tensor<9x9xi1>
  }
  func.func private @_where(%arg0: tensor<9x9xi1>, %arg1: tensor<9x9xf32>, %arg2: tensor<f32>) -> tensor<9x9xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<9x9xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<9x9xi1>, tensor<9x9xf32>
    return %2 : tensor<9x9xf32>
  }
}
