// RUN: passes %s | filecheck %s

// A choice by a number becomes branches; a number that is none of them takes the last one.
// CHECK-LABEL: func.func @case(
// CHECK: %[[CMPI:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK-NEXT: scf.if %[[CMPI]] -> (tensor<8xf32>) {
// CHECK-NEXT: scf.yield %arg1 : tensor<8xf32>
// CHECK: linalg.yield %{{.*}} : f32
// CHECK: scf.yield %{{.*}} : tensor<8xf32>
func.func @case(%n: tensor<i32>, %a: tensor<8xf32>) -> tensor<8xf32> {
  %r = "stablehlo.case"(%n) ({
    stablehlo.return %a : tensor<8xf32>
  }, {
    %s = stablehlo.add %a, %a : tensor<8xf32>
    stablehlo.return %s : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// A loop whose condition compares a counter with a bound becomes `scf.for`.
// CHECK-LABEL: func.func @count(
// CHECK: scf.for %arg2 = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%arg3 = %arg0) -> (tensor<8xf32>) {
// CHECK: arith.addf %in, %in_0 : f32
// CHECK: scf.yield %{{.*}} : tensor<8xf32>
func.func @count(%a: tensor<8xf32>, %n: tensor<i32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<8xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %y = stablehlo.add %x, %x : tensor<8xf32>
      stablehlo.return %j, %y : tensor<i32>, tensor<8xf32>
    }
  return %r#1 : tensor<8xf32>
}
