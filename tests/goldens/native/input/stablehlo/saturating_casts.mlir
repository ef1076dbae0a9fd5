// RUN: passes %s | filecheck %s

// StableHLO's conversions to integers saturate and take NaN to 0; `arith.fptosi` alone is poison there.
// CHECK-LABEL: func.func @bytes(
// CHECK: arith.constant dense<-128> : tensor<i8>
// CHECK-NEXT: arith.constant dense<127> : tensor<i8>
// CHECK-NEXT: arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: arith.constant dense<1.280000e+02> : tensor<f32>
// CHECK-NEXT: arith.constant dense<-1.280000e+02> : tensor<f32>
// CHECK: %[[CMPF:.*]] = arith.cmpf ole, %in, %in_4 : f32
// CHECK: %[[CMPF1:.*]] = arith.cmpf oge, %in, %in_4 : f32
// CHECK: %[[CMPF2:.*]] = arith.cmpf une, %in, %in_4 : f32
// CHECK: %[[ORI:.*]] = arith.ori %in, %in_4 : i1
// CHECK: %[[ORI1:.*]] = arith.ori %in, %in_4 : i1
// CHECK: %[[SELECT:.*]] = arith.select %in, %in_4, %in_5 : f32
// CHECK: %[[FPTOSI:.*]] = arith.fptosi %in : f32 to i8
// CHECK: %[[SELECT1:.*]] = arith.select %in, %in_4, %in_5 : i8
// CHECK: arith.select %in, %in_4, %in_5 : i8
func.func @bytes(%a: tensor<8xf32>) -> tensor<8xi8> {
  %r = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xi8>
  return %r : tensor<8xi8>
}
