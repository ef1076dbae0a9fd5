// RUN: passes --to-destinations --bufferize --schedule %s | filecheck %s

// Softmax of a matrix of any size: rows of exponentials are used where they are made, so the temporary that a
// kernel uses has the rows of one step, not those of the matrix.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK: scf.for
// CHECK: memref.alloc({{.*}}) {{.*}} : memref<8x?xf64>
func.func @f(%x: tensor<?x?xf64>, %yes: i1) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf64>
  %m = tensor.dim %x, %c1 : tensor<?x?xf64>
  %low = arith.constant 0xFFF0000000000000 : f64
  %zero = arith.constant 0.0 : f64
  %row = tensor.empty(%n) : tensor<?xf64>
  %whole = tensor.empty(%n, %m) : tensor<?x?xf64>
  %l = linalg.fill ins(%low : f64) outs(%row : tensor<?xf64>) -> tensor<?xf64>
  %z = linalg.fill ins(%zero : f64) outs(%row : tensor<?xf64>) -> tensor<?xf64>
  %g = linalg.reduce ins(%x : tensor<?x?xf64>) outs(%l : tensor<?xf64>) dimensions = [1]
    (%a: f64, %b: f64) { %r = arith.maximumf %a, %b : f64 linalg.yield %r : f64 }
  %h = arith.select %yes, %g, %z : tensor<?xf64>
  %e = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %h : tensor<?x?xf64>, tensor<?xf64>) outs(%whole : tensor<?x?xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %s = arith.subf %a, %b : f64
    %r = math.exp %s : f64
    linalg.yield %r : f64 } -> tensor<?x?xf64>
  %s = linalg.reduce ins(%e : tensor<?x?xf64>) outs(%z : tensor<?xf64>) dimensions = [1]
    (%a: f64, %b: f64) { %r = arith.addf %a, %b : f64 linalg.yield %r : f64 }
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%e, %s : tensor<?x?xf64>, tensor<?xf64>) outs(%whole : tensor<?x?xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %r = arith.divf %a, %b : f64
    linalg.yield %r : f64 } -> tensor<?x?xf64>
  return %d : tensor<?x?xf64>
}
