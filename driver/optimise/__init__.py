"""The driver of `raise-opt`: a module in, its cheaper equal and remarks out.

Module text, rule files and the name of a cost come in; an `OptimiseResult` goes out. `raising.eqsat` does the work.

- `rules` gathers the rules of tables and binds them to the operations of the module's dialects.
- `pricing` picks how costs are counted.
- `calibrate` measures what operations cost on this machine, and keeps that on disk.
- `parse_by_hosts` parses a module with the first MLIR that knows its dialects.
- `optimise_module` runs saturation over every function of a module.
- `optimise_remarks` says what that did.
- `replaced_places` gives what rules make the locations of what it stands for.
- `accuracy` writes scalar expressions in forms whose floats are nearer to the real numbers.
- `hardware` writes circuits with fewer gates or fewer levels.
- `explain` finds the rules that led to a result, step by step, and checks each step.
"""
