"""Answers of commands, kept on disk, and given again by a process that reads its input and nothing else.

An answer belongs to the text of the input, the options, the folder and the environment that the command was called in,
the version of everything that computes, and this machine. It names the other files that the text hangs on, with what
lay there: if that is so no longer, there is no answer. Only the standard library is imported here.
"""

from __future__ import annotations

import json
import os
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from raising.support import cache
from raising.support.cache import lies

T = TypeVar("T")

IGNORED = "remark: an entry of the cache was ignored: it does not hold what was written"
_KIND = "answers"
_SHARE = 0.5  # of the time limit; what took longer may have been shaped by it, and is not kept
_ELSEWHERE = ("output", "stats", "cache", "require_all")  # options that say what becomes of an answer
_TELLING = (
    *("C", "GCC", "HOME", "JAX", "LANG", "LC_", "LD_", "LIB", "LLVM", "MLIR", "OBJC", "OMP", "OPENBLAS"),
    *("PATH", "PYTHON", "RAISE", "SDKROOT", "SOURCE_DATE", "XLA"),
)
"""How the names of variables begin that compilers, libraries and this program read."""
_PROGRAMS = ("clang", "gcc", "cc", "ld")


class Kept:
    """The place of an answer. `note` says why what lies there is of no use, if that has to be said."""

    def __init__(self, command: str, data: bytes, arguments: Namespace, *more: object) -> None:
        options = {name: value for name, value in vars(arguments).items() if name not in _ELSEWHERE}
        called = repr((command, sorted(options.items()), more, str(Path.cwd()), _surroundings()))
        self._file = cache.entry(_KIND, [data, called.encode(errors="surrogateescape")])
        self.note = ""

    def read(self, made: Callable[..., T]) -> T | None:
        """The result of `made` on the fields of the kept answer, if there is one that is still valid."""
        text = cache.read(self._file)
        if text is None:
            self.note = IGNORED if self._file.exists() else ""
            return None
        try:
            found = json.loads(text)
            holds = all(lies(place) == what for place, what in found["seen"].items())
            return made(**found["answer"]) if holds else None
        except (ValueError, KeyError, TypeError, AttributeError):
            self.note = IGNORED
            return None

    def write(self, answer: dict[str, Any], seen: dict[str, str] | None, seconds: float, limit: float) -> None:
        """Keep an answer that hangs on what was `seen`, if that is known, and that the time limit had no part in."""
        if seen is not None and seconds < _SHARE * limit:
            cache.write(self._file, json.dumps({"seen": seen, "answer": answer}))


def _surroundings() -> list[object]:
    """Everything but the input that an answer depends on: the environment, programs, packages, this machine."""
    from raising.support.versions import installed, stamp

    variables = sorted(item for item in os.environ.items() if item[0].startswith(_TELLING))
    return [variables, [_program(name) for name in _PROGRAMS], stamp("native", "eqsat"), installed(), _machine()]


def _program(name: str) -> tuple[str, int, int] | None:
    """The program that a name stands for, with its time of change, which differs once the file is replaced."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        place = Path(folder, name)
        if os.access(place, os.X_OK) and place.is_file():
            found = place.stat()
            return os.path.realpath(place), found.st_size, found.st_mtime_ns
    return None


def _machine() -> list[str]:
    """The system and the features of its first processor, for which machine code is made."""
    try:
        processor = Path("/proc/cpuinfo").read_bytes().partition(b"\n\n")[0].decode(errors="replace")
    except OSError:
        processor = ""
    telling = ("model name", "flags", "Features", "CPU part", "cache size", "cpu family", "model", "stepping")
    return [*os.uname(), *(line for line in processor.splitlines() if line.startswith(telling))]
