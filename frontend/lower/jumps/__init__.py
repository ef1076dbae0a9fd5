"""Jumps become branches and minima: rewrites of functions of the core before they are lowered.

A `Function` of the core comes in, and one goes out without these jumps, with what that assumes.

- `without_jumps` does all of this to a function and to those that it calls.
- `exchanged_pointers` unrolls loops that exchange pointers until every pointer is back.
- `forward_gotos` puts what a `goto` leaves out into the other side of a branch.
- `flag_exits` makes jumps of stop flags, which are variables that loops set in order to end; `stop_flags` finds them.
- `exits_as_flags` makes flags of jumps that leave loops, for functions that are written as they are.
- `early_exits` makes minima of the first indices at which loops are left, and guards of what they leave out.
- `extreme_places` makes two loops of one that keeps a largest value and its place.
- `counted_exits` recognises loops that count by one and are left on conditions.
- `exit_conditions` says which statements a condition needs, and that no iteration changes what another one asks.
- `copies` makes copies of statements, with variables of their own.
"""
