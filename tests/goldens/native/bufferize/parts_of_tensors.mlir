// RUN: passes --put-directly %s | filecheck %s

// Two halves are put together in a tensor of their own, and that into another: each goes there directly.
// CHECK-LABEL: func.func @halves(
// CHECK: %[[PUT:.*]] = tensor.insert_slice %arg0 into %arg2[6] [4] [1] : tensor<4xf32> into tensor<16xf32>
// CHECK-NEXT: %[[PUT1:.*]] = tensor.insert_slice %arg1 into %[[PUT]][10] [4] [1] : tensor<4xf32> into tensor<16xf32>
// CHECK-NEXT: return %[[PUT1]] : tensor<16xf32>
func.func @halves(%a: tensor<4xf32>, %b: tensor<4xf32>, %into: tensor<16xf32>) -> tensor<16xf32> {
  %new = tensor.empty() : tensor<8xf32>
  %one = tensor.insert_slice %a into %new[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %two = tensor.insert_slice %b into %one[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %all = tensor.insert_slice %two into %into[6] [8] [1] : tensor<8xf32> into tensor<16xf32>
  return %all : tensor<16xf32>
}

// A slice of a filled tensor is a filled tensor of that size.
// CHECK-LABEL: func.func @filled(
// CHECK-SAME: %arg0: f32) -> tensor<3xf32>
// CHECK: %[[NEW:.*]] = tensor.empty() : tensor<3xf32>
// CHECK-NEXT: %[[FILLED:.*]] = linalg.fill ins(%arg0 : f32) outs(%[[NEW]] : tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: return %[[FILLED]] : tensor<3xf32>
func.func @filled(%x: f32) -> tensor<3xf32> {
  %new = tensor.empty() : tensor<64xf32>
  %all = linalg.fill ins(%x : f32) outs(%new : tensor<64xf32>) -> tensor<64xf32>
  %part = tensor.extract_slice %all[5] [3] [1] : tensor<64xf32> to tensor<3xf32>
  return %part : tensor<3xf32>
}

// A slice that is put back where it is from, with one part changed, is that part.
// CHECK-LABEL: func.func @back(
// CHECK: %[[PUT:.*]] = tensor.insert_slice %arg1 into %arg0[13] [2] [1] : tensor<2xf32> into tensor<64xf32>
// CHECK-NEXT: return %[[PUT]] : tensor<64xf32>
func.func @back(%t: tensor<64xf32>, %a: tensor<2xf32>) -> tensor<64xf32> {
  %part = tensor.extract_slice %t[10] [8] [1] : tensor<64xf32> to tensor<8xf32>
  %changed = tensor.insert_slice %a into %part[3] [2] [1] : tensor<2xf32> into tensor<8xf32>
  %all = tensor.insert_slice %changed into %t[10] [8] [1] : tensor<8xf32> into tensor<64xf32>
  return %all : tensor<64xf32>
}

// A slice of a slice is one of the whole tensor.
// CHECK-LABEL: func.func @nested(
// CHECK: %{{.*}} = tensor.extract_slice %arg0[%arg1] [8] [1] : tensor<64xf32> to tensor<8xf32>
// CHECK: %[[ADDI:.*]] = arith.addi %arg1, %{{.*}} : index
// CHECK-NEXT: %[[SLICE1:.*]] = tensor.extract_slice %arg0[%[[ADDI]]] [2] [1] : tensor<64xf32> to tensor<2xf32>
// CHECK-NEXT: return %[[SLICE1]] : tensor<2xf32>
func.func @nested(%t: tensor<64xf32>, %i: index) -> tensor<2xf32> {
  %part = tensor.extract_slice %t[%i] [8] [1] : tensor<64xf32> to tensor<8xf32>
  %inner = tensor.extract_slice %part[3] [2] [1] : tensor<8xf32> to tensor<2xf32>
  return %inner : tensor<2xf32>
}

// What must stay: a slice that goes back to another place, one with steps, and a tensor that two read.
// CHECK-LABEL: func.func @moved(
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %arg0[10] [8] [1] : tensor<64xf32> to tensor<8xf32>
// CHECK-NEXT: %[[PUT:.*]] = tensor.insert_slice %[[SLICE]] into %arg0[11] [8] [1] : tensor<8xf32> into tensor<64xf32>
// CHECK-NEXT: return %[[PUT]] : tensor<64xf32>
func.func @moved(%t: tensor<64xf32>) -> tensor<64xf32> {
  %part = tensor.extract_slice %t[10] [8] [1] : tensor<64xf32> to tensor<8xf32>
  %all = tensor.insert_slice %part into %t[11] [8] [1] : tensor<8xf32> into tensor<64xf32>
  return %all : tensor<64xf32>
}
// CHECK-LABEL: func.func @stepped(
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %arg0[0] [8] [2] : tensor<64xf32> to tensor<8xf32>
// CHECK-NEXT: %[[SLICE1:.*]] = tensor.extract_slice %[[SLICE]][3] [2] [1] : tensor<8xf32> to tensor<2xf32>
// CHECK-NEXT: return %[[SLICE1]] : tensor<2xf32>
func.func @stepped(%t: tensor<64xf32>) -> tensor<2xf32> {
  %part = tensor.extract_slice %t[0] [8] [2] : tensor<64xf32> to tensor<8xf32>
  %inner = tensor.extract_slice %part[3] [2] [1] : tensor<8xf32> to tensor<2xf32>
  return %inner : tensor<2xf32>
}
// CHECK-LABEL: func.func @read_twice(
// CHECK: %[[PUT:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
// CHECK-NEXT: %[[PUT1:.*]] = tensor.insert_slice %[[PUT]] into %arg1[6] [8] [1] : tensor<8xf32> into tensor<16xf32>
// CHECK-NEXT: return %[[PUT1]], %[[PUT]] : tensor<16xf32>, tensor<8xf32>
func.func @read_twice(%a: tensor<4xf32>, %into: tensor<16xf32>) -> (tensor<16xf32>, tensor<8xf32>) {
  %new = tensor.empty() : tensor<8xf32>
  %one = tensor.insert_slice %a into %new[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %all = tensor.insert_slice %one into %into[6] [8] [1] : tensor<8xf32> into tensor<16xf32>
  return %all, %one : tensor<16xf32>, tensor<8xf32>
}
