"""Typed programs as MLIR text.

A `Function` of `frontend.lower.ir.nodes` comes in, after all passes; text of `func.func` operations goes out.

- `text` writes places, extents and affine expressions.
- `mlir` writes the function (`Emitter`), each operation with its place in the source.
- `runtime_check` writes `@f.holds`, which tests at run time what was assumed of `f`.
- `position_bounds` finds, for that test, the least and greatest of positions that are data.
- `fallback_text` writes `@f.original`, which runs where that test fails.
- `module_text` writes the functions of a file as one module, with remarks and assumptions.
"""
