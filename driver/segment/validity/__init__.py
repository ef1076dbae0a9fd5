"""Validity: the sizes at which raised terms have the values of the loops, and touch no memory that these do not.

A program and its terms come in; a `Standing` goes out: conditions on sizes, and how they were found.

- `boxes` finds the sizes at which windows leave what they are windows of.
- `region_trials` runs terms beside the loops in every region of the sizes.
- `standing` puts both together with the accesses, and simplifies the conditions.
"""
