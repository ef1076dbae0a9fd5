"""The C front end: static-control C to affine MLIR."""

from raising.frontend.c.c_to_mlir import convert
from raising.frontend.c.ir.module import CFunction, CModule, COptions, CParam, CRemark

__all__ = ["CFunction", "CModule", "COptions", "CParam", "CRemark", "convert"]
