"""Lifting: operations of a program as terms of the tensor algebra, by their measured meaning.

An `Encoded` function comes in; terms of the algebra go out beside the terms that its operations are anyway. No
operation is known by name.

- `meaning` measures what an operation means, at small sizes.
- `movement` measures at its own sizes what moves elements, or is linear in two operands.
- `lift_moved` writes terms for these.
- `products` finds which operations are products that associate.
- `algebra_terms` writes terms of the algebra.
- `lift` runs this over a function.
"""
