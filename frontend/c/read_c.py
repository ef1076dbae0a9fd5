"""The reader of C as one function: text to core."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from raising.frontend.c.clang.compile_flags import check_flags, taken_flags
from raising.frontend.c.clang.scop_marks import MARK
from raising.frontend.c.clang.translation_unit import Source
from raising.frontend.c.read.file_reader import read_unit
from raising.frontend.core.statement_nodes import Unit

_RECURSION = 4_000  # frames; syntax that is nested too deeply is refused earlier


def read_c(text: str, filename: str, flags: Sequence[str] = (), language: str = "c") -> Unit:
    """A file of C, or of C++ (`language` is `c++`), with the flags of a compiler's command line (`-D`,
    `-I`, `-isystem`, `-std=`, `-include` ...).

    Raises `raising.support.errors.InputError` with the first of clang's errors and its place.
    """
    check_flags(flags)
    if language == "c++":
        from raising.frontend.c.cplusplus import object_calls, range_loops  # noqa: F401  they fill the tables of the reader
    arguments = ["-x", language, *taken_flags(flags), *system_flags()]
    marked = MARK.search(text.encode()) is not None
    with Source(text, filename, arguments, detailed=marked) as source, _deep():
        return read_unit(source)


@contextmanager
def _deep() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@cache
def system_flags() -> tuple[str, ...]:
    """Where the headers are that belong to a compiler (`stddef.h` and the like): those of clang, else those of gcc."""
    for compiler, query in (("clang", "-print-resource-dir"), ("gcc", "-print-file-name=include")):
        path = shutil.which(compiler)
        if path:
            done = subprocess.run([path, query], capture_output=True, text=True, check=False, timeout=10)
            folder = Path(done.stdout.strip()) / ("include" if compiler == "clang" else "")
            if (folder / "stddef.h").is_file():
                return ("-isystem", str(folder))
    return ()
