"""Modules to machine code: the function behind `raise-compile`, and its counterpart for Python callers."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from raising.native.base.compile_options import CompileOptions
from raising.native.base.signature import Needs
from raising.native.base.target import Target, target_for
from raising.native.base.unsupported import CallError, CompileError
from raising.native.blas.library import find_blas
from raising.native.call.code_cache import Kept, code_for
from raising.native.call.compiled import Compiled, CompiledFunction, load
from raising.support.cache import complaint
from raising.support.cli_options import MEMORY
from raising.support.errors import InputError
from raising.support.isolate import Finished, run_isolated, run_with_mlir
from raising.verify.call_needs import with_needs

if TYPE_CHECKING:
    from raising.api.result import RaiseResult

_APART = ("mlir", "blas")
"""Back ends whose code is made in a child process; the others measure, or have state in this one."""
_SECONDS = 300.0

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
    if options.cache and (said := complaint()):
        warnings.warn(said, stacklevel=2)
    if options.triple:
        raise CompileError(f"{file}: error: code for {options.triple} cannot be called: use raise-compile --target")
    if options.backend == "xla":
        from raising.native.call.xla import compile_for_xla

        return compile_for_xla(data, file)
    (code, signatures, libraries), target = kept_code(data, file, options)
    if libraries:
        find_blas(options.blas_lib).set_threads(options.threads)
    return load(code, signatures, target, libraries)


def kept_code(data: bytes, file: str, options: CompileOptions, *, looks: bool = False) -> tuple[Kept, Target]:
    """The machine code of a module, made now or by an earlier process, and the machine that it is made for.

    Of code that `looks` at each of its accesses itself, nobody asks what it accesses.
    """
    target = target_for(options.cpu, options.threads)
    make = partial(_made, data, file, options, looks)
    apart = partial(_apart, make, file) if options.backend in _APART else make
    said = b"as it looks\n" * looks + data
    code, signatures, libraries = code_for(said, options, target, apart) if options.cache else apart()
    if options.unchecked:
        signatures = tuple(replace(s, needs=s.needs and _unchecked(s.needs)) for s in signatures)
    return (code, signatures, libraries), target


def _unchecked(needs: Needs) -> Needs | None:
    """The checks that remain for a call with `unchecked=True`: those that look at no data."""
    return None if needs.unknown else replace(needs, positions=())


def prepare() -> None:
    """Load what every build needs, in a process that builds in children."""
    from raising.native.compile import prepare as prepare_compiler

    prepare_compiler()


def _made(data: bytes, file: str, options: CompileOptions, looks: bool) -> Kept:
    from raising.native.compile import build  # with MLIR's passes, and all that takes long to import

    built = build(data, file, options, workspace=True)
    signatures = built.signatures if looks else with_needs(data, file, built.signatures)
    return built.code.object, signatures, built.libraries


def _apart(make: partial[Kept], file: str) -> Kept:
    """Run `make` in a child process: some programs crash MLIR or LLVM, and this process has to survive."""
    expected = InputError, CompileError
    found = run_with_mlir(make, prepare, timeout=_SECONDS, extra_bytes=MEMORY, expected=expected)
    if not isinstance(found, Finished):
        raise CompileError(f"{file}: error: internal: the compiler {found.reason}; please report this")
    return found.value


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
