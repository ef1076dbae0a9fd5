// Expected: unchanged, one remark at the scf.while: how often it runs depends on the data.
func.func @newton_sqrt(%a: f64, %x: memref<1xf64>) {
  %zero = arith.constant 0 : index
  %half = arith.constant 0.5 : f64
  %small = arith.constant 1.0e-12 : f64
  %start = memref.load %x[%zero] : memref<1xf64>
  %root = scf.while (%guess = %start) : (f64) -> f64 {  // expect-remark: while
    %square = arith.mulf %guess, %guess : f64
    %error = arith.subf %square, %a : f64
    %size = math.absf %error : f64
    %again = arith.cmpf ogt, %size, %small : f64
    scf.condition(%again) %guess : f64
  } do {
  ^bb0(%guess: f64):
    %quotient = arith.divf %a, %guess : f64
    %sum = arith.addf %guess, %quotient : f64
    %next = arith.mulf %half, %sum : f64
    scf.yield %next : f64
  }
  memref.store %root, %x[%zero] : memref<1xf64>
  return
}
