// Expected: the outer loop stays, because the bounds of the inner one are read from memory (CSR times a vector).
func.func @spmv(%start: memref<41xindex>, %column: memref<120xindex>, %value: memref<120xf64>,
                %x: memref<30xf64>, %y: memref<40xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 40 : index
  %none = arith.constant 0.0 : f64
  scf.for %i = %c0 to %rows step %c1 {
    %next = arith.addi %i, %c1 : index
    %from = memref.load %start[%i] : memref<41xindex>
    %to = memref.load %start[%next] : memref<41xindex>
    %dot = scf.for %k = %from to %to step %c1 iter_args(%sum = %none) -> (f64) {
      %j = memref.load %column[%k] : memref<120xindex>
      %a = memref.load %value[%k] : memref<120xf64>
      %b = memref.load %x[%j] : memref<30xf64>
      %p = arith.mulf %a, %b : f64
      %s = arith.addf %sum, %p : f64
      scf.yield %s : f64
    }
    memref.store %dot, %y[%i] : memref<40xf64>
  }
  return
}
