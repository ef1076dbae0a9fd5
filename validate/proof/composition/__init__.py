"""Proofs of functions of many parts: cut where both programs are in the same state, prove part by part.

A `Pair` of long programs comes in; the answers for its parts go out, as one.

- `states` runs both programs, and compares their memory after each nest.
- `alignment` orders the target's nests as the source computes the same contents.
- `cuts` guesses where both programs can be cut.
- `pieces` makes a pair of programs of the nests between two cuts.
- `composed` proves these, by induction over the cuts.
"""
