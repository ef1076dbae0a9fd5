// RUN: passes --outline %s | filecheck %s
// RUN: passes --outline %s | filecheck %s --check-prefix=TASK

// A parallel loop becomes a function that runs the iterations from one number to another, and a call that has the pool
// of threads run all of them. Loops inside of it stay loops of that function.
// CHECK-LABEL: func.func @f(
// CHECK: call @f.spawn0(%arg1, %arg0, %{{.*}}) : (f32, memref<8xf32>, index) -> ()
// TASK-LABEL: func.func private @f.task0(
// TASK-SAME: %[[X:.*]]: f32, %[[M:.*]]: memref<8xf32>, %arg2: index, %[[FROM:.*]]: index, %[[TO:.*]]: index)
// TASK: scf.for %[[I:.*]] = %[[FROM]] to %[[TO]] step
// TASK: %[[OFFSET:.*]] = arith.muli %[[I]], %{{.*}} : index
// TASK: %[[AT:.*]] = arith.addi %{{.*}}, %[[OFFSET]] : index
// TASK: memref.store %[[X]], %[[M]][%[[AT]]] : memref<8xf32>
func.func @f(%m: memref<8xf32>, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  scf.parallel (%i) = (%zero) to (%eight) step (%one) {
    memref.store %x, %m[%i] : memref<8xf32>
  }
  return
}

// A function without a parallel loop is left alone.
// CHECK-LABEL: func.func @serial(
// CHECK: scf.for %arg2 = %{{.*}} to %{{.*}} step %{{.*}} {
func.func @serial(%m: memref<8xf32>, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  scf.for %i = %zero to %eight step %one {
    memref.store %x, %m[%i] : memref<8xf32>
  }
  return
}
