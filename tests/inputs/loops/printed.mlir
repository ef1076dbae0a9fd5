// | x=8 y=8
module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<f64, dense<64> : vector<2xi32>>, #dlti.dl_entry<"dlti.endianness", "little">>, llvm.data_layout = "e-m:e", llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  func.func @old_layout(%x: memref<8xf64>, %y: memref<8xf64>) attributes {llvm.linkage = #llvm.linkage<external>} {
    affine.for %i = 0 to 8 {
      %a = affine.load %x[%i] : memref<8xf64>
      %b = arith.addf %a, %a : f64
      affine.store %b, %y[%i] : memref<8xf64>
    }
    return
  }
}
// | x=8 y=8
module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<i64, dense<[32, 64]> : vector<2xi32>>, #dlti.dl_entry<"dlti.stack_alignment", 128 : i32>>} {
  func.func @old_layout_values(%x: memref<8xf32>, %y: memref<8xf32>) {
    affine.for %i = 0 to 8 {
      %a = affine.load %x[%i] : memref<8xf32>
      %b = arith.mulf %a, %a : f32
      affine.store %b, %y[%i] : memref<8xf32>
    }
    return
  }
}
// | x=9
func.func @parallel_sum(%x: memref<9xf64>) -> f64 {
  %s = affine.parallel (%i) = (0) to (9) reduce ("addf") -> (f64) {
    %a = affine.load %x[%i] : memref<9xf64>
    affine.yield %a : f64
  }
  return %s : f64
}
// | x=9
func.func @parallel_max(%x: memref<9xf32>) -> f32 {
  %s = affine.parallel (%i) = (0) to (9) reduce ("maximumf") -> (f32) {
    %a = affine.load %x[%i] : memref<9xf32>
    affine.yield %a : f32
  }
  return %s : f32
}
// | A=4,5 x=5 y=4
func.func @parallel_rows(%A: memref<4x5xf64>, %x: memref<5xf64>, %y: memref<4xf64>) {
  affine.parallel (%i) = (0) to (4) {
    %s = affine.parallel (%j) = (0) to (5) reduce ("addf") -> (f64) {
      %a = affine.load %A[%i, %j] : memref<4x5xf64>
      %b = affine.load %x[%j] : memref<5xf64>
      %p = arith.mulf %a, %b : f64
      affine.yield %p : f64
    }
    affine.store %s, %y[%i] : memref<4xf64>
  }
  return
}
// | x=9 y=9
func.func @parallel_two(%x: memref<9xi32>, %y: memref<9xi32>) -> (i32, i32) {
  %s:2 = affine.parallel (%i) = (0) to (9) reduce ("addi", "muli") -> (i32, i32) {
    %a = affine.load %x[%i] : memref<9xi32>
    %b = affine.load %y[%i] : memref<9xi32>
    affine.yield %a, %b : i32, i32
  }
  return %s#0, %s#1 : i32, i32
}
// | x=3,4 y=3,4
func.func @scf_parallel(%x: memref<3x4xf64>, %y: memref<3x4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c3, %c4) step (%c1, %c1) {
    %a = memref.load %x[%i, %j] : memref<3x4xf64>
    %b = arith.negf %a : f64
    memref.store %b, %y[%i, %j] : memref<3x4xf64>
  }
  return
}
// n=0,1,7 | x=n
func.func @scf_parallel_sum(%n: index, %x: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f64 {
    %a = memref.load %x[%i] : memref<?xf64>
    scf.reduce(%a : f64) {
    ^bb0(%l: f64, %r: f64):
      %t = arith.addf %l, %r : f64
      scf.reduce.return %t : f64
    }
  }
  return %s : f64
}
// | x=10 y=10 o=10
#low = affine_set<(d0) : (4 - d0 >= 0)>
func.func @affine_if_loads(%x: memref<10xf64>, %y: memref<10xf64>, %o: memref<10xf64>) {
  affine.for %i = 0 to 10 {
    %v = affine.if #low(%i) -> f64 {
      %a = affine.load %x[%i] : memref<10xf64>
      affine.yield %a : f64
    } else {
      %b = affine.load %y[%i - 5] : memref<10xf64>
      affine.yield %b : f64
    }
    affine.store %v, %o[%i] : memref<10xf64>
  }
  return
}
// | x=10 o=10
func.func @extended_truth(%x: memref<10xf64>, %o: memref<10xi32>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 10 {
    %a = affine.load %x[%i] : memref<10xf64>
    %c = arith.cmpf ogt, %a, %zero : f64
    %d = arith.extui %c : i1 to i32
    affine.store %d, %o[%i] : memref<10xi32>
  }
  return
}
// | x=10
func.func @counted_truth(%x: memref<10xi32>) -> i32 {
  %zero = arith.constant 0 : i32
  %n = affine.for %i = 0 to 10 iter_args(%acc = %zero) -> (i32) {
    %a = affine.load %x[%i] : memref<10xi32>
    %c = arith.cmpi slt, %a, %zero : i32
    %d = arith.extsi %c : i1 to i32
    %e = arith.subi %acc, %d : i32
    affine.yield %e : i32
  }
  return %n : i32
}
// | x=5
func.func @long_step(%x: memref<5xf64>) {
  %one = arith.constant 1.0 : f64
  affine.for %i = 0 to 5 step 32 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0) -> (d0 + 32, 5)>(%i) {
      affine.store %one, %x[%j] : memref<5xf64>
    }
  }
  return
}
// n=0,1,7 | x=n y=n
func.func @while_counts(%n: index, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = scf.while (%i = %c0) : (index) -> index {
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %a = memref.load %x[%i] : memref<?xf64>
    memref.store %a, %y[%i] : memref<?xf64>
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}
// n=0,1,7 | x=n
func.func @while_sums(%n: i32, %x: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f64
  %r:2 = scf.while (%i = %c0, %s = %zero) : (i32, f64) -> (i32, f64) {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i, %s : i32, f64
  } do {
  ^bb0(%i: i32, %s: f64):
    %k = arith.index_cast %i : i32 to index
    %a = memref.load %x[%k] : memref<?xf64>
    %t = arith.addf %s, %a : f64
    %next = arith.addi %i, %c1 : i32
    scf.yield %next, %t : i32, f64
  }
  return %r#1 : f64
}
// n=0,1,7 | x=n
func.func @scf_for_i32(%n: i32, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %k = arith.index_cast %i : i32 to index
    %a = memref.load %x[%k] : memref<?xf32>
    %b = arith.mulf %a, %half : f32
    memref.store %b, %x[%k] : memref<?xf32>
  }
  return
}
// | x=4,6
func.func @noise_around(%x: memref<4x6xf64>) {
  %u = llvm.mlir.undef : i32
  %a = memref.alloca() : memref<1xi32>
  affine.store %u, %a[0] : memref<1xi32>
  %two = arith.constant 2.0 : f64
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 6 {
      %v = affine.load %x[%i, %j] : memref<4x6xf64>
      %w = arith.divf %v, %two : f64
      affine.store %w, %x[%i, %j] : memref<4x6xf64>
    }
  }
  return
}
// | x=4,6 o=4,6
func.func @through_casts(%x: memref<4x6xf64>, %o: memref<4x6xf64>) {
  %y = memref.cast %x : memref<4x6xf64> to memref<?x6xf64>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 6 {
      %v = affine.load %y[%i, %j] : memref<?x6xf64>
      affine.store %v, %o[%i, %j] : memref<4x6xf64>
    }
  }
  return
}
// | x=12 o=12
func.func @through_subview(%x: memref<12xf32>, %o: memref<12xf32>) {
  %s = memref.subview %x[2] [8] [1] : memref<12xf32> to memref<8xf32, strided<[1], offset: 2>>
  affine.for %i = 0 to 8 {
    %v = affine.load %s[%i] : memref<8xf32, strided<[1], offset: 2>>
    affine.store %v, %o[%i] : memref<12xf32>
  }
  return
}
// | x=9
func.func @delinearised(%x: memref<9xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %k = 0 to 9 {
    %i = affine.apply affine_map<(d0) -> (d0 floordiv 3)>(%k)
    %j = affine.apply affine_map<(d0) -> (d0 mod 3)>(%k)
    affine.store %zero, %x[%i * 3 + %j] : memref<9xf64>
  }
  return
}
// n=0,1,6 | a=n b=n
func.func @minmax_ops(%n: index, %a: memref<?xf64>, %b: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %y = arith.maximumf %x, %zero : f64
    affine.store %y, %b[%i] : memref<?xf64>
  }
  return
}
