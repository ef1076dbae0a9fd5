"""Threads: parallel loops become tasks of a small pool, which is part of every object that needs it.

A function with `scf.parallel` comes in; task functions, calls of the pool, and the pool itself as LLVM's text go out.

- `outline` makes task functions of parallel loops.
- `runtime` has the pool, and makes LLVM's text of all of it.
- `pool_workers` has what its threads do.
- `pool_affinity` says on which processors they wake up.
"""
