"""The face of the program: `raise_module`, and the command `raise`.

What is heavy is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raising.options import RaiseOptions
    from raising.pipeline import raise_module
    from raising.remarks import Remark
    from raising.result import FunctionReport, RaiseResult

__all__ = ["FunctionReport", "RaiseOptions", "RaiseResult", "Remark", "raise_module"]

_HOMES = {
    "FunctionReport": "raising.result",
    "RaiseOptions": "raising.options",
    "RaiseResult": "raising.result",
    "Remark": "raising.remarks",
    "raise_module": "raising.pipeline",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'raising' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
