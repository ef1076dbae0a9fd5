"""The typed program between C and MLIR, and the values that the front end takes and gives.

A `Function` is a tree of nodes (`For`, `If`, `Read`, `Write`, `Let`, …) in which expressions are numbered values and
integers are polynomials. `frontend.lower.from_core` makes it, `frontend.lower.passes` rewrite it, `frontend.lower.emit`
prints it.

- `polynomial` defines `Poly`: subscripts, bounds and sizes before they are known to be affine.
- `types` defines its types, and the spelling of constants.
- `inequalities` defines `Facts`: what is known of integers at a place, and proofs from it.
- `nodes` defines the typed program; the files of this stage call it `tp`.
- `ranges_of_values` says between which numbers integers that are data lie.
- `node_writer` writes nodes, with numbers for values and names for arrays and loops.
- `module` defines `COptions`, `SourceModule` and `Refused`, the reason why a function stays in C.
"""
