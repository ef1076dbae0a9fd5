// What operations compute that are recurrences: a loop for each, that no scalar body says.
//
// `raise.dims` names the extents of the operands and of the result; equal letters are equal extents.
// `raise.symmetric` are the operands that the operation wants symmetric, `raise.assumes` what else it wants.
// Elements that a function does not set are the operation's own business.

// L with L · Lᵀ = a, lower triangular
func.func @stablehlo.cholesky.lower.f64(%a: tensor<?x?xf64>) -> tensor<?x?xf64>
    attributes {lower = true, raise.dims = "n n -> n n", raise.symmetric = "0",
                raise.assumes = "a positive definite matrix"} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = tensor.dim %a, %0 : tensor<?x?xf64>
  %empty = tensor.empty(%n, %n) : tensor<?x?xf64>
  %l = scf.for %j = %0 to %n step %1 iter_args(%columns = %empty) -> (tensor<?x?xf64>) {
    %ajj = tensor.extract %a[%j, %j] : tensor<?x?xf64>
    %square = scf.for %k = %0 to %j step %1 iter_args(%sum = %ajj) -> (f64) {
      %x = tensor.extract %columns[%j, %k] : tensor<?x?xf64>
      %xx = arith.mulf %x, %x : f64
      %next = arith.subf %sum, %xx : f64
      scf.yield %next : f64
    }
    %ljj = math.sqrt %square : f64
    %first = tensor.insert %ljj into %columns[%j, %j] : tensor<?x?xf64>
    %below = arith.addi %j, %1 : index
    %column = scf.for %i = %below to %n step %1 iter_args(%rows = %first) -> (tensor<?x?xf64>) {
      %aij = tensor.extract %a[%i, %j] : tensor<?x?xf64>
      %rest = scf.for %k = %0 to %j step %1 iter_args(%sum = %aij) -> (f64) {
        %x = tensor.extract %rows[%i, %k] : tensor<?x?xf64>
        %y = tensor.extract %rows[%j, %k] : tensor<?x?xf64>
        %xy = arith.mulf %x, %y : f64
        %next = arith.subf %sum, %xy : f64
        scf.yield %next : f64
      }
      %lij = arith.divf %rest, %ljj : f64
      %row = tensor.insert %lij into %rows[%i, %j] : tensor<?x?xf64>
      scf.yield %row : tensor<?x?xf64>
    }
    scf.yield %column : tensor<?x?xf64>
  }
  return %l : tensor<?x?xf64>
}

