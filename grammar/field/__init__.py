"""Arithmetic in Z_p, p = 2^61 - 1, on NumPy arrays of residues (uint64).

Arrays of residues come in and go out. The same functions are written twice: in NumPy as the reference, and as loops
that LLVM compiles once.

- `reference` reads like the definition.
- `kernel_text` has the loops, in the small language of `raising.support.llvm`.
- `loaded_kernels` has LLVM compile them, keeps their object code in the cache and makes NumPy functions of it.
- `field` is what others import; it picks one of the two.
"""
