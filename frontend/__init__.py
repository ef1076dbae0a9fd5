"""The front ends: they read C, Python and MLIR, and give loop programs.

Source text comes in. C and Python become affine MLIR first (a `SourceModule`); MLIR becomes a `Source`, whose functions
are lists of items, and each run of loop nests among them is a `Segment` that holds one `Program`. Whatever is outside
of the subset is no error: it stays as it is, with a place and a reason (`Refused`, `Refusal`).

- `core/` is the one language that C and Python are read into.
- `mlir/` reads the functions of an MLIR module into programs.
- `c/` reads C into the core, and `python/` loops over NumPy arrays.
- `lower/` makes affine MLIR of the core.
"""
