"""Machine code in this process, called on NumPy arrays."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from raising.native.abi.python_entry import BYTES, CALLED, is_quick
from raising.native.base.signature import Parameter, Signature
from raising.native.base.target import ALIGNMENT, Target, llvm, machine_for, target_for
from raising.native.base.unsupported import CallError, CompileError
from raising.native.call.accessed_elements import checker, looking_first
from raising.native.call.arguments import (
    BFLOAT,
    c_types,
    check_overlap,
    check_shapes,
    checked,
    dtype_for,
    result_ctype,
)
from raising.native.call.python_function import CLOSER, MOST, objects_are_known, python_function
from raising.native.codegen.objects import undefined_symbols
from raising.native.threads import runtime

_MATHEMATICS = "libm.so.6"
Workspace = tuple[NDArray[np.uint8], int]
"""Memory, and the first aligned address in it."""
_LINKER = frozenset({"_GLOBAL_OFFSET_TABLE_"})  # made by whoever links


class CompiledFunction(Protocol):
    """A function that can be called on NumPy arrays."""

    signature: Signature

    def __call__(self, *arguments: Any, out: Sequence[NDArray[Any]] | None = None) -> Any:
        """Call the function."""


class NativeFunction:
    """One native function. Its arguments are those of the source, in their order.

    Arrays are passed as they are, never copied: what the function writes is in
    them afterwards. What the source returns is returned: a number, an array, or
    a tuple of arrays.
    """

    def __init__(self, signature: Signature, engine: Any) -> None:
        self.signature = signature
        result = result_ctype(signature)
        types = c_types(signature)
        call, tell = (engine.get_function_address(name) for name in (signature.name, signature.name + BYTES))
        self._call = ctypes.CFUNCTYPE(result, *types, ctypes.c_void_p)(call)
        self._bytes = ctypes.CFUNCTYPE(ctypes.c_uint64, *types)(tell)
        self._inputs = sum(not p.result for p in signature.parameters)
        self._check = None if signature.needs is None else checker(signature, signature.needs)
        can = is_quick(signature) and objects_are_known()
        self._called = engine.get_function_address(signature.name + CALLED) if can else 0
        self.quick: Callable[..., Any] | None = None
        """A function for calls such as the last one, which gives CLOSER for others; None if there is none."""
        self._needed = 0  # bytes of temporaries of the last call that was looked at closely
        self._workspaces: list[Workspace] = []  # of calls that are over; each serves one call at a time
        self._engine = engine

    def __call__(self, *arguments: Any, out: Sequence[NDArray[Any]] | None = None) -> Any:
        """Call the function; CallError, before anything is run, for arguments that do not fit.

        `out` are arrays to write results to, one for each that the source returns.
        """
        if out is None and self.quick is not None:
            found = self.quick(*arguments)
            if found is not CLOSER:
                return found
        parameters = self.signature.parameters
        if len(arguments) != self._inputs:
            raise CallError(f"{self.signature.name} takes {self._inputs} arguments, not {len(arguments)}")
        results = self._results(out)
        values = [checked(p, v) for p, v in zip(parameters, (*arguments, *results), strict=True)]
        check_shapes(self.signature, values)
        places = [0 if p.shape is None else v.ctypes.data for p, v in zip(parameters, values, strict=True)]
        check_overlap(self.signature, values, places)
        if self._check is not None:
            self._check((*arguments, *results))
        number = self._run(values, self._passed(values, places))
        returned = [*([] if number is None else [number]), *self._typed(results, arguments)]
        return returned[0] if len(returned) == 1 else tuple(returned) or None

    def _run(self, values: Sequence[Any], passed: Sequence[Any]) -> Any:
        """Enter the code with memory for its temporaries; what the source returns, if that is a number."""
        needed = self._bytes(*passed)
        workspace = self._workspace(needed)
        number = self._call(*passed, workspace[1])
        self._workspaces.append(workspace)
        self._needed = needed
        self.quick = self.quick_for(values, [dtype_for(p) for p in self.signature.parameters])
        return number

    def quick_for(self, values: Sequence[Any], dtypes: Sequence[Any]) -> Callable[..., Any] | None:
        """A function for calls such as the last one, with these types of arrays; None if there is none."""
        if not self._called or self._needed > MOST:
            return None
        enter = python_function(self._called, self.signature, (values, dtypes), self._needed, self._engine)
        needs = self.signature.needs
        return looking_first(enter, needs) if needs is not None and needs.positions else enter

    def _results(self, out: Sequence[NDArray[Any]] | None) -> Sequence[NDArray[Any]]:
        parameters = self.signature.parameters[self._inputs :]
        if out is None:
            return [_empty(parameter) for parameter in parameters]
        if len(out) != len(parameters):
            raise CallError(f"{self.signature.name} returns {len(parameters)} arrays, out has {len(out)}")
        return out

    def _typed(self, results: Sequence[NDArray[Any]], arguments: Sequence[Any]) -> Sequence[NDArray[Any]]:
        """The results; those of bf16 in the type that an argument of it has."""
        given = next((a.dtype for a in arguments if isinstance(a, np.ndarray) and a.dtype.name == BFLOAT), None)
        if given is None:
            return results
        pairs = zip(self.signature.parameters[self._inputs :], results, strict=True)
        return [r.view(given) if p.element == "bf16" else r for p, r in pairs]

    def _workspace(self, needed: int) -> Workspace:
        """Memory for temporaries, one that is free or new; MemoryError if the machine has not as much."""
        with contextlib.suppress(IndexError):
            workspace = self._workspaces.pop()
            if workspace[0].nbytes >= needed + ALIGNMENT:
                return workspace
        if needed > _machine_bytes():
            raise MemoryError(f"{self.signature.name} needs {needed:.3g} bytes for temporaries, there are not as many")
        memory = np.empty(needed + ALIGNMENT, np.uint8)
        return memory, memory.ctypes.data + -memory.ctypes.data % ALIGNMENT

    def _passed(self, values: Sequence[Any], places: Sequence[int]) -> list[Any]:
        passed: list[Any] = []
        for parameter, value, place in zip(self.signature.parameters, values, places, strict=True):
            if parameter.shape is None:
                passed.append(value)
            else:
                passed.append(place)
                passed += [value.shape[d] for d in parameter.open_dims]
        return passed


@cache
def _machine_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _empty(parameter: Parameter) -> NDArray[Any]:
    if parameter.open_dims:
        raise CallError(f"{parameter.name} has a size that is not known: give the array in out=")
    shape = [extent for extent in parameter.shape or () if isinstance(extent, int)]
    try:
        return np.empty(shape, dtype_for(parameter))
    except (MemoryError, ValueError):
        raise MemoryError(f"{parameter.name}: an array of shape {'x'.join(map(str, shape))} has no room") from None


class Compiled:
    """The native functions of a module; called itself, it is the one function that it has."""

    def __init__(self, functions: Mapping[str, CompiledFunction]) -> None:
        self.functions = functions
        self._only = next(iter(functions.values())) if len(functions) == 1 else None

    def __getitem__(self, name: str) -> CompiledFunction:
        """The function with a name; CallError if there is none."""
        if name not in self.functions:
            raise CallError(f"there is no function '{name}' (there is {', '.join(self.functions)})")
        return self.functions[name]

    def __call__(self, *arguments: Any, out: Sequence[NDArray[Any]] | None = None) -> Any:
        """Call the one function of the module, see `CompiledFunction`."""
        if self._only is None:
            raise CallError(f"the module has several functions, name one: {', '.join(self.functions)}")
        return self._only(*arguments, out=out)


_LOADING = Lock()


def load_runtime() -> Any:
    """The pool of threads that all compiled code of this process shares: threads that ask at once get the same."""
    with _LOADING:
        return _runtime()


@cache
def _runtime() -> Any:
    binding = llvm()
    module = binding.parse_assembly(runtime.runtime_text(binding.get_default_triple()))
    for function in module.functions:
        if not function.is_declaration:
            function.linkage = "external"
    machine = machine_for(target_for(), jit=True)
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    for name in runtime.CALLED:
        binding.add_symbol(name, engine.get_function_address(name))
    return engine


def load(code: bytes, signatures: Sequence[Signature], target: Target, libraries: Sequence[str] = ()) -> Compiled:
    """An object file into this process; CompileError if a symbol that it needs is nowhere to be found."""
    binding = llvm()
    for library in (_MATHEMATICS, *libraries):
        binding.load_library_permanently(library)
    needed = undefined_symbols(code)
    if needed.intersection(runtime.CALLED):
        load_runtime()
    missing = sorted(s for s in needed - _LINKER if not binding.address_of_symbol(s))
    if missing:
        raise CompileError(f"nothing defines {', '.join(missing)}")
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine_for(target, jit=True))
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return Compiled({s.name: NativeFunction(s, engine) for s in signatures})
