"""The C front end: static-control C to affine MLIR."""

from affine.c.convert import convert
from affine.c.module import CFunction, CModule, COptions, CParam, CRemark

__all__ = ["CFunction", "CModule", "COptions", "CParam", "CRemark", "convert"]
