"""Tests in finite fields: agreement at random points, with a bound on the chance that a wrong program passes.

A `Pair` of programs, or a program and its terms, comes in; `FieldEvidence` goes out, or `Refuted` with a
counterexample, or `Unknown` with the reason.

- `degree` bounds the degree of what a program computes (Schwartz and Zippel's lemma needs it).
- `term_check` compares terms with the loops, at fresh points and other sizes than the search used.
- `pair_check` compares two programs over two primes.
"""
