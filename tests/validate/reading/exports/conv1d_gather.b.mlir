module @jit_cv_i {
  func.func public @main(%arg0: tensor<11xf32>, %arg1: tensor<5xf32>) -> (tensor<7xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<7xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %2 = stablehlo.iota dim = 0 : tensor<5xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<5xi32>) -> tensor<1x5xi32>
    %4 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<7x1xi32>) -> tensor<7x5xi32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x5xi32>) -> tensor<7x5xi32>
    %6 = stablehlo.add %4, %5 : tensor<7x5xi32>
    %7 = call @_take(%arg0, %6) : (tensor<11xf32>, tensor<7x5xi32>) -> tensor<7x5xf32>
    %8 = stablehlo.dot_general %7, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<7x5xf32>, tensor<5xf32>) -> tensor<7xf32>
    return %8 : tensor<7xf32>
  }
  func.func private @_take(%arg0: tensor<11xf32>, %arg1: tensor<7x5xi32>) -> tensor<7x5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<7x5xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi1>
    %c_0 = stablehlo.constant dense<11> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<7x5xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<7x5xi32>
    %4 = call @_where(%1, %3, %arg1) : (tensor<7x5xi1>, tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<7x5xi32>) -> tensor<7x5x1xi32>
    %c_1 = stablehlo.constant dense<10> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7x5x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<7x5x1xi32>, tensor<7x5x1xi32>) -> tensor<7x5x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<7x5x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<7x5x1xi32>, tensor<7x5x1xi32>) -> tensor<7x5x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<7x5x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<7x5x1xi1>, tensor<i1>) -> tensor<7x5xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<11xf32>, tensor<7x5x1xi32>) -> tensor<7x5xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7x5xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<7x5xi1>, tensor<7x5xf32>
    return %15 : tensor<7x5xf32>
  }
  func.func private @_where(%arg0: tensor<7x5xi1>, %arg1: tensor<7x5xi32>, %arg2: tensor<7x5xi32>) -> tensor<7x5xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<7x5xi1>, tensor<7x5xi32>
    return %0 : tensor<7x5xi32>
  }
}
