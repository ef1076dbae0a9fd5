"""Everyday functions beside C compilers: `python -m tests.bench.everyday` writes `results/everyday.json`.

- `functions` has the functions.
- `measure` compiles and times them.
"""
