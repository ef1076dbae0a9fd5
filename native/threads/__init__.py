"""Threads: parallel loops become tasks of a small pool, which is part of every object that needs it.

A function with `scf.parallel` comes in; task functions, calls of the pool, and the pool itself as LLVM's text go out.

- `outline` makes task functions of parallel loops.
- `runtime` writes the pool.
- `pool_workers` writes what its threads do.
- `pool_affinity` writes on which processors they wake up.
"""
