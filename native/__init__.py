"""The native back end: an MLIR module of tensors or loops becomes machine code, and a function that NumPy can call.

The text of a module (linalg, StableHLO, or the output of `raise` and `raise-opt`) and `CompileOptions` come in. `Built`
goes out: object code with a C interface, or in this process a `Compiled` that is called on arrays.

- `base/` defines the target, the options, and a function's signature.
- `input/` reads a module and brings it to linalg.
- `bufferize/` gives every tensor its memory.
- `nest/` reads operations on memory as loop nests with affine accesses.
- `transforms/` rewrites nests: copies, temporaries, layouts, blocks of iterations.
- `intervals/` runs dynamic programming over intervals in blocks.
- `contraction/` writes contractions as packed and register-tiled kernels.
- `blas/` replaces contractions by calls of BLAS.
- `loops/` fuses all other nests and writes them as vector loops.
- `sequential/` writes time loops and recurrences.
- `vector_math/` computes exp, log, sin and the like on vectors.
- `threads/` turns parallel loops into tasks of a thread pool.
- `abi/` writes the functions that C and Python call.
- `codegen/` lowers to LLVM and makes object files.
- `call/` calls compiled code on NumPy arrays, and caches it.
- `schedule` replaces the operations of each block by kernels.
- `compile` runs all of this.
"""
