// RUN: passes --to-destinations --bufferize --schedule-contractions %s | filecheck %s

// A product of which only the lower half is kept, as `select(condition, value, old contents)`: tiles above the diagonal
// are left out, and the others keep what lies above it.
// CHECK-LABEL: func.func private @contraction0(
// CHECK: vector.fma
// CHECK: %[[LOWER:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}} : vector<8xindex>
// CHECK-NEXT: %[[OLD:.*]] = vector.load %arg3[
// CHECK-NEXT: %[[NEW:.*]] = arith.select %[[LOWER]], %{{.*}}, %[[OLD]]
// CHECK-NEXT: vector.store %[[NEW]], %arg0[
func.func @lower(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) {
  ^bb0(%new: f32, %old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %low = arith.cmpi sle, %j, %i : index
    %s = arith.select %low, %new, %old : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
