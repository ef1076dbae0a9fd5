"""What a function's results allow of floating-point arithmetic, as an attribute that `raise` sets and rules read."""

PERMISSION = "raise.fp"
"""A function's attribute that names the `--fp` its results allow."""
