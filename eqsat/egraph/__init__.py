"""The e-graph: a function as terms, saturated under rules, and read as plain tables.

An MLIR function and rules as text come in; an `EGraph` goes out: classes, and nodes that compute a class from others.

- `sexpr` reads S-expressions with their places.
- `unsaturated` makes the tables of terms that no rule was applied to.
- `vocabulary` names the terms that stand for types and attributes.
- `purity` finds which operations have no side effects.
- `held` keeps values of memory that changes where they were computed.
- `through_memory` takes out memory that tensors only go through.
- `encode` writes one function as terms (`Encoded`).
- `dialegg` reads rule files in DialEgg's vocabulary.
- `engine` runs egglog in a child process, with limits.
- `graph` reads the tables of a saturated e-graph.
"""
