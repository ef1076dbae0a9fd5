// RUN: typed --with-stored-positions %s | filecheck %s

// A position that is computed of data is stored first, in an array of the function, so that the load is at a position
// that an array holds: one of as many bits as it needs.
// CHECK-LABEL: function table(
// CHECK-NEXT: parameters y: f32, x: f32, b: i32, n: i32 = %{{.*}}
// CHECK-NEXT: parameter y: f32[?] flat
// CHECK-NEXT: parameter x: f32[?] flat
// CHECK-NEXT: parameter b: i32[?] flat
// CHECK-NEXT: local at: i8[n]
// CHECK-NEXT: for i_ = 0 to n
// CHECK-NEXT: %[[B:.*]] = b[i_]
// CHECK-NEXT: %[[C:.*]] = arith.constant 7 : i32 : i32
// CHECK-NEXT: %[[ANDI:.*]] = arith.andi %[[B]], %[[C]] : i32 : i32
// CHECK-NEXT: arith.index_cast %[[ANDI]] : i32 to index : index
// CHECK-NEXT: %[[BITS:.*]] = arith.trunci %[[ANDI]] : i32 to i8 : i8
// CHECK-NEXT: at[i_] = %[[BITS]]
// CHECK-NEXT: for i = 0 to n
// CHECK-NEXT: %[[B1:.*]] = b[i]
// CHECK-NEXT: %[[C1:.*]] = arith.constant 7 : i32 : i32
// CHECK-NEXT: arith.andi %[[B1]], %[[C1]] : i32 : i32
// CHECK-NEXT: %[[B2:.*]] = b[i]
// CHECK-NEXT: %[[C2:.*]] = arith.constant 7 : i32 : i32
// CHECK-NEXT: %[[ANDI2:.*]] = arith.andi %[[B2]], %[[C2]] : i32 : i32
// CHECK-NEXT: arith.index_cast %[[ANDI2]] : i32 to index : index
// CHECK-NEXT: %[[T:.*]] = at[i]
// CHECK-NEXT: %[[INDEX_CAST2:.*]] = arith.index_castui %[[T]] : i8 to index : index
// CHECK-NEXT: %[[X:.*]] = x[%[[INDEX_CAST2]]]
// CHECK-NEXT: y[i] = %[[X]]
// CHECK-NEXT: assumed n >= 0: a position is stored for each iteration
void table(float *restrict y, const float *restrict x, const int *restrict b, int n) {
  for (int i = 0; i < n; i++) y[i] = x[b[i] & 7];
}

// What is written at the same element, but later, is stored in front of the loops, too.
// CHECK-LABEL: function in_place(
// CHECK: local at: i8[n]
// CHECK: %[[P:.*]] = p[i_]
// CHECK: at[i_] = %[[P]]
// CHECK: for i = 0 to n
// CHECK: %[[HELD:.*]] = at[i]
// CHECK: p[i] =
void in_place(unsigned char *restrict p, const unsigned char *restrict t, int n) {
  for (int i = 0; i < n; i++) p[i] = t[p[i]];
}

// CHECK-LABEL: function before(
// CHECK-NOT: local at
// CHECK: p[i + 1] =
void before(unsigned char *restrict p, const unsigned char *restrict t, int n) {
  for (int i = 0; i < n; i++) p[i + 1] = t[p[i]];
}
