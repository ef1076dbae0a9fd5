"""StableHLO to linalg, in the MLIR of jaxlib (the extra `stablehlo`).

A StableHLO module comes in; a module of linalg, tensor and scf goes out, as text.

- `op_builder` writes operations in place of a StableHLO operation.
- `control_flow` writes loops and branches of `scf`.
- `saturating_casts` converts floats to integers as XLA does.
- `scatter` writes scatters as loops.
- `sort` writes a stable merge sort.
- `to_linalg` runs these, and then StableHLO's own passes.
"""
