"""The value of every statement and array of a program, as a sum of products.

A loop program and its value-based flow come in; sums of products over inputs, atoms and cells go out (`Flows`).

- `value_expressions` gives the value of a scalar expression.
- `copy_propagation` leads reads past statements that only copy.
- `cells` names the instances whose values stand for themselves.
- `wavefronts` orders instances of short dependence chains in layers.
- `closed_forms` sums up recurrences of the form v = v' + e.
- `reduction_chains` sums up recurrences by maximum, minimum, *and* and *or*.
- `flow` follows the flow of a program through all of these.
"""
