# RUN: affine %s | filecheck %s


# A loop over a NumPy array; sizes are those of the arrays.
# CHECK-LABEL: func.func @axpy(
# CHECK: arith.constant 0 : index
# CHECK: %[[INDEX_CAST:.*]] = arith.index_cast %{{.*}}.index : index to i64
# CHECK-NEXT: affine.for %{{.*}} = 0 to %[[INDEX_CAST]].index {
# CHECK-NEXT: %[[LOAD:.*]] = affine.load %{{.*}}[%{{.*}}] : memref<?xf32>
# CHECK-NEXT: %[[LOAD1:.*]] = affine.load %{{.*}}[%{{.*}}] : memref<?xf32>
# CHECK-NEXT: %[[MULF:.*]] = arith.mulf %{{.*}}, %[[LOAD1]] : f32
# CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[LOAD]], %[[MULF]] : f32
# CHECK-NEXT: affine.store %[[ADDF]], %{{.*}}[%{{.*}}] : memref<?xf32>
def axpy(y: "float32[N]", x: "float32[N]", a: "float32"):
    for i in range(y.shape[0]):
        y[i] += a * x[i]


# Loops over other things than ranges are refused.
# CHECK: refused function 'each' stays in Python: a loop over something that is not a range
def each(y: "float32[N]"):
    for k in {1, 2}:
        y[k] = 1
