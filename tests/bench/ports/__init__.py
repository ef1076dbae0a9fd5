"""Loops and their ports to NumPy: a right one and a slightly wrong one of each, in `tests/inputs/ports`.

There `NAME.c` holds loops and `NAME.py` their ports; a file of Python alone holds both. To the loops `f` belong
`f_port`, which is right, and `f_wrong`.

- `compare` reads and checks the pairs.
- `python -m tests.bench.ports` writes `results/ports.json`.
"""
