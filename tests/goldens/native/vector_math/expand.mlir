// RUN: passes --write-vector-math %s | filecheck %s
// RUN: passes --write-vector-math=cpu=x86-64 %s | filecheck %s --check-prefix=OLD
// RUN: passes --write-vector-math %s | filecheck %s --check-prefix=QUICK
// RUN: passes --write-vector-math=fp=strict,cpu=x86-64-v4 %s | filecheck %s --check-prefix=STRICT

// The exponential of a vector is a call of a private function that computes all lanes at once.
// Unless arithmetic is strict, results far from the ends of the range are scaled by one power of two; before AVX-512,
// the numbers of the polynomial are loaded from variables.
// QUICK: llvm.mlir.global internal @raise.number.8xf32.0x3AB68896(dense<{{.*}}> : vector<8xf32>){{.*}}externally_initialized
// QUICK-LABEL: func.func private @raise.math.exp.8xf32(
// QUICK: llvm.load %{{.*}} invariant {{.*}} : !llvm.ptr -> vector<8xf32>
// QUICK: scf.if
// QUICK: func.func @exp(
// STRICT-NOT: llvm.mlir.global
// STRICT-LABEL: func.func private @raise.math.exp.8xf32(
// STRICT-NOT: scf.if
// STRICT: func.func @exp(
// CHECK-LABEL: func.func @exp(
// CHECK: %[[L:.*]] = call @raise.math.exp.8xf32(%arg0) : (vector<8xf32>) -> vector<8xf32>
// CHECK-NEXT: return %[[L]] : vector<8xf32>
func.func @exp(%v: vector<8xf32>) -> vector<8xf32> {
  %r = math.exp %v : vector<8xf32>
  return %r : vector<8xf32>
}

// Sine and cosine of one vector share a call.
// CHECK-LABEL: func.func @both(
// CHECK: %[[L:.*]]:2 = call @raise.math.sincos.8xf64(%arg0) : (vector<8xf64>) -> (vector<8xf64>, vector<8xf64>)
// CHECK-NEXT: return %[[L]]#0, %[[L]]#1 : vector<8xf64>, vector<8xf64>
func.func @both(%v: vector<8xf64>) -> (vector<8xf64>, vector<8xf64>) {
  %s = math.sin %v : vector<8xf64>
  %c = math.cos %v : vector<8xf64>
  return %s, %c : vector<8xf64>, vector<8xf64>
}

// A single number and a square root stay: the C library and the processor compute them.
// CHECK-LABEL: func.func @scalar(
// CHECK: math.exp %arg0 : f32
// CHECK-NEXT: math.sqrt %arg1 : vector<8xf32>
func.func @scalar(%x: f32, %v: vector<8xf32>) -> (f32, vector<8xf32>) {
  %r = math.exp %x : f32
  %s = math.sqrt %v : vector<8xf32>
  return %r, %s : f32, vector<8xf32>
}

// A processor of plain x86-64 has no instruction that rounds to whole numbers.
// CHECK-LABEL: func.func @round(
// CHECK: math.roundeven %arg0 : vector<4xf32>
// OLD-LABEL: func.func @round(
// OLD: call @raise.math.roundeven.4xf32(%arg0) : (vector<4xf32>) -> vector<4xf32>
func.func @round(%v: vector<4xf32>) -> vector<4xf32> {
  %r = math.roundeven %v : vector<4xf32>
  return %r : vector<4xf32>
}
