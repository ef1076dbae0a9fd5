"""Transformations of loop nests and of loops around them, before code is written for them.

The `Item`s of a block, or a loop of a module, come in; equal ones go out that move less memory.

- `extrema` finds choices that are the larger or the smaller of two integers.
- `copy_elimination` leaves out copies between buffers.
- `producer_fusion` computes temporaries where they are read.
- `split_reductions` splits sums over rows into blocks that threads may do.
- `transpose_columns` keeps a transposed copy of arrays whose columns a sequential loop reads.
- `left_looking` finds sums over all earlier iterations.
- `join_loops` joins neighbouring loops over single elements that have something to share.
- `left_looking_blocks` turns such loops into blocks, with a contraction before each.
- `rank_one_loops` finds loops that update a matrix from one row and one column of it in each iteration.
- `rank_one_blocks` turns such loops into blocks, with a product after each.
- `product_tiles` does products by any operations in tiles of registers, in their order.
- `delayed_updates` finds updates of everything behind an iteration, as those of Gram-Schmidt.
- `delayed_updates_blocks` turns such loops into blocks, with contractions behind each.
- `memory_writer` writes operations on memory, for those that rewrite loops.
"""
