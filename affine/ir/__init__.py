"""The loop program: its nodes, the affine expressions in them, and an interpreter that defines their meaning.

Readers build a `Program` out of `Loop`, `Guard`, `Load`, `Compute`, `IndexValue` and `Store`; every subscript, bound
and condition in it is a `Lin`. The interpreter takes a `Program`, sizes and a `Memory`, and leaves the final contents.

- `affine_expr` defines quasi-affine expressions (`Lin`, `Floor`) and conditions over them (`Cond`).
- `program` defines the loop program and its nodes.
- `rewriting` applies a function to all nodes, loops, affine expressions or names of a block.
- `renaming` gives a program other names, or forms in place of its sizes.
- `value_names` follows values by name: definitions, uses, and what a value is computed from.
- `constraints` turns conditions into disjoint alternatives, without what is known already.
- `c_parameters` reads the extents that C gave to the arrays of a function from the function's attribute.
- `degenerate_loops` drops loops that run once or never, and guards that always or never hold.
- `real_functions` has a row for each function of real numbers: its names, and what stages have to know of it.
- `integer_types` says how many bits integers have, and which numbers they stand for.
- `sparse_polynomials` adds polynomials over numbered atoms, for normal forms of programs and circuits.
- `spans` has rules for the least and the largest result of operations on integers.
- `integer_functions` has a row for each operation on integers: its meaning to every stage.
- `interpreter` runs a program over any arithmetic; the search and all checks are compared with it.
"""
