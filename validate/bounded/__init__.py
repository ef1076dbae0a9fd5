"""Bounded proofs: two programs are equal for every input, at given small sizes.

A `Pair` of programs comes in; `Bounded`, `Refuted` or `Unknown` goes out. Both programs are run on symbols; equal
polynomials settle most elements, and z3 is asked about the rest.

- `ring_polynomial` defines sparse polynomials over atoms.
- `symbolic_integers` computes integers modulo 2^w as polynomials.
- `symbolic_reals` computes real numbers as polynomials.
- `symbolic` joins the two to one arithmetic.
- `z3_solver` asks z3 whether a difference can be other than zero.
- `bounded` runs the check.
"""
