"""Proofs for all sizes: both programs in normal form, and the difference of each output tested for zero.

A `Pair` of loop programs comes in. `Equal` goes out, or a `Difference` at some sizes, or `Unknown` with a reason.

- `values/` expresses every statement's value as a sum of products.
- `induction/` proves programs whose values depend on each other in sequence.
- `composition/` proves functions of many parts, cut where both programs are in the same state.
- `in_bounds` finds the sizes that keep every access inside of its array.
- `definedness` shows that the target's operations are defined wherever the source's are.
- `proof` runs the proof.
- `by_cases` runs it on each side of the branches on sizes that only one program has.
- `confirmed` runs it within bounds of work and of arrays, and holds it against runs.
"""
