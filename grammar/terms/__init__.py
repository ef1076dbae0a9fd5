"""Terms: tensor programs over a grammar, as values.

This room is the vocabulary of the search, the checks and the rewriting: everything else takes and gives `Term`s,
`Body`s and `Production`s.

- `scalar_ops` says what the scalar operations of `arith` and `math` mean.
- `structured_op` defines structured operations: maps, iterators, scalar body (`Meaning`, `Production`).
- `term` defines `Term` and its nodes.
- `bit_vectors` has what operations on integers mean to z3.
- `literal` writes scalar constants as MLIR text.
- `pointwise` builds small terms.
- `procedure` defines operations that are recurrences.
- `simplify` folds reads by maps and starts of sums into their users.
- `pretty` writes terms as algebra.
"""
