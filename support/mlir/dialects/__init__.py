"""Bindings of dialects in place of upstream's that are slow to import.

MLIR's bindings import a dialect's module when they meet one of its operations. `mlir.dialects.linalg` brings a
language for structured operations, which takes longer to import than a small module takes to compile. `prefer` puts
this package first in the search.

- `linalg` holds the generated classes of linalg's operations only.
- `llvm` and `transform` are empty, since nothing here uses the classes of their operations.
"""

from __future__ import annotations

from functools import cache


@cache
def prefer() -> None:
    """Have the bindings look here before they look in `mlir.dialects`."""
    from mlir._mlir_libs._mlir import globals as bindings

    bindings.dialect_search_modules = [__name__, *bindings.dialect_search_modules]
