"""Compile C with gcc, keeping the order of every operation on floats, and call it on NumPy values."""

from __future__ import annotations

import ctypes
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raising.frontend.c.c_to_mlir import convert
from raising.native.base.compile_options import CompileOptions
from raising.native.codegen.objects import shared_library
from raising.native.compile import build as compiled
from raising.optimise.optimise_module import optimised_if_possible
from raising.pipeline import raise_module
from raising.polybench.peers.c_compiler import C_TYPES, build
from raising.polybench.suite.values import Value
from raising.support.cli_options import MEMORY
from raising.support.isolate import Finished, run_isolated

FLAGS = ("-O1", "-ffp-contract=off")
"""No contraction to fused multiply-add, no reassociation: the arithmetic that the source spells."""

GCC = shutil.which("gcc")
needs_gcc = pytest.mark.skipif(GCC is None, reason="there is no gcc to compare with")


class Library:
    """The functions of one C file."""

    def __init__(self, path: Path, defines: Mapping[str, str]) -> None:
        assert GCC is not None
        with tempfile.TemporaryDirectory() as folder:
            self.shared = ctypes.CDLL(str(build(path, Path(folder) / "functions.so", GCC, FLAGS, defines)))

    @classmethod
    def loaded(cls, path: Path) -> Library:
        """A shared library that is built already."""
        library = cls.__new__(cls)
        library.shared = ctypes.CDLL(str(path))
        return library

    def call(
        self, name: str, arguments: Sequence[Value], returns: str | None = None, *, copied: bool = True
    ) -> list[Value]:
        """Call on (copies of) the arguments: their final values, then what is returned, of NumPy type `returns`."""
        after = [value.copy() if copied else value for value in arguments]
        function: Any = getattr(self.shared, name)
        function.argtypes = [_type(value) for value in after]
        function.restype = None if returns is None else C_TYPES[returns]
        result = function(*(v.ctypes.data if isinstance(v, np.ndarray) else v.item() for v in after))
        return [*after, *([] if returns is None else [np.dtype(returns).type(result)])]


def compiled_twice(source: str, folder: Path) -> tuple[Library, Library]:
    """The functions of a text of C raised, made cheaper and compiled, and as gcc compiles them.

    They are compared with gcc's, so that nothing is proved of them, nor run, while they are raised.
    """
    file, shared = folder / "k.c", folder / "k.so"
    file.write_text(source)
    made = run_isolated(partial(_library, source), timeout=1000, extra_bytes=MEMORY)
    assert isinstance(made, Finished), made
    shared.write_bytes(made.value)
    return Library.loaded(shared), Library(file, {})


def _library(source: str) -> bytes:
    raised = raise_module(convert(source, "k.c").mlir, check="none", timeout=900).text
    better = optimised_if_possible(raised, file="k.c", fp="reassoc").text
    return shared_library(compiled(better.encode(), "k.c", CompileOptions()).code.object)


def _type(value: Value) -> Any:
    return ctypes.c_void_p if isinstance(value, np.ndarray) else C_TYPES[str(value.dtype)]
