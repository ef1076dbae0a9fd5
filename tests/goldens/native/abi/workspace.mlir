// RUN: passes --to-workspace %s | filecheck %s
// RUN: passes --to-workspace=threads=4 --outline %s | filecheck %s --check-prefix=THREADS

// A temporary becomes an argument, memory of bytes; a function says how many it needs, from the other arguments.
// CHECK-LABEL: func.func @f.sizes(
// CHECK-SAME: %arg0: memref<?xf32>, %arg1: index) -> index
// CHECK-NEXT: %[[C:.*]] = arith.constant 0 : index
// CHECK-NEXT: %{{.*}}-1 = arith.constant -1 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 4 : index
// CHECK-NEXT: %[[MAXSI:.*]] = arith.maxsi %arg1, %[[C]] : index
// CHECK-NEXT: %[[MULUI_EXTENDED:.*]], %[[MULUI_EXTENDED1:.*]] = arith.mului_extended %[[C1]], %[[MAXSI]] : index
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ne, %[[MULUI_EXTENDED1]], %[[C]] : index
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPI]], %{{.*}}-1, %[[MULUI_EXTENDED]] : index
// CHECK-NEXT: return %[[SELECT]] : index
// CHECK-LABEL: func.func @f.body(
// CHECK-SAME: %arg0: memref<?xf32>, %arg1: index, %arg2: memref<?xi8>)
// CHECK: %[[VIEW:.*]] = memref.view %arg2[%{{.*}}][%arg1] : memref<?xi8> to memref<?xf32>
// CHECK-NEXT: memref.copy %arg0, %[[VIEW]] : memref<?xf32> to memref<?xf32>
// CHECK-NEXT: memref.copy %[[VIEW]], %arg0 : memref<?xf32> to memref<?xf32>
func.func @f.body(%a: memref<?xf32>, %n: index) {
  %new = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %new : memref<?xf32> to memref<?xf32>
  memref.copy %new, %a : memref<?xf32> to memref<?xf32>
  return
}

// A small one of a fixed length is a local array.
// CHECK-LABEL: func.func @small.body(
// CHECK-SAME: %arg0: f32)
// CHECK-NEXT: %[[ALLOCA:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8xf32>
// CHECK-NEXT: linalg.fill ins(%arg0 : f32) outs(%[[ALLOCA]] : memref<8xf32>)
func.func @small.body(%x: f32) {
  %new = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%new : memref<8xf32>)
  return
}

// One in a parallel loop is as many temporaries as there are threads: each takes the one of the worker's number.
// THREADS-LABEL: func.func private @parallel.body.task0(
// THREADS-SAME: %arg0: index, %arg1: memref<?xi8>, %arg2: f32, %arg3: index, %arg4: index, %arg5: index)
// THREADS: arith.muli %arg6, %{{.*}} : index
// THREADS: %[[DIVUI:.*]] = arith.divui %{{.*}}, %{{.*}} : index
// THREADS-NEXT: %[[MULI1:.*]] = arith.muli %[[DIVUI]], %arg3 : index
// THREADS-NEXT: %[[VIEW:.*]] = memref.view %arg1[%[[MULI1]]][] : memref<?xi8> to memref<1024xf32>
// THREADS-NEXT: linalg.fill ins(%arg2 : f32) outs(%[[VIEW]] : memref<1024xf32>)
func.func @parallel.body(%x: f32, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%i) = (%zero) to (%n) step (%one) {
    %new = memref.alloc() : memref<1024xf32>
    linalg.fill ins(%x : f32) outs(%new : memref<1024xf32>)
  }
  return
}
