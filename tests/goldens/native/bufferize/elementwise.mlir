// RUN: passes --to-scalars %s | filecheck %s --check-prefix=SCALARS
// RUN: passes --choose-elements %s | filecheck %s --check-prefix=CHOOSE
// RUN: passes --fuse-elementwise %s | filecheck %s

#id = affine_map<(i) -> (i)>

// A choice between tensors becomes a choice between their elements.
// CHOOSE-LABEL: func.func @choice(
// CHOOSE: %{{.*}} = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg1, %arg2 : tensor<8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>) {
// CHOOSE: %[[SELECT:.*]] = arith.select %arg0, %in, %in_0 : f32
// CHOOSE-NEXT: linalg.yield %[[SELECT]] : f32
func.func @choice(%c: i1, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %r = arith.select %c, %a, %b : tensor<8xf32>
  return %r : tensor<8xf32>
}

// A tensor without dimensions becomes a number.
// SCALARS-LABEL: func.func @number(
// SCALARS: %[[EXTRACT:.*]] = tensor.extract %{{.*}}[] : tensor<f32>
// SCALARS-NEXT: %{{.*}} = tensor.extract %{{.*}}[] : tensor<f32>
// SCALARS-NEXT: %[[ADDF:.*]] = arith.addf %[[EXTRACT]], %[[EXTRACT]] : f32
// SCALARS-NEXT: %[[FROM:.*]] = tensor.from_elements %[[ADDF]] : tensor<f32>
// SCALARS-NEXT: %{{.*}} = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%[[FROM]] : tensor<f32>) outs(%arg1 : tensor<8xf32>) {
// CHECK-LABEL: func.func @number(
// CHECK: %{{.*}} = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%arg0 : f32) outs(%arg1 : tensor<8xf32>) {
// CHECK-NEXT: ^bb0(%in: f32, %out: f32):
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %in, %in : f32
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ADDF]], %out : f32
// CHECK-NEXT: linalg.yield %[[MULF]] : f32
func.func @number(%x: f32, %t: tensor<8xf32>) -> tensor<8xf32> {
  %new = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%x : f32) outs(%new : tensor<f32>) -> tensor<f32>
  %one = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%f : tensor<f32>) outs(%new : tensor<f32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.addf %e, %e : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %all = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, #id], iterator_types = ["parallel"]} ins(%one : tensor<f32>) outs(%t : tensor<8xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.mulf %e, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %all : tensor<8xf32>
}

// Two operations become one loop where the tensor between them has one reader.
// CHECK-LABEL: func.func @chain(
// CHECK: %{{.*}} = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]} ins(%arg0, %arg1 : tensor<8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>) {
// CHECK-NEXT: ^bb0(%in: f32, %in_0: f32, %out: f32):
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %in, %in_0 : f32
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[ADDF]], %in_0 : f32
// CHECK-NEXT: linalg.yield %[[MULF]] : f32
func.func @chain(%a: tensor<8xf32>, %b: tensor<8xf32>, %out: tensor<8xf32>) -> tensor<8xf32> {
  %new = tensor.empty() : tensor<8xf32>
  %sum = linalg.add ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%new : tensor<8xf32>) -> tensor<8xf32>
  %product = linalg.mul ins(%sum, %b : tensor<8xf32>, tensor<8xf32>) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  return %product : tensor<8xf32>
}
