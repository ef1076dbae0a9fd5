"""Loops as people write them, by class: `python -m tests.bench.loops` writes `results/loops.json` and `.md`.

- `corpus` finds the functions of `tests/inputs/loops` and makes arguments for them.
- `reference` calls a function as gcc, Python or MLIR's own lowering has it, and as it was raised.
- `measure` raises one function, runs it beside its source, and says what became of it.
- `table` counts by class.
"""
