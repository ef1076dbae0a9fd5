"""Bottom-up enumeration: all terms by cost, where terms with equal values are one (observational equivalence).

The seeds of a `Spec` and its schemes come in; a `Store` of terms with their values goes out, larger by one step of
cost each time.

- `term_cost` says what a term costs.
- `cancellation` tells forms that lose accuracy where the loops do not.
- `store` keeps values by type and fingerprint.
- `limits` bounds a search and counts what it did.
- `fingerprints` computes the fingerprint of a candidate from those of its operands.
- `guides` leaves out schemes and dimensions that the polyhedral view of the source rules out.
- `forward` applies every scheme to every fitting tuple of operands.
"""
