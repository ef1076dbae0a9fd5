// Made by `python -m tests.kernels`.
// nussinov of PolyBench/C 4.2.1, LARGE: N = 2500

func.func @kernel_nussinov(%seq: memref<2500xf64>, %table: memref<2500x2500xf64>) {
  %cst_3 = arith.constant 3.0 : f64
  %cst_1 = arith.constant 1.0 : f64
  %cst_0 = arith.constant 0.0 : f64
  // most base pairs of each stretch of a sequence, from its end
  affine.for %i = 0 to 2500 {
    affine.for %j = affine_map<(d0) -> (-d0 + 2500)>(%i) to 2500 {
      %table_el = affine.load %table[-%i + 2499, %j] : memref<2500x2500xf64>
      %table_el_1 = affine.load %table[-%i + 2499, %j - 1] : memref<2500x2500xf64>
      %test = arith.cmpf oge, %table_el, %table_el_1 : f64
      %table_el_2 = affine.load %table[-%i + 2499, %j] : memref<2500x2500xf64>
      %table_el_3 = affine.load %table[-%i + 2499, %j - 1] : memref<2500x2500xf64>
      %chosen = arith.select %test, %table_el_2, %table_el_3 : f64
      affine.store %chosen, %table[-%i + 2499, %j] : memref<2500x2500xf64>
      %table_el_4 = affine.load %table[-%i + 2499, %j] : memref<2500x2500xf64>
      %table_el_5 = affine.load %table[-%i + 2500, %j] : memref<2500x2500xf64>
      %test_1 = arith.cmpf oge, %table_el_4, %table_el_5 : f64
      %table_el_6 = affine.load %table[-%i + 2499, %j] : memref<2500x2500xf64>
      %table_el_7 = affine.load %table[-%i + 2500, %j] : memref<2500x2500xf64>
      %chosen_1 = arith.select %test_1, %table_el_6, %table_el_7 : f64
      affine.store %chosen_1, %table[-%i + 2499, %j] : memref<2500x2500xf64>
      affine.if affine_set<(d0, d1) : (d0 + d1 - 2501 >= 0)>(%j, %i) {
        %seq_el = affine.load %seq[-%i + 2499] : memref<2500xf64>
        %seq_j = affine.load %seq[%j] : memref<2500xf64>
        %sum = arith.addf %seq_el, %seq_j : f64
        %table_el_8 = affine.load %table[-%i + 2500, %j - 1] : memref<2500x2500xf64>
        %test_2 = arith.cmpf oeq, %sum, %cst_3 : f64
        %chosen_2 = arith.select %test_2, %cst_1, %cst_0 : f64
        %sum_1 = arith.addf %table_el_8, %chosen_2 : f64
        %table_el_9 = affine.load %table[-%i + 2499, %j] : memref<2500x2500xf64>
        %test_3 = arith.cmpf oge, %table_el_9, %sum_1 : f64
        %table_el_10 = affine.load %table[-%i + 2499, %j] : memref<2500x2500xf64>
        %chosen_3 = arith.select %test_3, %table_el_10, %sum_1 : f64
        affine.store %chosen_3, %table[-%i + 2499, %j] : memref<2500x2500xf64>
      }
      affine.if affine_set<(d0, d1) : (-d0 - d1 + 2500 >= 0)>(%i, %j) {
        %table_el_8 = affine.load %table[-%i + 2499, %j] : memref<2500x2500xf64>
        %table_el_9 = affine.load %table[-%i + 2500, %j - 1] : memref<2500x2500xf64>
        %test_2 = arith.cmpf oge, %table_el_8, %table_el_9 : f64
        %table_el_10 = affine.load %table[-%i + 2499, %j] : memref<2500x2500xf64>
        %table_el_11 = affine.load %table[-%i + 2500, %j - 1] : memref<2500x2500xf64>
        %chosen_2 = arith.select %test_2, %table_el_10, %table_el_11 : f64
        affine.store %chosen_2, %table[-%i + 2499, %j] : memref<2500x2500xf64>
      }
      affine.for %k = affine_map<(d0) -> (-d0 + 2500)>(%i) to affine_map<(d0) -> (d0)>(%j) {
        %table_el_8 = affine.load %table[-%i + 2499, %k] : memref<2500x2500xf64>
        %table_el_9 = affine.load %table[%k + 1, %j] : memref<2500x2500xf64>
        %sum = arith.addf %table_el_8, %table_el_9 : f64
        %table_el_10 = affine.load %table[-%i + 2499, %j] : memref<2500x2500xf64>
        %test_2 = arith.cmpf oge, %table_el_10, %sum : f64
        %table_el_11 = affine.load %table[-%i + 2499, %j] : memref<2500x2500xf64>
        %chosen_2 = arith.select %test_2, %table_el_11, %sum : f64
        affine.store %chosen_2, %table[-%i + 2499, %j] : memref<2500x2500xf64>
      }
    }
  }
  return
}
