"""The search: from the values that a part computes to the simplest tensor term that computes them.

A `Spec` (samples of a part's outputs at a few sizes, in a finite field) and the schemes of a grammar come in. `Raised`
with a term goes out, or `NotRaised` with the bound that stopped the search. Nothing here knows an operation by name.

- `spec/` makes specifications of parts, and schemes of a grammar.
- `enumerate/` enumerates terms bottom-up and merges those with equal values.
- `complete/` splits goals backwards until enumerated values meet them.
- `search_options` says which parts of a search are on, and how far it goes.
- `search` deepens both in turn, simplest result first.
"""
