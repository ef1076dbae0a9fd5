"""In place of `mlir.dialects.llvm`, whose classes for operations nothing here uses: that takes longer to import."""
