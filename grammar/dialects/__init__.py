"""Definitions of dialects: what each states about its operations, whatever it is written in.

TableGen, Python classes, IRDL or xDSL come in; `Op`s (operands, attributes, results) go out. A `Target` says which of
these a dialect uses, and how it is lowered; a `Grammar` is what was measured from all that.

- `op_signature` defines `Op`, which all readers of definitions yield.
- `target_dialect` reads the configuration of a target (`targets/*.toml`).
- `tablegen` reads TableGen definitions.
- `bindings` reads the Python classes that MLIR generates.
- `irdl` reads and registers dialects that are defined in IRDL.
- `pyrdl` writes a dialect defined in xDSL as IRDL.
- `external` reads a user's target and the files beside it.
- `function_library` lowers operations whose meaning is written as functions.
- `host` finds the MLIR that knows a dialect.
- `committed` names the targets whose grammar is committed, and `load` loads one.
"""
