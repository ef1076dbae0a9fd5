"""Elementary functions of vectors, without a call for each lane.

Operations of MLIR's math dialect on vectors come in; private functions that compute them go out, within a few units in
the last place.

- `vectors` writes arithmetic on vectors (`Vector`), with the polynomials of `coefficients.toml`, which
  `tests/bench/native/polynomials.py` makes.
- `exp` writes exp and functions made of it.
- `log` writes logarithms and functions made of them.
- `pow` writes powers and cube roots.
- `trig` writes trigonometric functions and their inverses.
- `constant_powers` writes powers by small constants with products and square roots.
- `expand` replaces the operations of a module.
"""
