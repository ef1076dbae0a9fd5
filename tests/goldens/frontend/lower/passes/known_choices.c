// RUN: typed --delinearised --selected --promoted --with-known-choices --promoted %s | filecheck %s

// A flag that is 0 or 1 is 1 where it is not 0: the value of an iteration depends on no earlier one.
// CHECK-LABEL: function words(
// CHECK: for i = 0 to n
// CHECK: %[[SPACE:.*]] = arith.cmpi eq,
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[NEW:.*]] = arith.select %[[SPACE]], %{{.*}}, %[[ONE]] : i32
// CHECK-NEXT: in = %[[NEW]]
int words(int n, const char *s) {
  int k = 0, in = 0;
  for (int i = 0; i < n; i++)
    if (s[i] == ' ') in = 0;
    else if (!in) { in = 1; k++; }
  return k;
}

// What differs from the new value is replaced by it, and what does not differ is it.
// CHECK-LABEL: function runs(
// CHECK: %[[X:.*]] = x[i]
// CHECK: arith.cmpi ne,
// CHECK: last = %[[X]]
int runs(int n, const unsigned char *x) {
  int k = 0;
  unsigned char last = 0;
  for (int i = 0; i < n; i++) if (x[i] != last) { k++; last = x[i]; }
  return k;
}

// A flag that may be 2, too, is not known; nor is one that is compared with something else.
// CHECK-LABEL: function three(
// CHECK: %[[KEPT:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK: %[[OLD:.*]] = arith.select %{{.*}}, %{{.*}}, %[[KEPT]] : i32
// CHECK: in = %[[OLD]]
int three(int n, const char *s) {
  int k = 0, in = 2;
  for (int i = 0; i < n; i++) {
    k += in;
    if (s[i] == ' ') in = 0;
    else if (!in) in = 1;
  }
  return k;
}

// A number without sign that is not a constant is anything.
// CHECK-LABEL: function other(
// CHECK: arith.select %{{.*}}, %[[A:.*]], %{{.*}} : i32
// CHECK: last =
int other(int n, int m, const int *x) {
  int k = 0, last = 0;
  for (int i = 0; i < n; i++) if (x[i] != m) { k += last; last = x[i]; }
  return k;
}
