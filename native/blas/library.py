"""A library with the C interface of BLAS: its path, the names of its routines, the width of its integers."""

from __future__ import annotations

import ctypes
from importlib import import_module
from pathlib import Path

from raising.native.base.unsupported import CompileError
from raising.support.record import dataclass

_SPELLINGS = (("scipy_", "", 32), ("", "", 32), ("scipy_", "64_", 64), ("", "64_", 64), ("", "_64", 64))
"""What stands before and after the names of routines, and the bits of integers that goes with it."""


@dataclass(frozen=True)
class Library:
    """A library; its symbols are `prefix`, the routine's name, `suffix`, and its integers have 32 or 64 bits."""

    path: str
    prefix: str
    suffix: str = ""
    bits: int = 32

    @property
    def largest(self) -> int:
        """The largest size that it can be told."""
        return int((1 << (self.bits - 1)) - 1)

    def symbol(self, name: str) -> str:
        """The name of a routine in the library."""
        return f"{self.prefix}{name}{self.suffix}"

    def has(self, name: str) -> bool:
        """Whether it has a routine: not every library has all of them."""
        return hasattr(ctypes.CDLL(self.path), self.symbol(name))

    def set_threads(self, number: int) -> None:
        """Have the library use at most as many threads in this process, if it can be told."""
        found = getattr(ctypes.CDLL(self.path), self.symbol("openblas_set_num_threads"), None)
        if found is not None:
            found(ctypes.c_int(number))


def find_blas(path: str | None) -> Library:
    """The library at a path, or the one of scipy-openblas32; CompileError if there is none."""
    place = path or _packaged()
    try:
        library = ctypes.CDLL(place)
    except OSError as error:
        raise CompileError(f"the library of BLAS cannot be loaded: {' '.join(str(error).split())}") from None
    known = str(Path(place).resolve()) if Path(place).exists() else place
    for prefix, suffix, bits in _SPELLINGS:
        found = Library(known, prefix, suffix, bits)
        if any(hasattr(library, found.symbol(f"cblas_{letter}gemm")) for letter in "sd"):
            return Library(known, prefix, suffix, 64 if _built_wide(library, found) else bits)
    raise CompileError(f"'{place}' has no C interface of BLAS (cblas_sgemm)")


def _built_wide(library: ctypes.CDLL, found: Library) -> bool:
    """Whether OpenBLAS was built with 64-bit integers but without another name for its routines."""
    told = getattr(library, found.symbol("openblas_get_config"), None)
    if told is None:
        return False
    told.restype = ctypes.c_char_p
    return b"USE64BITINT" in (told() or b"")


def _packaged() -> str:
    try:
        package = import_module("scipy_openblas32")
    except ImportError:
        raise CompileError("BLAS needs the package scipy-openblas32, or a library given by --blas-lib") from None
    found = sorted(Path(package.get_lib_dir()).glob(f"lib{package.get_library()}.*"))
    if not found:
        raise CompileError("the package scipy-openblas32 has no library")
    return str(found[0])
