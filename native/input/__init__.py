"""Input: any module that `raise-compile` takes becomes linalg on tensors or memory, in upstream's MLIR.

MLIR text or bytecode comes in; a module goes out that has only upstream's dialects, or a `CompileError`.

- `decompose` takes apart operations of linalg that have no loops of their own.
- `read_module` reads, lowers and checks a module.
- `variable_symbols` makes symbols of a module's variables.
- `stablehlo/` brings StableHLO to linalg.
"""
