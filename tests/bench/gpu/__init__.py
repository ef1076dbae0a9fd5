"""PolyBench's kernels on a GPU: raised to StableHLO, run by XLA, beside what a JAX expert writes for the same device.

- `__main__` is the command.
- `modules` raises the kernels, and needs no GPU.
- `references` runs the C loops, which say what is right.
- `worker` runs on the GPU.
"""
