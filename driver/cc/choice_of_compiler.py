"""Which program does what a compiler does, and becoming it. Almost nothing is imported: most commands end here."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

VARIABLE = "RAISE_CC"
"""The environment variable that names the compiler, where the command line does not."""
_USUAL = ("gcc", "cc", "clang")
_NAMES = (*_USUAL, "c99", "c89", "g++", "c++", "clang++")


def chosen(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The compiler and its arguments: the first one names it, else the environment, else the system's is taken."""
    if arguments and _is_compiler(arguments[0]):
        return arguments[0], [*arguments[1:]]
    given = os.environ.get(VARIABLE)
    usual = (name for name in _USUAL if (path := _found(name)) and not _is_this(path))
    return given or next(usual, _USUAL[0]), [*arguments]


def has_no_source(arguments: Sequence[str]) -> bool:
    """Whether there is certainly no file of C among the arguments, as where a program is linked."""
    return not any(a.endswith(".c") or a.startswith(("@", "-x")) for a in arguments)


def replaced_by(compiler: str, arguments: Sequence[str]) -> int:
    """Become the compiler; returns only if there is none."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execvp(compiler, [compiler, *arguments])
    except OSError as error:
        print(f"raise-cc: error: {compiler}: {error.strerror}", file=sys.stderr)
    return 127


def takes_c_for_cpp(compiler: str) -> bool:
    """Whether a file that is named `.c` is one of C++ to this compiler."""
    return _kind(compiler).endswith("++")


def _is_compiler(name: str) -> bool:
    """Whether a name is that of a compiler that there is: `gcc`, `/usr/bin/aarch64-linux-gnu-gcc-12`."""
    return _kind(name) in _NAMES and _found(name) is not None


def _kind(name: str) -> str:
    """A compiler's name without folder, processor and version."""
    words = name.rpartition("/")[2].split("-")
    return words[-2] if len(words) > 1 and words[-1].replace(".", "").isdigit() else words[-1]


def _found(name: str) -> str | None:
    """The file that a name means as a command. `shutil.which`, without what comes with `shutil`."""
    folders = os.get_exec_path() if "/" not in name else [""]
    paths = (f"{folder}/{name}" if folder else name for folder in folders)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)  # noqa: PTH113


def _is_this(path: str) -> bool:
    """Whether a program is this one under the compiler's name."""
    return os.path.realpath(path) == os.path.realpath(sys.argv[0])
