// RUN: passes --schedule %s | filecheck %s

// What is made of words alone stays on words, though some of it would fit in a byte: products need words again.
// CHECK-LABEL: func.func private @native_loops_2(
// CHECK: vector.load
// CHECK-NOT: arith.ext
// CHECK: arith.trunci %{{.*}} : vector<{{.*}}xi16> to vector<{{.*}}xi8>
// CHECK-NEXT: vector.store

// The mean of two bytes is computed on 16 bits, though the source says 32: the values need no more, and a vector has
// twice as many.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK: arith.addi %{{.*}} : vector<{{.*}}xi16>
// CHECK-NOT: xi32>
// CHECK: vector.store
func.func @mean(%a: memref<256xi8>, %b: memref<256xi8>, %out: memref<256xi8>) {
  %one = arith.constant 1 : i32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a, %b : memref<256xi8>, memref<256xi8>) outs(%out : memref<256xi8>) {
  ^bb0(%x: i8, %y: i8, %o: i8):
    %p = arith.extui %x : i8 to i32
    %q = arith.extui %y : i8 to i32
    %s = arith.addi %p, %q : i32
    %h = arith.shrui %s, %one : i32
    %r = arith.trunci %h : i32 to i8
    linalg.yield %r : i8
  }
  return
}

func.func @red(%a: memref<256xi16>, %out: memref<256xi8>) {
  %eleven = arith.constant 11 : i32
  %five = arith.constant 5 : i32
  %mask = arith.constant 31 : i32
  %three = arith.constant 3 : i32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<256xi16>) outs(%out : memref<256xi8>) {
  ^bb0(%x: i16, %o: i8):
    %p = arith.extui %x : i16 to i32
    %red = arith.shrui %p, %eleven : i32
    %high = arith.shrui %p, %five : i32
    %blue = arith.andi %high, %mask : i32
    %more = arith.muli %blue, %three : i32
    %s = arith.addi %red, %more : i32
    %r = arith.trunci %s : i32 to i8
    linalg.yield %r : i8
  }
  return
}
