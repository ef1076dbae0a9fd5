"""Specifications: what the search has to find for one part of a program, and what it may use.

A `Part` comes in, with the target's productions; a list of `Spec`s goes out, the most natural first, with seeds (terms
that are near the source) and `Scheme`s (the ways in which the grammar combines values).

- `schemes` groups productions by their scalar body.
- `body_matching` finds scalar bodies of the grammar in a statement's expression.
- `constant_boxes` frames accesses inside of a sequential loop by boxes of constant extent.
- `padding` reads loads under conditions as loads from an array with zeros around it.
- `loop_reversal` reverses loops so that subscripts run forwards.
- `loop_values` places loads over loop variables, and `accumulated` reduces over some of these.
- `seeds` makes terms of the source's own subexpressions with both.
- `spec` defines `Spec`.
- `load_terms` offers each load as inputs: the array, the window that it reads, and that with zeros beside it.
- `specify` samples a part and frames its inputs and outputs.
"""
