"""Solved segments written back: terms become operations in place of loops.

A `Function` and the `SegmentResult`s of its segments come in. The module is changed in place, or a whole function is
written in the target's operations.

- `in_place` replaces the loops of a segment by operations on tensors of its arrays.
- `rows_view` writes the view that flat memory has with its rows.
- `origins` gives operations the locations of the statements that they come from.
- `gathered_inputs` writes what is read at positions that are data.
- `pure_function` writes a whole function from tensors to tensors, for targets that have nothing else.
- `tensor_abi` rewrites a raised function from memrefs to tensors (`--abi tensor`).
- `cleanup` erases local memory that raising left unused, and finds functions that would ask for C's unknown lengths.
- `shared_memory` finds calls in the module that give two arguments one memory.
- `versioning` adds the run-time test and the fallback of `--guard`.
- `overlap_guards` makes both for functions of MLIR; `tested_sizes` finds what they ask of sizes.
"""
