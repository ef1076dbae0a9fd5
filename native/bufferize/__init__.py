"""Bufferization: every tensor gets memory, that of the caller as far as possible, else a temporary.

A module of linalg on tensors comes in; a module on memory goes out, with a `Signature` for each function. MLIR's
one-shot bufferization does the main step; the rooms' passes before it rewrite a program so that it finds updates that
may happen in place.

- `shapes` gives arrays with the same open extent one value for it.
- `destination_passing` turns functions on tensors into functions on memory.
- `slices` says where a part of a part begins.
- `parts_of_tensors` puts parts directly where they end up, without a tensor between.
- `parts_of_carried` puts the parts of a new tensor onto the one that a loop carries.
- `elementwise` fuses chains of elementwise operations, and turns tensors of rank 0 into scalars.
- `element_versions` leaves one version of a tensor whose single elements are updated.
- `slice_versions` leaves one version of a tensor whose slices are updated.
- `unwritten_parts` reads what a loop has not written yet from where it began.
- `in_place_updates` orders the updates of tensors that a loop carries.
- `loop_carried` ties the tensors of loops, and results, to their memory.
- `lifetimes` refuses memory of one iteration that the next one would read.
- `bool_bytes` stores truth values as bytes.
- `bufferize` runs all of this.
"""
