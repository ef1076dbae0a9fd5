"""What a function's results and arrays allow, as attributes that `raise` sets and later stages read."""

PERMISSION = "raise.fp"
"""A function's attribute that names the `--fp` its results allow."""

OVERLAPPING = "raise.overlapping"
"""The attribute of a function whose arrays may overlap: it is compiled in the order of its text."""
