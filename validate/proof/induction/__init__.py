"""Proofs by induction, for values that depend on each other in sequence without a closed form.

Two programs come in. The pairs of statement instances that hold equal values go out, proved; nothing has to be said
about how the loops of the two correspond.

- `value_trace` records what every instance stores in a few runs.
- `affine_matching` guesses affine maps between instances from these records.
- `induction` proves the guesses, or drops them.
"""
