"""Functions of the C library that compiled code calls: no function of a module may have such a name.

Its symbol would take the place of the library's, and the code would call itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mlir import ir

from native.errors import CompileError

_MEMORY = frozenset(("malloc", "free", "aligned_alloc", "memcpy", "memmove", "memset", "abort"))
_OTHER_NAMES = {"absf": "fabs", "powf": "pow"}


def check_names(module: Any, names: Iterable[str]) -> None:
    """CompileError if a function is called as one of the library is that its module may need."""
    called = set(_MEMORY)

    def visit(op: Any) -> Any:
        if op.name.startswith("math.") and len(op.results):
            base = op.name.removeprefix("math.")
            called.update({(own := _OTHER_NAMES.get(base, base)), f"{own}f"})
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for name in names:
        if name in called:
            raise CompileError(f"function '{name}' has the name of a function of the C library that its code may call")
