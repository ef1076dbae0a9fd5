"""Evidence for a raised function beyond the field: a proof, and a native run beside the loops.

A `Raised` (the function before and after) comes in; a `Checked` goes out, with the strongest verdict reached in time.

- `smaller_instance` makes the same pair of programs at smaller sizes.
- `every_branch` reads what depends on data as executed, for those who ask for accesses only.
- `call_needs` finds the elements that compiled functions access of their arrays.
- `verify` runs the proof and the native check.
"""
