// RUN: passes --bufferize --block-loops %s | filecheck %s
// RUN: passes --bufferize --block-loops=fp=strict %s | filecheck %s --check-prefix=STRICT

// Element t of the solution needs all elements before it. The sums of 128 iterations over everything before these
// are one contraction, those of 32 over what comes before these in the block another; the inner loop adds what the
// iterations of its own block contribute.
// CHECK-LABEL: func.func @solve(
// CHECK: scf.for %arg2 = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[MINSI:.*]] = arith.minsi %{{.*}}, %{{.*}} : index
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<128xf64>
// CHECK: linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%{{.*}} : memref<?xf64, strided<[1]>>) {
// CHECK: linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%{{.*}}, %{{.*}} : memref<?x?xf64, strided<[150, 1], offset: ?>>, memref<?xf64, strided<[1]>>) outs(%{{.*}} : memref<?xf64, strided<[1]>>) {
// CHECK: scf.for %arg3 = %arg2 to %[[MINSI]] step %{{.*}} {
// CHECK: %[[INNER:.*]] = arith.minsi %{{.*}}, %[[MINSI]] : index
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<32xf64>
// CHECK: linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%{{.*}} : memref<?xf64, strided<[1]>>) {
// CHECK: linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%{{.*}}, %{{.*}} : memref<?x?xf64, strided<[150, 1], offset: ?>>, memref<?xf64, strided<[1], offset: ?>>) outs(%{{.*}} : memref<?xf64, strided<[1]>>) {
// CHECK: scf.for %arg4 = %arg3 to %[[INNER]] step %{{.*}} {
// CHECK: %[[MEM1:.*]] = memref.alloc() {alignment = 64 : i64} : memref<f64>
// CHECK-NEXT: linalg.generic {indexing_maps = [#map4], iterator_types = []} outs(%[[MEM1]] : memref<f64>) {
// CHECK: linalg.generic {indexing_maps = [#map, #map, #map5], iterator_types = ["reduction"]} ins(%{{.*}}, %{{.*}} : memref<?xf64, strided<[1], offset: ?>>, memref<?xf64, strided<[1], offset: ?>>) outs(%[[MEM1]] : memref<f64>) {
// CHECK: linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%{{.*}} : memref<f64, strided<[], offset: ?>>) outs(%[[MEM1]] : memref<f64>) {
// STRICT: scf.for
// STRICT-NOT: scf.for
func.func @solve(%ma: memref<150x150xf64>, %mx: memref<150xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 150 : index
  %zero = arith.constant 0.0 : f64
  %a = bufferization.to_tensor %ma restrict : memref<150x150xf64> to tensor<150x150xf64>
  %x = bufferization.to_tensor %mx restrict writable : memref<150xf64> to tensor<150xf64>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%X = %x) -> tensor<150xf64> {
    %p = tensor.extract_slice %a[%t, 0] [1, %t] [1, 1] : tensor<150x150xf64> to tensor<?xf64>
    %q = tensor.extract_slice %X[0] [%t] [1] : tensor<150xf64> to tensor<?xf64>
    %e = tensor.empty() : tensor<f64>
    %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
    %d = linalg.dot ins(%p, %q : tensor<?xf64>, tensor<?xf64>) outs(%f : tensor<f64>) -> tensor<f64>
    %s = tensor.extract %d[] : tensor<f64>
    %old = tensor.extract %X[%t] : tensor<150xf64>
    %new = arith.subf %old, %s : f64
    %X1 = tensor.insert %new into %X[%t] : tensor<150xf64>
    scf.yield %X1 : tensor<150xf64>
  }
  bufferization.materialize_in_destination %r in restrict writable %mx : (tensor<150xf64>, memref<150xf64>) -> ()
  return
}
