"""NumPy's functions, by their names.

The syntax of a function comes in, and goes out with each call of one of NumPy's that has a definition replaced by it.

- `made_syntax` writes syntax from text in which names have meanings, at the place of the syntax that it is made for.
- `numpy_definitions` replaces the calls.
- `unpacked_arrays` has what gives several arrays at once.
- `expressions_of_numpy` has definitions that are one expression.
- `number_functions` has functions of numbers, those of Python and `math` too: there calls are looked up.
- `integer_powers` computes powers of integers.
- `numpy_quotients` has quotients, and shifts of integers, for which NumPy says more than the core does.
- `complex_arithmetic` has what NumPy computes of the parts of complex numbers.
- `loops_of_numpy`, `sorting_of_numpy` and `linear_algebra_of_numpy` have those that are loops: they become functions of
  the file.
"""
