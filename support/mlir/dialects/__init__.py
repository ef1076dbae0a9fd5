"""Dialects as MLIR's bindings load them when they meet an operation: here without what is slow to import.

`mlir.dialects.linalg` brings a language for structured operations, which takes longer to
import than a small module takes to compile. `prefer` puts this package first in the search.
"""

from __future__ import annotations

from functools import cache


@cache
def prefer() -> None:
    """Have the bindings look here before they look in `mlir.dialects`."""
    from mlir._mlir_libs._mlir import globals as bindings

    bindings.dialect_search_modules = [__name__, *bindings.dialect_search_modules]
