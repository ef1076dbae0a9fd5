"""Dynamic programming over intervals: loops over both ends, with sums over the places between them.

Loops of a module on memory come in; the same loops in blocks go out, in which most terms of the sums are products.

- `choices_apart` gives each line of a matrix that is stored an operation of its own.
- `diagonals` computes a diagonal only where no more of a matrix is stored, as loops over lengths do.
- `interval_sums` finds sums over the places at which an interval can be cut.
- `interval_order` proves that blocks keep every dependence.
- `interval_terms` writes terms of sums for many intervals at once.
- `interval_blocks` writes the blocks.
"""
