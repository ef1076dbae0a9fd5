"""Verdicts: the values that every check returns.

- `assumption` defines what an answer assumes: its kind, in words, where, and for whom.
- `unreadable` is raised for a function that cannot be compared.
- `verdict` defines `Proved`, `Bounded`, `Tested`, `Refuted`, `Unknown` and `Counterexample`.
"""
