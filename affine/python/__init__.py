"""The Python front end: loops over NumPy arrays to affine MLIR."""

from affine.python.convert import convert

__all__ = ["convert"]
