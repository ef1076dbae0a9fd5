"""Calls of compiled code from Python.

`Built` code, or a module, comes in; a `Compiled` goes out, which checks its arguments (NumPy arrays and numbers) and
calls the code.

- `accessed_elements` tells which elements of its arrays a call accesses.
- `arguments` checks arguments, and passes them as C does.
- `code_cache` keeps machine code on disk.
- `compiled` loads code into this process and calls it.
- `python_function` makes a built-in function of Python of it, for calls such as the last one.
- `xla` compiles StableHLO by XLA instead.
- `xla_cholesky` has XLA factor by LAPACK or cuSOLVER, as jax does.
- `xla_in_place` rewrites loops so that XLA updates arrays in place.
- `autotune` measures whether BLAS or our own code is faster for a contraction.
"""
