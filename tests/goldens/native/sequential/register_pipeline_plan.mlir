// RUN: passes --schedule %s | filecheck %s
// RUN: passes --schedule %s | filecheck %s --check-prefix=KERNEL

// A time loop over two vectors: several iterations are done in one sweep. Each level of them keeps its last vectors in
// registers, as values that the loop over vectors carries.
// CHECK-LABEL: func.func @f(
// CHECK-NOT: scf.for
// CHECK: call @native_loops_1(
// KERNEL: func.func private @native_loops_1(
// KERNEL: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>
// KERNEL: vector.shuffle
func.func @f(%A: memref<1000xf32>, %B: memref<1000xf32>, %C: memref<1000xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    %p0 = memref.subview %A[0] [998] [1] : memref<1000xf32> to memref<998xf32, strided<[1]>>
%p1 = memref.subview %A[1] [998] [1] : memref<1000xf32> to memref<998xf32, strided<[1], offset: 1>>
%p2 = memref.subview %A[2] [998] [1] : memref<1000xf32> to memref<998xf32, strided<[1], offset: 2>>
%p3 = memref.subview %B[1] [998] [1] : memref<1000xf32> to memref<998xf32, strided<[1], offset: 1>>
linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
ins(%p0, %p1, %p2 : memref<998xf32, strided<[1]>>, memref<998xf32, strided<[1], offset: 1>>, memref<998xf32, strided<[1], offset: 2>>) outs(%p3 : memref<998xf32, strided<[1], offset: 1>>) {
^bb0(%x0: f32, %x1: f32, %x2: f32, %out: f32):
%h = arith.constant 0.5 : f32
%c = arith.constant 0.3 : f32
%m1 = arith.mulf %x1, %h : f32
%d1 = arith.subf %x0, %m1 : f32
%m2 = arith.mulf %x2, %h : f32
%d2 = arith.subf %d1, %m2 : f32
%r = arith.mulf %d2, %c : f32
linalg.yield %r : f32 }
%q0 = memref.subview %B[1] [998] [1] : memref<1000xf32> to memref<998xf32, strided<[1], offset: 1>>
%q1 = memref.subview %B[0] [998] [1] : memref<1000xf32> to memref<998xf32, strided<[1]>>
%q2 = memref.subview %B[2] [998] [1] : memref<1000xf32> to memref<998xf32, strided<[1], offset: 2>>
%q3 = memref.subview %A[1] [998] [1] : memref<1000xf32> to memref<998xf32, strided<[1], offset: 1>>
linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
ins(%q0, %q1, %q2 : memref<998xf32, strided<[1], offset: 1>>, memref<998xf32, strided<[1]>>, memref<998xf32, strided<[1], offset: 2>>) outs(%q3 : memref<998xf32, strided<[1], offset: 1>>) {
^bb0(%x0: f32, %x1: f32, %x2: f32, %out: f32):
%h = arith.constant 0.5 : f32
%c = arith.constant 0.3 : f32
%m1 = arith.mulf %x1, %h : f32
%d1 = arith.subf %x0, %m1 : f32
%m2 = arith.mulf %x2, %h : f32
%d2 = arith.subf %d1, %m2 : f32
%r = arith.mulf %d2, %c : f32
linalg.yield %r : f32 }

  }
  return
}
