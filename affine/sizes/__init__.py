"""Sizes: the numbers of a program as symbols, so that one result holds for all sizes.

A `Program` comes in; an equal one goes out whose extents and bounds are forms over named sizes.

- `size_classes` finds which constants are one size, because loops tie them together.
- `symbolic_sizes` replaces constant sizes by symbols, so that one result holds for all sizes.
- `quotient_sizes` gives loops steps of 1, and makes sizes of quotients of sizes.
"""
