"""The loop program and its polyhedral view: what every reader yields and the search starts from.

A `Program` of loops, guards, loads, scalar computations and stores comes in from a reader in `raising.frontend`. What
goes out is a `Scop` (iteration domains, accesses, schedule and value-based dependences, as sets and maps of isl) and
a `Distribution`: the smallest independent parts of the program, each a `Program` of its own. The stage knows nothing
of MLIR operations, tensors or the search. Its rooms, in reading order:

- `ir/` holds the loop program, affine expressions, and the reference interpreter.
- `transforms/` rewrites a `Program` into an equal one whose loops and arrays are easier to read.
- `sizes/` puts symbols in place of constant sizes.
- `polyhedral/` gives the view in isl, splits a program into parts, and finds the loops that must run in sequence.
"""
