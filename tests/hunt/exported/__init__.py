"""Random array programs in StableHLO, in the form in which JAX exports them, beside StableHLO's own interpreter.

- `module` writes a module: values with their shapes, and how many bits of them are exact.
- `draw` draws programs of element-wise operations, reductions, products and views.
- `places` has what depends on positions and order: slices at places, gathers, sorts, loops, branches.
- `judge` holds what raise-opt and raise-compile make of each against the interpreter.
"""
