"""Trees as text: C, Python, MLIR, and C++ that checks what it does."""
