// RUN: passes --write-extrema %s | filecheck %s
// RUN: passes --write-extrema --schedule %s | filecheck %s --check-prefix=LOOP

// The largest number by a comparison and a choice is a reduction: each lane of a vector has a largest one of its own.
// CHECK-LABEL: func.func @most(
// CHECK: %[[M:.*]] = arith.maxsi %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: linalg.yield %[[M]]
// LOOP: vector.reduction <maxsi>
func.func @most(%x: memref<1024xi32>, %m: memref<i32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<1024xi32>) outs(%m : memref<i32>) {
  ^bb0(%a: i32, %o: i32):
    %c = arith.cmpi sgt, %a, %o : i32
    %r = arith.select %c, %a, %o : i32
    linalg.yield %r : i32
  }
  return
}

// The other way round, without sign; the comparison stays for whoever else asks.
// CHECK-LABEL: func.func @others(
// CHECK: %[[C:.*]] = arith.cmpi uge, %arg0, %arg1
// CHECK: %[[R:.*]] = arith.minui %arg1, %arg0 : i64
// CHECK: return %[[C]], %[[R]]
func.func @others(%a: i64, %b: i64) -> (i1, i64) {
  %c = arith.cmpi uge, %a, %b : i64
  %r = arith.select %c, %b, %a : i64
  return %c, %r : i1, i64
}

// Floats, where none is NaN and zeros have no sign.
// CHECK-LABEL: func.func @floats(
// CHECK: arith.maximumf %arg0, %arg1 fastmath<nnan,nsz> : f32
// CHECK: arith.minimumf
func.func @floats(%x: f32, %y: f32) -> (f32, f32) {
  %f = arith.cmpf ogt, %x, %y fastmath<nnan,nsz> : f32
  %t = arith.select %f, %x, %y {fastmath = #arith.fastmath<nnan,nsz>} : f32
  %g = arith.cmpf ule, %x, %y fastmath<nnan,nsz> : f32
  %u = arith.select %g, %x, %y {fastmath = #arith.fastmath<nnan,nsz>} : f32
  return %t, %u : f32, f32
}

// Left alone: other values, a test for the same number, floats.
// CHECK-LABEL: func.func @left(
// CHECK-COUNT-3: arith.select
func.func @left(%a: i64, %b: i64, %x: f32, %y: f32) -> (i64, i64, f32) {
  %c = arith.cmpi slt, %a, %b : i64
  %r = arith.select %c, %a, %a : i64
  %e = arith.cmpi eq, %a, %b : i64
  %s = arith.select %e, %a, %b : i64
  %f = arith.cmpf ogt, %x, %y : f32
  %t = arith.select %f, %x, %y : f32
  return %r, %s, %t : i64, i64, f32
}

// An extremum of floats that a loop carries waits for its second operand.
// CHECK-LABEL: func.func @running(
// CHECK: scf.for {{.*}} iter_args(%[[M:.*]] = %arg1)
// CHECK: %[[X:.*]] = memref.load
// CHECK: arith.maximumf %[[X]], %[[M]] : f64
func.func @running(%x: memref<100xf64>, %first: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %r = scf.for %i = %c0 to %c100 step %c1 iter_args(%m = %first) -> (f64) {
    %a = memref.load %x[%i] : memref<100xf64>
    %n = arith.maximumf %m, %a : f64
    scf.yield %n : f64
  }
  return %r : f64
}

// What is compared may be widened.
// CHECK-LABEL: func.func @bytes(
// CHECK: arith.maxui %arg0, %arg1 : i8
// CHECK: arith.minsi %arg0, %arg1 : i8
// CHECK: arith.select
func.func @bytes(%a: i8, %b: i8) -> (i8, i8, i8) {
  %x = arith.extui %a : i8 to i32
  %y = arith.extui %b : i8 to i32
  %c = arith.cmpi sgt, %x, %y : i32
  %r = arith.select %c, %a, %b : i8
  %z = arith.extsi %a : i8 to i32
  %w = arith.extsi %b : i8 to i32
  %d = arith.cmpi sle, %z, %w : i32
  %s = arith.select %d, %a, %b : i8
  %e = arith.cmpi sle, %z, %y : i32
  %t = arith.select %e, %a, %b : i8
  return %r, %s, %t : i8, i8, i8
}
