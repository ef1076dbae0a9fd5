// RUN: passes --without-whole-slices %s | filecheck %s

// A slice that is all of a tensor is the tensor, though its length is known at run time only.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT: slice
// CHECK: return %{{.*}} : tensor<?xf32>
func.func @whole(%n: index) -> tensor<?xf32> {
  %t = tensor.empty(%n) : tensor<?xf32>
  %part = tensor.extract_slice %t[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %part : tensor<?xf32>
}

// A slice of another length, or from another place on, stays.
// CHECK-LABEL: func.func @parts(
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %{{.*}}[0] [%arg1] [1] : tensor<?xf32> to tensor<?xf32>
// CHECK-NEXT: %[[SLICE1:.*]] = tensor.extract_slice %{{.*}}[1] [%arg1] [1] : tensor<?xf32> to tensor<?xf32>
// CHECK-NEXT: return %[[SLICE]], %[[SLICE1]] : tensor<?xf32>, tensor<?xf32>
func.func @parts(%n: index, %m: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %t = tensor.empty(%n) : tensor<?xf32>
  %part = tensor.extract_slice %t[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  %moved = tensor.extract_slice %t[1] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  return %part, %moved : tensor<?xf32>, tensor<?xf32>
}
