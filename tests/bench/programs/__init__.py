"""Programs as their users write them in NumPy: stencils, solvers, signals, layers, physics, graphs.

The mathematics is that of NPBench (Ziogas et al., ICS 2021) and of the fields it draws on; the text is our own. Each is
a function of arrays and numbers, registered with a maker of its arguments at a size.

- `register` has `Program`, and how a function becomes one.
- `stencils`, `dense`, `solvers`, `signals`, `layers`, `physics` and `graphs` are the programs.
- `jax_form` writes one for JAX, by machine or from `jax_hand`.
- `compare` runs one beside NumPy, and `__main__` makes the table.
"""
