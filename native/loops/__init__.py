"""Loop nests as fused vector loops: everything that is no contraction.

The `Item`s of a block come in. A tree of `Loop`s goes out, fused by dependence distances, and its code on vectors.

- `loop_tree` orders and fuses nests as a tree of loops.
- `private_rows` keeps a few rows of a temporary, where an iteration makes and uses its rows.
- `narrow` computes integers on as few bits as their values need.
- `vector_ops` prints scalar operations for vectors.
- `unroll_window` unrolls sums over small windows, and rows of few elements.
- `interleave` loads and stores every second, third or fourth element by whole vectors and shuffles.
- `rolled` computes all elements of a stride at once, on contiguous vectors, where that takes fewer shuffles.
- `aligned_stores` counts the iterations before vectors are stored at multiples of their size.
- `body` writes one point, or one vector of points, of a nest.
- `prefetch` shares loads between neighbouring rows, and prefetches the next rows.
- `transpose_tiles` transposes square tiles in registers, for loops that read across what they write along.
- `sums/` finds sums for which an instruction joins neighbouring lanes.
- `vectorise/` writes an innermost loop on vectors, for several rows at once.
- `loop_plan` says which loops may be on vectors, done several rows at once, or shared by threads.
- `emit_loops` writes a tree of loops (`Writer`).
- `fusion_plan` divides the operations of a block into steps.
"""
