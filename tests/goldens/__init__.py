"""Golden tests as MLIR writes them: an input, a line `RUN:`, and `CHECK:` lines that the output has to match."""
