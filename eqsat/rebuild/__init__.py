"""Rebuilding: the chosen nodes of an e-graph as operations of the function it came from.

A choice of nodes and the original function come in; the function is changed in place, and operations that were not
chosen disappear.

- `algebra_to_term` turns terms of the tensor algebra into terms of a target's grammar.
- `compose_term` composes the chosen terms below one class.
- `write_term` writes them as operations of the target.
- `make` makes new operations for chosen nodes.
- `rebuild` walks the function and puts everything in its place.
"""
