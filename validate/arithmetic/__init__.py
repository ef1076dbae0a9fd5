"""Arithmetics in which programs are run and compared: what one scalar operation does to numbers of one kind.

An operation's name, operands and types come in; a number goes out, or `Undefined` where MLIR leaves the result open.

- `integers` computes with integers modulo 2^w, as MLIR does.
- `concrete` joins these with any arithmetic of real numbers.
- `intervals` has rationals, and intervals that surely hold an irrational value.
- `exact` runs programs on rationals and such intervals.
- `residues` runs programs on residues modulo a prime, with comparisons as indicators or decided by floats.
"""
