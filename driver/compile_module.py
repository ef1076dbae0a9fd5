"""Modules to machine code: the function behind `raise-compile`, and its counterpart for Python callers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from raising.native.base.compile_options import CompileOptions
from raising.native.base.target import target_for
from raising.native.base.unsupported import CallError
from raising.native.blas.library import find_blas
from raising.native.call.code_cache import Kept, code_for
from raising.native.call.compiled import Compiled, CompiledFunction, load
from raising.support.cli_options import MEMORY
from raising.support.isolate import Finished, run_isolated

if TYPE_CHECKING:
    from raising.api.result import RaiseResult

__all__ = ["Compiled", "compile_module", "rehearse"]


def compile_module(module: str | bytes | RaiseResult | Any, *, file: str = "-", **settings: Any) -> Compiled:
    """Compile a module for this machine, to be called on NumPy arrays.

    `module` is MLIR as text or bytecode, what `raise_module` returned, or a
    module of MLIR's Python bindings. `settings` are fields of
    `raising.native.base.compile_options.CompileOptions`; `file` is the name that errors give to the text.

    Raises `raising.support.errors.InputError` for a text that is not valid,
    `raising.native.base.unsupported.CompileError` for one that cannot be compiled.
    """
    options, data = CompileOptions(**settings), _bytes(module)
    if options.backend == "xla":
        from raising.native.call.xla import compile_for_xla

        return compile_for_xla(data, file)
    target = target_for(options.cpu, options.threads)

    def make() -> Kept:
        from raising.native.compile import build

        built = build(data, file, options, workspace=True)
        return built.code.object, built.signatures, built.libraries

    code, signatures, libraries = code_for(data, options, target, make) if options.cache else make()
    if libraries:
        find_blas(options.blas_lib).set_threads(options.threads)
    return load(code, signatures, target, libraries)


def rehearse(function: CompiledFunction, *arguments: Any, timeout: float = 60.0) -> Any:
    """Call a compiled function in a child process, and return what it returned; its arguments stay as they are.

    For the first run of fresh code: CallError if it crashes, or takes more than `timeout` seconds.
    """
    found = run_isolated(partial(function, *arguments), timeout=timeout, extra_bytes=MEMORY)
    if isinstance(found, Finished):
        return found.value
    raise CallError(f"{function.signature.name} {found.reason}")


def _bytes(module: Any) -> bytes:
    if isinstance(module, bytes):
        return module
    text = module if isinstance(module, str) else str(getattr(module, "text", module))
    return text.encode(errors="surrogateescape")
