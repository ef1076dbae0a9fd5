// RUN: raise-opt --emit=equivalence %s | filecheck %s

// The e-graph in the IR: a class for each value, two equal operations are one node.
// CHECK: ^bb0(%[[X:.*]]: f64, %[[Y:.*]]: f64):
// CHECK-NEXT: %[[GRAPH:.*]] = "equivalence.graph"() ({
// CHECK-COUNT-1: "arith.addf"(
// CHECK-DAG: "equivalence.class"(%[[X]]) : (f64) -> f64
// CHECK-DAG: "equivalence.class"(%[[Y]]) : (f64) -> f64
// CHECK: "equivalence.yield"
// CHECK: "func.return"(%[[GRAPH]]) : (f64) -> ()
func.func @twice(%x: f64, %y: f64) -> f64 {
  %a = arith.addf %x, %y : f64
  %b = arith.addf %x, %y : f64
  %r = arith.mulf %a, %b : f64
  return %r : f64
}
