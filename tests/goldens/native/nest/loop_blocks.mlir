// RUN: passes --schedule=threads=2 %s | filecheck %s
// RUN: passes --schedule=threads=1 %s | filecheck %s --check-prefix=ONE

// A short loop is not cut.
// CHECK-LABEL: func.func private @native_loops_3(
// CHECK-NOT: scf.parallel
// CHECK: return

// Each block of a sum has its own part, also on one thread, so that the bits are the same: parts are added as
// they stand. One block alone needs none, and one thread no memory for them.
// CHECK-LABEL: func.func private @native_loops_2(
// CHECK: scf.if {{.*}} -> (vector<8xf32>) {
// CHECK: } else {
// CHECK: scf.parallel
// CHECK: vector.store
// CHECK: scf.for
// CHECK-NEXT: arith.muli
// CHECK-NEXT: %[[PART:.*]] = vector.load
// CHECK-NEXT: arith.addf %{{.*}}, %[[PART]] : vector<8xf32>
// ONE-LABEL: func.func private @native_loops_2(
// ONE-NOT: memref.alloc
// ONE: } else {
// ONE: scf.for {{.*}} iter_args(%[[TOTAL:.*]] = %{{.*}}) -> (vector<8xf32>) {
// ONE: scf.for
// ONE: arith.addf %[[TOTAL]], %{{.*}} : vector<8xf32>
// ONE-NEXT: scf.yield

// A loop without loops in it is cut into blocks for the threads; one thread needs none.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK: scf.parallel
// CHECK: scf.for
// ONE-LABEL: func.func private @native_loops_1(
// ONE-NOT: scf.parallel
// ONE: return

func.func @squares(%a: memref<?xf32>, %b: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<?xf32>) outs(%b : memref<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.mulf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}

func.func @total(%a: memref<?xf32>, %b: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%a : memref<?xf32>) outs(%b : memref<f32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  }
  return
}

func.func @short(%a: memref<5000xf32>, %b: memref<5000xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<5000xf32>) outs(%b : memref<5000xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.mulf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}
