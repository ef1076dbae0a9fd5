// y := 1 / (1 + exp(-x)), written with scf and memref
func.func @sigmoid(%x: memref<19xf64>, %y: memref<19xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c19 = arith.constant 19 : index
  %one = arith.constant 1.0 : f64
  scf.for %i = %c0 to %c19 step %c1 {
    %v = memref.load %x[%i] : memref<19xf64>
    %n = arith.negf %v : f64
    %e = math.exp %n : f64
    %d = arith.addf %one, %e : f64
    %r = arith.divf %one, %d : f64
    memref.store %r, %y[%i] : memref<19xf64>
  }
  return
}
