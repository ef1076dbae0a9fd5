"""Loop nests over `%x` and `%y` of ten doubles, one for each way to write loops that the reader knows."""

BODIES = {
    "if with results": """
  affine.for %i = 0 to 10 {
    %v = affine.load %x[%i] : memref<10xf64>
    %r = affine.if affine_set<(d0) : (d0 - 4 >= 0, 8 - d0 >= 0)>(%i) -> f64 {
      %a = arith.addf %v, %v : f64
      affine.yield %a : f64
    } else {
      %a = arith.mulf %v, %v : f64
      affine.yield %a : f64
    }
    affine.store %r, %y[%i] : memref<10xf64>
  }""",
    "if with an equality": """
  affine.for %i = 0 to 10 {
    %v = affine.load %x[%i] : memref<10xf64>
    affine.if affine_set<(d0) : (d0 mod 3 - 1 == 0)>(%i) {
      affine.store %v, %y[%i] : memref<10xf64>
    } else {
      %a = arith.negf %v : f64
      affine.store %a, %y[%i] : memref<10xf64>
    }
  }""",
    "else that adds": """
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 10 {
      affine.if affine_set<(d0, d1) : (d0 - 4 >= 0, d1 - 5 >= 0)>(%i, %j) {
      } else {
        %v = affine.load %x[%j] : memref<10xf64>
        %w = affine.load %y[%i] : memref<10xf64>
        %s = arith.addf %v, %w : f64
        affine.store %s, %y[%i] : memref<10xf64>
      }
    }
  }""",
    "parallel": """
  affine.parallel (%i, %j) = (1, 0) to (9, 2) step (2, 1) {
    %v = affine.load %x[%i + %j] : memref<10xf64>
    affine.store %v, %y[%i + %j] : memref<10xf64>
  }""",
    "bounds of several forms": """
  affine.for %i = 0 to 10 {
    affine.for %j = max affine_map<(d0) -> (d0 - 2, 0)>(%i) to min affine_map<(d0) -> (d0 + 2, 10)>(%i) {
      %v = affine.load %x[%j] : memref<10xf64>
      %w = affine.load %y[%i] : memref<10xf64>
      %s = arith.addf %v, %w : f64
      affine.store %s, %y[%i] : memref<10xf64>
    }
  }""",
    "apply, min and max": """
  %c1 = arith.constant 1 : index
  affine.for %t = 0 to 4 {
    %a = affine.apply affine_map<(d0) -> (d0 * 3)>(%t)
    %low = affine.max affine_map<(d0)[s0] -> (d0, s0)>(%a)[%c1]
    %high = affine.min affine_map<(d0) -> (d0 * 3 + 3, 10)>(%t)
    scf.for %i = %low to %high step %c1 {
      %k = affine.apply affine_map<(d0) -> (9 - d0)>(%i)
      %v = memref.load %x[%k] : memref<10xf64>
      memref.store %v, %y[%i] : memref<10xf64>
    }
  }""",
    "iter_args": """
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 9 {
    %s = affine.for %j = 0 to 10 iter_args(%acc = %zero) -> (f64) {
      %v = affine.load %x[%j] : memref<10xf64>
      %n = arith.addf %acc, %v : f64
      affine.yield %n : f64
    }
    affine.store %s, %y[%i] : memref<10xf64>
  }""",
    "iter_args that trade places": """
  affine.for %i = 0 to 9 {
    %a = affine.load %x[%i] : memref<10xf64>
    %b = affine.load %x[%i + 1] : memref<10xf64>
    %r:2 = affine.for %j = 0 to 5 iter_args(%s = %a, %t = %b) -> (f64, f64) {
      affine.yield %t, %s : f64, f64
    }
    affine.store %r#0, %y[%i] : memref<10xf64>
  }""",
    "scf and index arithmetic": """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %d = arith.muli %i, %c2 : index
    %e = arith.addi %d, %c1 : index
    %h = arith.floordivsi %e, %c2 : index
    %g = arith.subi %e, %h : index
    %v = memref.load %x[%g] : memref<10xf64>
    memref.store %v, %y[%e] : memref<10xf64>
  }""",
    "strided and descending": """
  affine.for %i = 1 to 10 step 3 {
    %v = affine.load %x[-%i + 9] : memref<10xf64>
    affine.store %v, %y[%i] : memref<10xf64>
  }""",
    "select on an index condition": """
  %c5 = arith.constant 5 : index
  affine.for %i = 0 to 10 {
    %v = affine.load %x[%i] : memref<10xf64>
    %w = arith.negf %v : f64
    %c = arith.cmpi ne, %i, %c5 : index
    %r = arith.select %c, %v, %w : f64
    affine.store %r, %y[%i] : memref<10xf64>
  }""",
    "scf.if on a conjunction": """
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  affine.for %i = 0 to 10 {
    %v = affine.load %x[%i] : memref<10xf64>
    %a = arith.cmpi sgt, %i, %c2 : index
    %b = arith.cmpi sle, %i, %c7 : index
    %c = arith.andi %a, %b : i1
    scf.if %c {
      affine.store %v, %y[%i] : memref<10xf64>
    }
  }""",
    "select on data": """
  affine.for %i = 0 to 10 {
    %v = affine.load %x[%i] : memref<10xf64>
    %w = affine.load %y[%i] : memref<10xf64>
    %c = arith.cmpf ogt, %v, %w : f64
    %r = arith.select %c, %v, %w : f64
    affine.store %r, %y[%i] : memref<10xf64>
  }""",
    "math": """
  affine.for %i = 0 to 10 {
    %v = affine.load %x[%i] : memref<10xf64>
    %a = math.absf %v : f64
    %b = math.sqrt %a : f64
    %c = math.exp %b : f64
    affine.store %c, %y[%i] : memref<10xf64>
  }""",
    "indices as data": """
  affine.for %i = 0 to 10 {
    %k = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i)
    %n = arith.index_cast %k : index to i32
    %v = arith.sitofp %n : i32 to f64
    affine.store %v, %y[%i] : memref<10xf64>
  }""",
    "memories of an iteration": """
  affine.for %i = 0 to 9 {
    %t = memref.alloc() : memref<2xf64>
    %u = memref.alloca() : memref<f64>
    %a = affine.load %x[%i] : memref<10xf64>
    affine.store %a, %t[0] : memref<2xf64>
    affine.store %a, %t[1] : memref<2xf64>
    affine.store %a, %u[] : memref<f64>
    %b = affine.load %t[1] : memref<2xf64>
    %c = affine.load %u[] : memref<f64>
    %d = arith.mulf %b, %c : f64
    affine.store %d, %y[%i] : memref<10xf64>
    memref.dealloc %t : memref<2xf64>
  }""",
}
