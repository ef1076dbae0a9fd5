"""The face of the program: `raise_module`, `raise_function`, `compile`, and the commands.

What is heavy is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from native.compiled import Compiled
    from raising.compiling import compile_module as compile
    from raising.from_python import raise_function
    from raising.options import RaiseOptions
    from raising.pipeline import raise_module
    from raising.remarks import Remark
    from raising.result import FunctionReport, RaiseResult

__all__ = [
    "Compiled",
    "FunctionReport",
    "RaiseOptions",
    "RaiseResult",
    "Remark",
    "compile",
    "raise_function",
    "raise_module",
]

_HOMES = {
    "Compiled": ("native.compiled", "Compiled"),
    "FunctionReport": ("raising.result", "FunctionReport"),
    "RaiseOptions": ("raising.options", "RaiseOptions"),
    "RaiseResult": ("raising.result", "RaiseResult"),
    "Remark": ("raising.remarks", "Remark"),
    "compile": ("raising.compiling", "compile_module"),
    "raise_function": ("raising.from_python", "raise_function"),
    "raise_module": ("raising.pipeline", "raise_module"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'raising' has no attribute '{name}'")
    from importlib import import_module

    home, own = _HOMES[name]
    return getattr(import_module(home), own)
