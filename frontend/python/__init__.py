"""The Python front end: loops over NumPy arrays to affine MLIR."""

from raising.frontend.python.python_to_mlir import convert

__all__ = ["convert"]
