// RUN: passes --write-constant-powers %s | filecheck %s
// RUN: passes --write-constant-powers=fp=fast %s | filecheck %s --check-prefix=FAST
// RUN: passes --write-constant-powers=fp=strict %s | filecheck %s --check-prefix=STRICT

// A root and a product; the root of -0.0 is that of 0.0, and a power of minus infinity is infinite.
// CHECK-LABEL: func.func @three_halves(
// CHECK: %[[Y:.*]] = arith.addf %arg0, %{{.*}} : f32
// CHECK: %[[R:.*]] = math.sqrt %[[Y]] : f32
// CHECK: %[[P:.*]] = arith.mulf %[[Y]], %[[R]] : f32
// CHECK: %[[B:.*]] = arith.cmpf oeq, %arg0, %{{.*}} : f32
// CHECK: arith.select %[[B]], %{{.*}}, %[[P]] : f32
// FAST-LABEL: func.func @three_halves(
// FAST: %[[R:.*]] = math.sqrt %arg0 : f32
// FAST-NEXT: %[[P:.*]] = arith.mulf %arg0, %[[R]] : f32
// FAST-NEXT: return %[[P]]
// STRICT: math.powf
func.func @three_halves(%x: f32) -> f32 {
  %c = arith.constant 1.5 : f32
  %r = math.powf %x, %c : f32
  return %r : f32
}

// Two quotients: one of a product would be 0 too early.
// FAST-LABEL: func.func @less_than_zero(
// FAST: %[[R:.*]] = math.sqrt %arg0 : f32
// FAST: %[[Q:.*]] = arith.divf %{{.*}}, %[[R]] : f32
// FAST: arith.divf %[[Q]], %arg0 : f32
func.func @less_than_zero(%x: f32) -> f32 {
  %c = arith.constant -1.5 : f32
  %r = math.powf %x, %c : f32
  return %r : f32
}

// Left alone: other exponents.
// CHECK-LABEL: func.func @third(
// CHECK: math.powf
func.func @third(%x: f32) -> f32 {
  %c = arith.constant 0.333333343 : f32
  %r = math.powf %x, %c : f32
  return %r : f32
}
