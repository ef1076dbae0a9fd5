"""Fast code for tensor programs: MLIR modules to machine code, and calls of it."""
