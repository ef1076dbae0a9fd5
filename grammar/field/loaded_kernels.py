"""The loops of `kernel_text` as NumPy universal functions.

LLVM compiles them once for this processor; their object code is kept in the cache folder, from which later processes
load it. NumPy's C interface makes functions that broadcast of them.
"""

from __future__ import annotations

import base64
import ctypes
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from raising.grammar.field.reference import Arithmetic, Residues
from raising.support import cache
from raising.support.versions import versions

_WORD, _FLOAT = (np.dtype(kind).num for kind in (np.uint64, np.float64))
_WITH_SHADOWS = (2, b"", (_WORD, _FLOAT) * 3)
_SIGNATURES: dict[str, tuple[int, bytes, tuple[int, ...]]] = {  # results, dimensions, and types with those of results
    "add": (1, b"", (_WORD,) * 3),
    "sub": (1, b"", (_WORD,) * 3),
    "mul": (1, b"", (_WORD,) * 3),
    "dot": (1, b"(k),(k)->()", (_WORD,) * 3),
    "inverse": (1, b"", (_WORD,) * 2),
    "place": (1, b"(n),(m)->(m)", (_WORD,) * 3),
    "find": (1, b"(q),(n),(m)->(q)", (_WORD,) * 4),
    **{f"keep_{name}": _WITH_SHADOWS for name in ("gt", "lt", "unsigned_gt", "unsigned_lt")},
}
_FROM_LOOP, _FROM_CORE_LOOP = 1, 31  # places in NumPy's table of C functions (numpy/__ufunc_api.h)
_IDENTITIES = {"add": 0}  # PyUFunc_Zero, which allows sums over several axes
_NO_IDENTITY = -1


@lru_cache
def load() -> Arithmetic | None:
    """The loops as machine code of this processor; None where they can be neither loaded nor kept for the next time."""
    try:
        import llvmlite.binding as llvm

        symbols = _symbols(llvm)
    except (ImportError, OSError, RuntimeError, ValueError, KeyError):
        return None
    return None if symbols is None else _arithmetic(*symbols)


def _symbols(llvm: Any) -> tuple[Any, dict[str, int]] | None:
    """The engine that owns the code, and the address of each loop."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    processor = f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    sources = [Path(__file__).with_name(name).read_bytes() for name in ("kernel_text.py", "loaded_kernels.py")]
    file = cache.entry("kernels", [*sources, processor.encode(), repr(versions(("llvmlite", "numpy"))).encode()])
    text = cache.read(file)
    if not text:
        cache.write(file, "")
        if cache.read(file) is None:  # nothing can be kept here, and compiling each time is slower than NumPy
            return None
        text = base64.b64encode(_compiled(llvm)).decode()
        cache.write(file, text)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(llvm))
    engine.add_object_file(llvm.ObjectFileRef.from_data(base64.b64decode(text)))
    engine.finalize_object()
    return engine, {name: engine.get_function_address(name) for name in _SIGNATURES}


def _machine(llvm: Any) -> Any:
    """This processor, with all that it has."""
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=3, jit=True
    )


def _compiled(llvm: Any) -> bytes:
    """The loops as an object file."""
    from raising.grammar.field.kernel_text import kernel_text

    machine, module = _machine(llvm), llvm.parse_assembly(kernel_text())
    module.verify()
    module.triple, module.data_layout = llvm.get_default_triple(), str(machine.target_data)
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization, tuning.loop_interleaving, tuning.loop_unrolling = True, False, False
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


def _arithmetic(engine: Any, addresses: dict[str, int]) -> Arithmetic:
    made = {name: _function(name, addresses[name], engine) for name in _SIGNATURES}
    place, find = made.pop("place"), made.pop("find")
    keep = {name.removeprefix("keep_"): made.pop(name) for name in [*made] if name.startswith("keep_")}

    def lookup(keys: Residues) -> Callable[[Residues], npt.NDArray[np.int64]]:
        slots = place(keys, np.empty(2 << len(keys).bit_length(), dtype=np.uint64))
        return lambda needles: find(needles, keys, slots).astype(np.int64) - 1

    return Arithmetic(**made, total=lambda a, axes: made["add"].reduce(a, axis=axes), lookup=lookup, keep=keep)


_KEPT: list[Any] = []  # what NumPy holds pointers to


def _function(name: str, address: int, engine: Any) -> Any:
    """A universal function from the address of its loop."""
    results, signature, types_of = _SIGNATURES[name]
    loops, data = (ctypes.c_void_p * 1)(address), (ctypes.c_void_p * 1)(None)
    kinds = (ctypes.c_byte * len(types_of))(*types_of)
    label = ctypes.create_string_buffer(name.encode())
    shape = ctypes.create_string_buffer(signature)
    _KEPT.append((engine, loops, data, kinds, label, shape))
    fixed = [ctypes.addressof(x) for x in (loops, data, kinds)]
    numbers = (1, len(types_of) - results, results, _IDENTITIES.get(name, _NO_IDENTITY))
    pointers, integers = [ctypes.c_void_p] * 3, [ctypes.c_int] * 4
    types = [*pointers, *integers, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
    given = [*fixed, *numbers, ctypes.addressof(label), None, 0]
    if signature:
        types, given = [*types, ctypes.c_void_p], [*given, ctypes.addressof(shape)]
    make = ctypes.PYFUNCTYPE(ctypes.py_object, *types)(_table()[_FROM_CORE_LOOP if signature else _FROM_LOOP])
    return make(*given)


def _table() -> Any:
    """NumPy's table of C functions for universal functions."""
    table = import_module("numpy._core._multiarray_umath")._UFUNC_API
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(table, None), ctypes.POINTER(ctypes.c_void_p))
