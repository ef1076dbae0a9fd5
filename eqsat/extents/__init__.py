"""Extents that are known at run time only.

A module comes in whose tensors have `?` extents; the same module with a number of its own for each class of equal
extents goes out, so that meanings, rules, costs and chains need not know about them; and back.

- `equal` says which extents of a function are one: as its operations demand, read off their lowered form.
- `numbering` gives each class its number, and marks where a program has it as a value.
- `fix` writes the numbers into types, and leaves what cannot have them behind casts.
- `reopen` takes the numbers out again, and refuses a result in which one is left.
- `open_costs` has costs as polynomials of the extents, compared where their sign is known.
"""
