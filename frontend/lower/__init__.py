"""From the core to affine MLIR, for every language that is read into the core.

A `Function` of the core and its `Unit` come in; text of MLIR goes out, as a `SourceModule` with the signatures of its
functions, what was refused, and what is assumed because the source does not promise it.

- `typed_program` lowers one function with every pass, in their order.
- `ir/` defines the typed program between the core and MLIR, and the values that a front end gives.
- `jumps/` makes branches and minima of jumps, before a function is lowered.
- `from_core/` lowers a function of the core to a typed program, with what is `known/` of its values.
- `passes/` rewrites typed programs: delinearisation, if-conversion, promotion of cells to values.
- `emit/` writes a typed program as MLIR text.
"""
