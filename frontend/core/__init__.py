"""The core: one small typed imperative language that sources are read into.

Every value is frozen. Expressions have no effects, every conversion is written out, every node has its place in the
file that the user wrote, and a name means one variable in the whole function.

- `types` are its types, with the extents of arrays as expressions.
- `expression_nodes` and `statement_nodes` are its nodes, up to a whole file (`Unit`).
- `build` makes nodes with the types that follow from their operands.
- `intrinsics` lists the functions without effects that it knows.
- `traverse` gives the children of nodes, and nodes with other children: walks and rewrites are made of its functions.
- `variable_uses` says which variables statements mention, declare, assign, and take the address of.
- `leaving_jumps` says where control leaves statements before their end.
- `live_variables` says which variables may be read behind a statement.
- `reaching_values` says which variables have a value, at a statement, that is an expression over other variables.
- `known_callees` calls functions by their names where the source calls a pointer whose function is known.
- `leading_breaks` makes a `break` at the beginning of a loop a part of the loop's condition.
- `integers_by_address` passes integers by value which the source passes by their address.
- `printer` shows types and expressions as text.
"""
