"""The variables of a function: where each is declared, and whether something has set it where it is read.

The syntax of a function comes in, and is changed in place.

- `counted_loops` rewrites loops over elements to loops that count.
- `grown_lists` has arrays that are filled for lists that grow.
- `plain_statements` has branches for `match`, and assignments of their own for `:=`.
- `unset_variables` puts an error in front of what reads a variable that may be unset.
- `ways_out` has loops without `else`, and returns at the end.
- `scopes` finds the block of each variable, and the names in some syntax.
"""
