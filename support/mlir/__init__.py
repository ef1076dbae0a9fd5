"""Helpers on MLIR modules that several stages share.

A module of the bindings (upstream's, or another target's) comes in, and is changed in place or lowered to LLVM.

- `walk` lists the operations of a module for which something holds, and says what makes a value.
- `affine_expressions` evaluates affine expressions over operands of any kind.
- `create` makes operations from a name, attributes and operands.
- `operand_segments` says which operands belong together, and what part of a tensor or memory an operation takes.
- `op_writer` writes operations one after the other at a place: constants, comparisons, any by its name.
- `text_lines` writes lines of text: indented, with a fresh name for every value.
- `inline` replaces calls by the bodies of the functions they call, for operations of any dialect.
- `branches` puts the body of an operation, or one branch of an `scf.if`, in the place of the operation.
- `accumulation` gives operations that read their destination an input in its place, so that fusion keeps them right.
- `permission` names the attribute that says what results allow of floats.
- `predicates` lists the comparisons of `arith` by number.
- `loop_order` orders the loops of `linalg.generic` for LLVM's vectoriser.
- `lowering` lists the passes from tensors and loops to LLVM, and runs them.
- `diagnostics` finds the first error in a message of MLIR.
- `dialects/` stands in for bindings of dialects that are slow to import.
"""
