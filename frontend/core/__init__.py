"""The core: one small typed imperative language that sources are read into.

Every value is frozen. Expressions have no effects, every conversion is written out, every node has its place in the
file that the user wrote, and a name means one variable in the whole function.

- `types` are its types, with the extents of arrays as expressions.
- `expression_nodes` and `statement_nodes` are its nodes, up to a whole file (`Unit`).
- `build` makes nodes with the types that follow from their operands.
- `intrinsics` lists the functions without effects that it knows.
- `traverse` gives the children of nodes, and nodes with other children.
- `live_variables` says which variables may be read behind a statement.
- `reaching_values` says which variables have a value there that is known in others.
- `known_callees` makes calls by name of calls through pointers to functions that are known.
- `leading_breaks` makes conditions of what loops ask at their beginning.
- `integers_by_address` reads integers behind pointers as integers that are passed.
- `printer` shows types and expressions as text.
- `invariants` says what is wrong with a unit that breaks its rules.
"""
