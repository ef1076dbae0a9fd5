"""Verdicts: the values that every check returns.

- `verdict` defines `Proved`, `Bounded`, `Tested`, `Refuted`, `Unknown` and `Counterexample`.
"""
