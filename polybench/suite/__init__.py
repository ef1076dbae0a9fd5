"""The kernels of PolyBench/C as values: sources, sizes, inputs, live-outs and oracles.

A kernel's name comes in; a `Kernel` goes out, with the NumPy function that says what it computes.

- `values` defines the types that kernels, inputs and oracles share.
- `initial_values` has PolyBench's inputs, and random ones.
- `oracles_linear` has the oracles of products and of data sets.
- `oracles_solvers` has those of solvers, dynamic programming and filtering.
- `oracles_stencils` has those of stencils.
- `kernel` joins all of it to `Kernel`.
"""
