"""The native check: two functions compiled and run on the same floats, at the sizes of the file or smaller ones.

The texts of both functions come in; differences beyond rounding go out, or the largest relative error. This sees what
exact algebra cannot, such as a wrong lowering or a lost copy. Everything runs in a forked child with limits.

- `argument_types` reads the types at the boundary of a function (`Signature`).
- `foreign_call` compiles a function, makes random inputs, and calls it.
- `index_ranges` bounds index values by intervals.
- `positions_in_range` finds integers that are positions in other arrays, and how large they may be.
- `memory_accesses` reads loads and stores: their memory, subscripts and iterations.
- `open_sizes` finds the sizes that a function leaves open, and which of them follow from others.
- `sizes` picks numbers for them.
- `program_to_mlir` writes a loop program as an MLIR function.
- `bound_numbers` writes formulas over numbers as operations of a program.
- `error_bound_program` adds to a program a bound on the rounding of each float.
- `rounding` runs such programs at the sizes of the run.
- `compare` compares outputs by these bounds.
- `edges` runs both at sizes at which loops do little or nothing.
- `native` runs the check.
"""
