"""The PolyBench kernels, measured (a later stage)."""
