// RUN: passes --to-loops %s | filecheck %s
// RUN: passes --to-loops --to-llvm %s | filecheck %s --check-prefix=LLVM
// RUN: passes --to-llvm=fp=strict %s | filecheck %s --check-prefix=STRICT
// RUN: passes --to-llvm=fp=reassoc %s | filecheck %s --check-prefix=REASSOC

// Operations of linalg that no kernel took become plain loops; these become blocks and branches.
// CHECK-LABEL: func.func @scale(
// CHECK-SAME: %arg0: memref<8xf32>, %arg1: f32)
// CHECK: scf.for %arg2 = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: memref.load %arg0[%arg2] : memref<8xf32>
// CHECK: memref.store %{{.*}}, %arg0[%arg2] : memref<8xf32>
// LLVM-LABEL: llvm.func @scale(
// LLVM: llvm.br ^bb1(%{{.*}} : i64)
// LLVM: llvm.cond_br %{{.*}}, ^bb2, ^bb3
// LLVM: %[[FMUL:.*]] = llvm.fmul %{{.*}}, %arg5 : f32
// LLVM-NEXT: llvm.store %[[FMUL]], %{{.*}} : f32, !llvm.ptr
// LLVM: llvm.br ^bb1(%{{.*}} : i64)
func.func @scale(%m: memref<8xf32>, %x: f32) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%m : memref<8xf32>) {
  ^bb0(%old: f32):
    %s = arith.mulf %old, %x : f32
    linalg.yield %s : f32
  }
  return
}

// The elements of a vector are added in their order, unless sums may be reassociated.
// STRICT-LABEL: llvm.func @sum(
// STRICT: "llvm.intr.vector.reduce.fadd"(%{{.*}}, %arg0) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, vector<4xf32>) -> f32
// REASSOC-LABEL: llvm.func @sum(
// REASSOC: "llvm.intr.vector.reduce.fadd"(%{{.*}}, %arg0) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<4xf32>) -> f32
func.func @sum(%v: vector<4xf32>) -> f32 {
  %s = vector.reduction <add>, %v : vector<4xf32> into f32
  return %s : f32
}

// With bf16 nothing is computed: it becomes f32 and is rounded back as an integer. Only memory still has the type.
// LLVM-LABEL: llvm.func @half(
// LLVM-NOT: llvm.fmul {{.*}} : bf16
// LLVM: llvm.fmul %{{.*}}, %{{.*}} : f32
// LLVM-NOT: llvm.fptrunc
// LLVM: llvm.bitcast %{{.*}} : i16 to bf16
func.func @half(%m: memref<8xbf16>, %i: index) {
  %x = memref.load %m[%i] : memref<8xbf16>
  %s = arith.mulf %x, %x : bf16
  memref.store %s, %m[%i] : memref<8xbf16>
  return
}
