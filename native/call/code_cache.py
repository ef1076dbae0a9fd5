"""A cache of machine code: entries are found by the text and the options that the code was made from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache as once
from pathlib import Path

from raising.native.base.compile_options import CompileOptions
from raising.native.base.signature import Signature
from raising.native.base.target import Target
from raising.support import cache
from raising.support.versions import source_files, stamp, versions

Kept = tuple[bytes, tuple[Signature, ...], tuple[str, ...]]
"""An object file, the functions in it, and the libraries that it needs."""

_MADE_BY = ("xtc-mlir-python-bindings", "llvmlite", "jaxlib")


def code_for(data: bytes, options: CompileOptions, target: Target, make: Callable[[], Kept]) -> Kept:
    """The code that `make` makes, now or in an earlier process with the same text, choices and machine."""
    parts = [data, repr(replace(options, cache=True, unchecked=False)).encode(), repr(target).encode(), made_by()]
    file = cache.entry("native", parts)
    known: Kept | None = cache.kept(file)
    if known is None or not all(map(_is_there, known[2])):
        known = make()
        cache.keep(file, known)
    return known


def _is_there(library: str) -> bool:
    """Whether a library still lies where the code was made with it; its environment may be gone."""
    return not Path(library).is_absolute() or Path(library).exists()


@once
def made_by() -> bytes:
    """The versions that code and its signatures depend on: the sources of the program and the packages it uses."""
    sources = (path.read_bytes() for path in source_files("native", "support"))
    foreign = repr(sorted(versions(_MADE_BY).items())).encode()
    return b"".join(hashlib.sha256(part).digest() for part in (*sources, foreign, stamp().encode()))
