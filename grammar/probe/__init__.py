"""Probing: everything that each operation of a target can say, found by asking.

The `Op`s of a definition and a `Workshop` (the dialect's MLIR, verifier, lowering and executor) come in. Productions
and families go out: those instances that the verifier accepts and whose meaning was measured, and the rest with a
reason.

- `worker_pool` does work in child processes, which may die.
- `workshop` holds what every probe needs.
- `templates` lists values to try for attributes, and bodies to try for regions.
- `attribute_fields` takes required attributes apart into fields, and learns what holds between them.
- `layouts` finds operand ranks, attributes and equal dimensions.
- `access_coefficients` learns which attributes hold coefficients of maps.
- `movement_families` learns which attributes say how elements are moved.
- `probe` probes structured operations on destinations (linalg).
- `tensor_dialects` probes dialects of pure tensor operations (StableHLO and its like).
- `function_dialects` probes operations whose meaning is written as functions.
"""
