// RUN: passes --schedule %s | filecheck %s

// A float that is converted and then bounded is bounded and then converted: the bound converts to itself.
// CHECK-LABEL: func.func private @native_loops_2(
// CHECK: %[[K:.*]] = arith.cmpf ogt, %[[V:.*]], %{{.*}} : vector<{{.*}}xf32>
// CHECK: %[[C:.*]] = arith.select %[[K]], %{{.*}}, %[[V]] :
// CHECK: arith.fptosi %[[C]]

// Both bounds are compared with the value itself. The second one is compared with what the first one left, so that it
// is a maximum: the same for NaN, which no bound replaces.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK: %[[C:.*]] = arith.select %{{.*}} : vector<{{.*}}xi1>, vector<{{.*}}xf32>
// CHECK: %[[K:.*]] = arith.cmpf olt, %[[C]],
// CHECK: arith.select %[[K]], %{{.*}}, %[[C]]
func.func @clamp(%a: memref<256xf32>, %out: memref<256xf32>) {
  %low = arith.constant 0.0 : f32
  %high = arith.constant 6.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<256xf32>) outs(%out : memref<256xf32>) {
  ^bb0(%x: f32, %o: f32):
    %above = arith.cmpf ogt, %x, %high : f32
    %least = arith.select %above, %high, %x : f32
    %below = arith.cmpf olt, %x, %low : f32
    %r = arith.select %below, %low, %least : f32
    linalg.yield %r : f32
  }
  return
}

func.func @convert(%a: memref<256xf32>, %out: memref<256xi8>) {
  %high = arith.constant 255.0 : f32
  %most = arith.constant 255 : i32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<256xf32>) outs(%out : memref<256xi8>) {
  ^bb0(%x: f32, %o: i8):
    %above = arith.cmpf ogt, %x, %high : f32
    %whole = arith.fptosi %x : f32 to i32
    %byte = arith.trunci %whole : i32 to i8
    %wide = arith.extui %byte : i8 to i32
    %least = arith.select %above, %most, %wide : i32
    %r = arith.trunci %least : i32 to i8
    linalg.yield %r : i8
  }
  return
}
