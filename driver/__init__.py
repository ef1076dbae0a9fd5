"""The face of the program: `raise_module`, `raise_function`, `compile`, and the commands.

What is heavy is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raising.api.options import RaiseOptions
    from raising.api.result import FunctionReport, RaiseResult, Remark
    from raising.compile_module import compile_module as compile
    from raising.native.call.compiled import Compiled
    from raising.pipeline import raise_function, raise_module

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
    "Compiled": ("raising.native.call.compiled", "Compiled"),
    "FunctionReport": ("raising.api.result", "FunctionReport"),
    "RaiseOptions": ("raising.api.options", "RaiseOptions"),
    "RaiseResult": ("raising.api.result", "RaiseResult"),
    "Remark": ("raising.api.result", "Remark"),
    "compile": ("raising.compile_module", "compile_module"),
    "raise_function": ("raising.pipeline", "raise_function"),
    "raise_module": ("raising.pipeline", "raise_module"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'raising' has no attribute '{name}'")
    from importlib import import_module

    home, own = _HOMES[name]
    return getattr(import_module(home), own)
