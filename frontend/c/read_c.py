"""The reader of C as one function: text to core."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from raising.frontend.c.clang.compile_flags import check_flags, taken_flags
from raising.frontend.c.clang.scop_marks import MARK
from raising.frontend.c.clang.translation_unit import Source
from raising.frontend.c.read.file_reader import read_unit
from raising.frontend.core.statement_nodes import Unit
from raising.support.cache import lies

_RECURSION = 4_000  # frames; syntax that is nested too deeply is refused earlier


Watch = Callable[[dict[str, str] | None], None]
"""Is told what a file hangs on besides its text, as `files_read` says it."""


def read_c(
    text: str, filename: str, flags: Sequence[str] = (), language: str = "c", watch: Watch | None = None
) -> Unit:
    """A file of C, or of C++ (`language` is `c++`), with the flags of a compiler's command line (`-D`,
    `-I`, `-isystem`, `-std=`, `-include` ...).

    Raises `raising.support.errors.InputError` with the first of clang's errors and its place.
    """
    check_flags(flags)
    if language == "c++":
        from raising.frontend.c.cplusplus import object_calls, range_loops  # noqa: F401  they fill the tables of the reader
    arguments = ["-x", language, *taken_flags(flags), *system_flags()]
    marked = MARK.search(text.encode()) is not None
    started = time.time_ns()
    with Source(text, filename, arguments, detailed=marked, watched=watch is not None) as source, _deep():
        if watch is not None:
            from raising.frontend.c.clang.files_read import files_read

            seen = files_read(source, arguments, started)
            watch(None if seen is None else seen | {p: lies(p) for p in map(str, _compilers_headers())})
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
    found = [place for place in _compilers_headers() if place.is_file()]
    return ("-isystem", str(found[0].parent)) if found else ()


@cache
def _compilers_headers() -> tuple[Path, ...]:
    """Where `stddef.h` was looked for; nowhere beyond the place where it is."""
    tried: list[Path] = []
    for compiler, query in (("clang", "-print-resource-dir"), ("gcc", "-print-file-name=include")):
        path = shutil.which(compiler)
        if path and not any(place.is_file() for place in tried):
            tried.append((_beside(path) or _asked(path, query)) / "stddef.h")
    return tuple(tried)


def _asked(path: str, query: str) -> Path:
    done = subprocess.run([path, query], capture_output=True, text=True, check=False, timeout=10)
    folder = Path(done.stdout.strip())
    return folder / "include" if query == "-print-resource-dir" else folder


def _beside(compiler: str) -> Path | None:
    """The headers of an installed clang if there is no doubt; to ask it takes longer than to parse a small file."""
    place = Path(os.path.realpath(compiler))
    found = [*(place.parents[1] / "lib" / "clang").glob("*/include/stddef.h")]
    return found[0].parent if len(found) == 1 and place.name.startswith("clang") else None
