// RUN: passes --read-from-begin %s | filecheck %s

// Rows are read before they are written, and nobody reads the tensor behind the loop: no update is needed.
// CHECK-LABEL: func.func @rows(
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%{{.*}} = %arg0, %[[P:.*]] = %arg1)
// CHECK: tensor.extract_slice %arg1[%[[I]], 0]
// CHECK: scf.yield %{{.*}}, %[[P]] :
func.func @rows(%sums: tensor<8xf32>, %t: tensor<9x8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sums, %p = %t) -> (tensor<8xf32>, tensor<9x8xf32>) {
    %row = tensor.extract_slice %p[%i, 0] [1, 8] [1, 1] : tensor<9x8xf32> to tensor<8xf32>
    %new = linalg.add ins(%row, %s : tensor<8xf32>, tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
    %q = tensor.insert_slice %new into %p[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<9x8xf32>
    scf.yield %new, %q : tensor<8xf32>, tensor<9x8xf32>
  }
  return %r#0 : tensor<8xf32>
}

// The row that the iteration before has written is read.
// CHECK-LABEL: func.func @written(
// CHECK: iter_args(%{{.*}} = %arg0, %[[P:.*]] = %arg1)
// CHECK: tensor.extract_slice %[[P]][
// CHECK: %[[Q:.*]] = tensor.insert_slice
// CHECK: scf.yield %{{.*}}, %[[Q]] :
func.func @written(%sums: tensor<8xf32>, %t: tensor<9x8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sums, %p = %t) -> (tensor<8xf32>, tensor<9x8xf32>) {
    %row = tensor.extract_slice %p[%i, 0] [1, 8] [1, 1] : tensor<9x8xf32> to tensor<8xf32>
    %new = linalg.add ins(%row, %s : tensor<8xf32>, tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
    %next = arith.addi %i, %c1 : index
    %q = tensor.insert_slice %new into %p[%next, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<9x8xf32>
    scf.yield %new, %q : tensor<8xf32>, tensor<9x8xf32>
  }
  return %r#0 : tensor<8xf32>
}

// The tensor is read behind the loop.
// CHECK-LABEL: func.func @used(
// CHECK: %[[Q:.*]] = tensor.insert_slice
// CHECK: scf.yield %{{.*}}, %[[Q]] :
func.func @used(%sums: tensor<8xf32>, %t: tensor<9x8xf32>, %n: index) -> (tensor<8xf32>, tensor<9x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sums, %p = %t) -> (tensor<8xf32>, tensor<9x8xf32>) {
    %row = tensor.extract_slice %p[%i, 0] [1, 8] [1, 1] : tensor<9x8xf32> to tensor<8xf32>
    %new = linalg.add ins(%row, %s : tensor<8xf32>, tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
    %q = tensor.insert_slice %new into %p[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<9x8xf32>
    scf.yield %new, %q : tensor<8xf32>, tensor<9x8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<9x8xf32>
}

// A place that data decide may be the same again.
// CHECK-LABEL: func.func @data(
// CHECK: %[[Q:.*]] = tensor.insert_slice
// CHECK: scf.yield %{{.*}}, %[[Q]] :
func.func @data(%sums: tensor<8xf32>, %t: tensor<9x8xf32>, %places: tensor<9xindex>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sums, %p = %t) -> (tensor<8xf32>, tensor<9x8xf32>) {
    %k = tensor.extract %places[%i] : tensor<9xindex>
    %j = arith.addi %i, %k : index
    %row = tensor.extract_slice %p[%j, 0] [1, 8] [1, 1] : tensor<9x8xf32> to tensor<8xf32>
    %new = linalg.add ins(%row, %s : tensor<8xf32>, tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
    %q = tensor.insert_slice %new into %p[%j, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<9x8xf32>
    scf.yield %new, %q : tensor<8xf32>, tensor<9x8xf32>
  }
  return %r#0 : tensor<8xf32>
}
