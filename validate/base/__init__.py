"""Verdicts: the values that every check returns.

- `assumption` defines what an answer assumes: its kind, in words, where, and for whom.
- `verdict` defines `Proved`, `Bounded`, `Tested`, `Refuted`, `Unknown` and `Counterexample`.
"""
