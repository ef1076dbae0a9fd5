// RUN: typed --with-stored-positions %s | filecheck %s

// What is read where a position is used is read once more in loops of the same bounds, with counters and numbers of
// their own: no element is read that the source does not read.
// CHECK-LABEL: function rows(
// CHECK: local at: i8[n][8]
// CHECK-NEXT: for i_ = 0 to n
// CHECK-NEXT: for j_ = 0 to 8
// CHECK-NEXT: %[[B:.*]] = b[i_]
// CHECK-NEXT: %[[C:.*]] = arith.constant 7 : i32 : i32
// CHECK-NEXT: %[[ANDI:.*]] = arith.andi %[[B]], %[[C]] : i32 : i32
// CHECK-NEXT: arith.index_cast %[[ANDI]] : i32 to index : index
// CHECK-NEXT: %[[BITS:.*]] = arith.trunci %[[ANDI]] : i32 to i8 : i8
// CHECK-NEXT: at[i_][j_] = %[[BITS]]
// CHECK-NEXT: for i = 0 to n
// CHECK-NEXT: for j = 0 to 8
// CHECK: %[[AT:.*]] = at[i][j]
// CHECK-NEXT: %[[INDEX:.*]] = arith.index_castui %[[AT]] : i8 to index : index
// CHECK-NEXT: %[[X:.*]] = x[%[[INDEX]] + j]
// CHECK-NEXT: y[i][j] = %[[X]]
void rows(float y[restrict][8], const float *restrict x, const int *restrict b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 8; j++) y[i][j] = x[(b[i] & 7) + j];
}
