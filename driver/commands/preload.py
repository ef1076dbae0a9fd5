"""The imports that a child process makes first, in the order that takes least time.

Half of a short run is importing. MLIR's libraries alone have 88,000 symbols to look up (0.05 s), which no Python is
needed for: a thread loads them on another core while Python makes the classes of modules that do without them.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from types import ModuleType

from raising.support.versions import versions

_LIBRARY = f"_mlir{EXTENSION_SUFFIXES[0]}"  # and what it depends on: symbols must be found as if Python loaded it


def import_beside_mlir(before: Iterable[str], beside: Iterable[str]) -> None:
    """Import the modules `before`, then those `beside`, none of which needs MLIR, while its libraries are loaded.

    Modules with libraries of their own belong in `before`: only one library is loaded at a time.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # nothing multiplies matrices of floats: no threads to start
    _tell_islpy_its_version()
    for name in before:
        import_module(name)
    loading = Thread(target=_load_mlir)
    loading.start()
    for name in beside:
        import_module(name)
    loading.join()


def _tell_islpy_its_version() -> None:
    """islpy asks Python's reader of packages' descriptions, with its parser of e-mails: half of its time to import."""
    name = "islpy.version"
    if (text := versions(["islpy"]).get("islpy")) and name not in sys.modules:
        sys.modules[name] = known = ModuleType(name)
        known.__dict__.update(VERSION_TEXT=text, VERSION=tuple(map(int, re.findall(r"\d+", text))))


def _load_mlir() -> None:
    """Load MLIR's libraries if they are where they are expected; if not, importing `mlir` does or says why."""
    found = None
    with suppress(ImportError):
        found = find_spec("mlir._mlir_libs")
    for folder in (found and found.submodule_search_locations) or ():
        # Called as a function of C, which other threads of Python need not wait for. All symbols are bound at once, as
        # Python has it: those bound later may be found in another library, where MLIR does not work.
        ctypes.CDLL(None).dlopen(os.fsencode(Path(folder) / _LIBRARY), os.RTLD_NOW)
