"""Instruction selection: which operation of the target says a term.

A `Term` and a `Grammar` come in. Productions for its nodes go out, the most specific first, or `CannotSay`; for targets
that say less, an equal term that can be said.

- `match` finds the productions that mean a structured computation.
- `rank_generalisation` writes productions at ranks that were not probed.
- `selector` picks the most specific production (`Speller`), and spells its attributes.
- `positions` computes masks and positions by operations on tensors.
- `legalise` rewrites a term until the target says each node.
"""
