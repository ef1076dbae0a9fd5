// RUN: passes --set-fastmath=fp=reassoc %s | filecheck %s
// RUN: passes --set-fastmath=fp=fast %s | filecheck %s --check-prefix=FAST
// RUN: passes --set-fastmath=fp=strict %s | filecheck %s --check-prefix=STRICT

// Arithmetic on floats gets the freedom that was asked for; integers and conversions get none.
// CHECK-LABEL: func.func @sum(
// CHECK: %[[MULF:.*]] = arith.mulf %arg0, %arg0 fastmath<reassoc,contract> : f32
// CHECK-NEXT: %[[SQRT:.*]] = math.sqrt %[[MULF]] fastmath<reassoc,contract> : f32
// CHECK-NEXT: arith.extf %[[SQRT]] : f32 to f64
// CHECK-NEXT: arith.addi %arg1, %arg1 : i32
// FAST-LABEL: func.func @sum(
// FAST: %[[MULF:.*]] = arith.mulf %arg0, %arg0 fastmath<reassoc,nnan,nsz,arcp,contract,afn> : f32
// FAST-NEXT: %[[SQRT:.*]] = math.sqrt %[[MULF]] fastmath<reassoc,nnan,nsz,arcp,contract,afn> : f32
// FAST-NEXT: arith.extf %[[SQRT]] : f32 to f64
// FAST-NEXT: arith.addi %arg1, %arg1 : i32
// STRICT-NOT: fastmath
// STRICT: arith.mulf
func.func @sum(%x: f32, %n: i32) -> (f32, f64, i32) {
  %a = arith.mulf %x, %x : f32
  %b = math.sqrt %a : f32
  %c = arith.extf %b : f32 to f64
  %d = arith.addi %n, %n : i32
  return %b, %c, %d : f32, f64, i32
}
