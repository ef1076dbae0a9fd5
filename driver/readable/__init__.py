"""A raised module as Python that a person would have written, for NumPy or JAX.

A module of MLIR comes in, with the names of the source; the text of a Python module goes out. It is built as a syntax
tree and printed by `ast.unparse`, so that it is well-formed whatever the names are; nothing is evaluated.

- `python_nodes` builds nodes of Python's syntax.
- `index_forms` are sums of sizes and counters: bounds of slices and loops.
- `python_values` defines `Expr`, a piece of Python with what is known of its value.
- `scalar_operations` says operations of `arith` and `math`, on numbers and on whole arrays.
- `slice_subscripts` reads slices of arrays in MLIR, and says them as subscripts.
- `contractions` recognises `@`, `np.dot`, and says the rest with `einsum`.
- `generic_operations` says a `linalg.generic`: elementwise work, reductions, and windows.
- `dialects` is what differs between NumPy and JAX: stores, loops, conditions.
- `homes` finds the variable that a chain of updates writes to.
- `operations` says operations on tensors, `structured` loops and conditions over them.
- `kept_loops` says the operations of `affine` and `memref`.
- `function_writer` writes a function, statement by statement.
- `to_source` writes a module.
"""