// x with a · x = b, where a is the lower triangle of its operand
func.func @stablehlo.triangular_solve.lower.f64(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?x?xf64>
    attributes {left_side = true, lower = true, unit_diagonal = false,
                transpose_a = #stablehlo<transpose NO_TRANSPOSE>, raise.dims = "n n, n m -> n m"} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = tensor.dim %a, %0 : tensor<?x?xf64>
  %m = tensor.dim %b, %1 : tensor<?x?xf64>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf64>
  %x = scf.for %i = %0 to %n step %1 iter_args(%rows = %empty) -> (tensor<?x?xf64>) {
    %row = scf.for %j = %0 to %m step %1 iter_args(%found = %rows) -> (tensor<?x?xf64>) {
      %bij = tensor.extract %b[%i, %j] : tensor<?x?xf64>
      %rest = scf.for %k = %0 to %i step %1 iter_args(%sum = %bij) -> (f64) {
        %aik = tensor.extract %a[%i, %k] : tensor<?x?xf64>
        %xkj = tensor.extract %found[%k, %j] : tensor<?x?xf64>
        %product = arith.mulf %aik, %xkj : f64
        %next = arith.subf %sum, %product : f64
        scf.yield %next : f64
      }
      %aii = tensor.extract %a[%i, %i] : tensor<?x?xf64>
      %xij = arith.divf %rest, %aii : f64
      %more = tensor.insert %xij into %found[%i, %j] : tensor<?x?xf64>
      scf.yield %more : tensor<?x?xf64>
    }
    scf.yield %row : tensor<?x?xf64>
  }
  return %x : tensor<?x?xf64>
}

// x with a · x = b, where a is the lower triangle of its operand, with ones on the diagonal
func.func @stablehlo.triangular_solve.lower.unit.f64(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?x?xf64>
    attributes {left_side = true, lower = true, unit_diagonal = true,
                transpose_a = #stablehlo<transpose NO_TRANSPOSE>, raise.dims = "n n, n m -> n m"} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = tensor.dim %a, %0 : tensor<?x?xf64>
  %m = tensor.dim %b, %1 : tensor<?x?xf64>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf64>
  %x = scf.for %i = %0 to %n step %1 iter_args(%rows = %empty) -> (tensor<?x?xf64>) {
    %row = scf.for %j = %0 to %m step %1 iter_args(%found = %rows) -> (tensor<?x?xf64>) {
      %bij = tensor.extract %b[%i, %j] : tensor<?x?xf64>
      %rest = scf.for %k = %0 to %i step %1 iter_args(%sum = %bij) -> (f64) {
        %aik = tensor.extract %a[%i, %k] : tensor<?x?xf64>
        %xkj = tensor.extract %found[%k, %j] : tensor<?x?xf64>
        %product = arith.mulf %aik, %xkj : f64
        %next = arith.subf %sum, %product : f64
        scf.yield %next : f64
      }
      %more = tensor.insert %rest into %found[%i, %j] : tensor<?x?xf64>
      scf.yield %more : tensor<?x?xf64>
    }
    scf.yield %row : tensor<?x?xf64>
  }
  return %x : tensor<?x?xf64>
}

// x with a · x = b, where a is the upper triangle of its operand
func.func @stablehlo.triangular_solve.upper.f64(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?x?xf64>
    attributes {left_side = true, lower = false, unit_diagonal = false,
                transpose_a = #stablehlo<transpose NO_TRANSPOSE>, raise.dims = "n n, n m -> n m"} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = tensor.dim %a, %0 : tensor<?x?xf64>
  %m = tensor.dim %b, %1 : tensor<?x?xf64>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf64>
  %last = arith.subi %n, %1 : index
  %x = scf.for %t = %0 to %n step %1 iter_args(%rows = %empty) -> (tensor<?x?xf64>) {
    %i = arith.subi %last, %t : index
    %after = arith.addi %i, %1 : index
    %row = scf.for %j = %0 to %m step %1 iter_args(%found = %rows) -> (tensor<?x?xf64>) {
      %bij = tensor.extract %b[%i, %j] : tensor<?x?xf64>
      %rest = scf.for %k = %after to %n step %1 iter_args(%sum = %bij) -> (f64) {
        %aik = tensor.extract %a[%i, %k] : tensor<?x?xf64>
        %xkj = tensor.extract %found[%k, %j] : tensor<?x?xf64>
        %product = arith.mulf %aik, %xkj : f64
        %next = arith.subf %sum, %product : f64
        scf.yield %next : f64
      }
      %aii = tensor.extract %a[%i, %i] : tensor<?x?xf64>
      %xij = arith.divf %rest, %aii : f64
      %more = tensor.insert %xij into %found[%i, %j] : tensor<?x?xf64>
      scf.yield %more : tensor<?x?xf64>
    }
    scf.yield %row : tensor<?x?xf64>
  }
  return %x : tensor<?x?xf64>
}

// x with a · x = b, where a is the upper triangle of its operand, with ones on the diagonal
func.func @stablehlo.triangular_solve.upper.unit.f64(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?x?xf64>
    attributes {left_side = true, lower = false, unit_diagonal = true,
                transpose_a = #stablehlo<transpose NO_TRANSPOSE>, raise.dims = "n n, n m -> n m"} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = tensor.dim %a, %0 : tensor<?x?xf64>
  %m = tensor.dim %b, %1 : tensor<?x?xf64>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf64>
  %last = arith.subi %n, %1 : index
  %x = scf.for %t = %0 to %n step %1 iter_args(%rows = %empty) -> (tensor<?x?xf64>) {
    %i = arith.subi %last, %t : index
    %after = arith.addi %i, %1 : index
    %row = scf.for %j = %0 to %m step %1 iter_args(%found = %rows) -> (tensor<?x?xf64>) {
      %bij = tensor.extract %b[%i, %j] : tensor<?x?xf64>
      %rest = scf.for %k = %after to %n step %1 iter_args(%sum = %bij) -> (f64) {
        %aik = tensor.extract %a[%i, %k] : tensor<?x?xf64>
        %xkj = tensor.extract %found[%k, %j] : tensor<?x?xf64>
        %product = arith.mulf %aik, %xkj : f64
        %next = arith.subf %sum, %product : f64
        scf.yield %next : f64
      }
      %more = tensor.insert %rest into %found[%i, %j] : tensor<?x?xf64>
      scf.yield %more : tensor<?x?xf64>
    }
    scf.yield %row : tensor<?x?xf64>
  }
  return %x : tensor<?x?xf64>
}
