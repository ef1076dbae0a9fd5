"""In place of `mlir.dialects.transform`, whose classes of operations nothing here uses: it takes longer to import."""
