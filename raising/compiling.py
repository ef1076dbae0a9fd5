"""Modules to machine code: the function behind `raise-compile`, and its Python counterpart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from native.build import build
from native.compiled import Compiled, load
from native.options import CompileOptions

if TYPE_CHECKING:
    from raising.result import RaiseResult

__all__ = ["Compiled", "compile_module"]


def compile_module(module: str | bytes | RaiseResult | Any, *, file: str = "-", **settings: Any) -> Compiled:
    """Compile a module for this machine, to be called on NumPy arrays.

    `module` is MLIR as text or bytecode, what `raise_module` returned, or a
    module of MLIR's Python bindings. `settings` are fields of
    `native.options.CompileOptions`; `file` is the name that errors give to the text.

    Raises `affine.errors.InputError` for a text that is not valid,
    `native.errors.CompileError` for one that cannot be compiled.
    """
    built = build(_text(module), file, CompileOptions(**settings), workspace=True)
    return load(built.code.object, built.signatures, built.target)


def _text(module: Any) -> str | bytes:
    if isinstance(module, str | bytes):
        return module
    return str(getattr(module, "text", module))
