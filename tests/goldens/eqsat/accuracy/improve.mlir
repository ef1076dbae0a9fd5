// RUN: accurate --low=0 --high=1e30 %s | filecheck %s

// A difference of square roots that cancels becomes a quotient that does not.
// CHECK-LABEL: func.func @roots(
// CHECK: %[[CST:.*]] = arith.constant 1.0
// CHECK: %[[A:.*]] = math.sqrt
// CHECK: %[[B:.*]] = math.sqrt
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]] : f64
// CHECK-NEXT: arith.divf %[[CST]], %[[S]] : f64
func.func @roots(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %s = arith.addf %x, %one : f64
  %a = math.sqrt %s : f64
  %b = math.sqrt %x : f64
  %r = arith.subf %a, %b : f64
  return %r : f64
}

// What is as good as can be stays.
// CHECK-LABEL: func.func @sum(
// CHECK-NEXT: arith.addf %arg0, %arg1 : f64
// CHECK-NEXT: return
// CHECK: remark: '(sqrt((x0 + 1)) - sqrt(x0))': {{.*}} by '(1 / (sqrt((x0 + 1)) + sqrt(x0)))'
// CHECK: remark: '(x0 + x1)': 0.00 bits, nothing is better
func.func @sum(%x: f64, %y: f64) -> f64 {
  %r = arith.addf %x, %y : f64
  return %r : f64
}
