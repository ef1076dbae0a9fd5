"""Matrix chains: products of many factors are associated at once, in place of rules of associativity.

A saturated e-graph comes in; the best splits of each chain go out as new nodes.

- `chains` reads the factors of a chain in order, however they are associated.
- `chain_dp` finds the best split of each segment by dynamic programming.
"""
