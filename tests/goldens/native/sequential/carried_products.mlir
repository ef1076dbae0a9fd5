// RUN: passes --fuse-carried-products %s | filecheck %s

// Of two products of a sum, the one that the next iteration waits for is fused; what is only handed on (%old) is none.
// CHECK-LABEL: func.func @average(
// CHECK: scf.for {{.*}} iter_args(%[[E:.*]] = %{{.*}}, %[[OLD:.*]] = %{{.*}}) -> (f32, f32) {
// CHECK: %[[A:.*]] = memref.load
// CHECK-NEXT: %[[T:.*]] = arith.mulf %[[A]], %[[OLD]]
// CHECK-NEXT: %[[R:.*]] = math.fma %[[E]], %{{.*}}, %[[T]] fastmath<reassoc,contract> : f32
// CHECK-NEXT: scf.yield %[[R]], %[[A]]
func.func @average(%a: memref<?xf32>, %n: index, %w: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %begin = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%e = %begin, %old = %begin) -> (f32, f32) {
    %x = memref.load %a[%i] : memref<?xf32>
    %p = arith.mulf %e, %w fastmath<reassoc,contract> : f32
    %t = arith.mulf %x, %old fastmath<reassoc,contract> : f32
    %s = arith.addf %t, %p fastmath<reassoc,contract> : f32
    scf.yield %s, %x : f32, f32
  }
  return %r#0 : f32
}

// Not where each operation rounds, nor where another one needs the product.
// CHECK-LABEL: func.func @kept(
// CHECK-NOT: math.fma
func.func @kept(%a: memref<?xf32>, %n: index, %w: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %begin = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%e = %begin, %f = %begin) -> (f32, f32) {
    %x = memref.load %a[%i] : memref<?xf32>
    %p = arith.mulf %e, %w : f32
    %s = arith.addf %p, %x : f32
    %q = arith.mulf %f, %w fastmath<reassoc,contract> : f32
    %t = arith.addf %q, %x fastmath<reassoc,contract> : f32
    memref.store %q, %a[%i] : memref<?xf32>
    scf.yield %s, %t : f32, f32
  }
  return %r#0 : f32
}
