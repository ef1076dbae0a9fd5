"""The compiler that does what a compiler does: which one it is, and how it is run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from raising.support.record import dataclass

VARIABLE = "RAISE_CC"
"""The environment variable that names the compiler, where the command line does not."""
_USUAL = ("gcc", "cc", "clang")
_COMPILER = re.compile(r"([\w.]+-)*(gcc|cc|clang|c99|c89|g\+\+|c\+\+|clang\+\+)(-[\d.]+)?")


@dataclass(frozen=True)
class Ran:
    """The exit status of a program, and what it wrote to the standard error."""

    status: int
    said: bytes


def chosen(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The compiler and its arguments: the first one names it, else the environment, else the system's is taken."""
    if arguments and _is_compiler(arguments[0]):
        return arguments[0], [*arguments[1:]]
    given = os.environ.get(VARIABLE)
    usual = (name for name in _USUAL if (path := shutil.which(name)) and not _is_this(path))
    return given or next(usual, _USUAL[0]), [*arguments]


def _is_compiler(name: str) -> bool:
    return bool(_COMPILER.fullmatch(Path(name).name)) and shutil.which(name) is not None


def _is_this(path: str) -> bool:
    """Whether a program is this one under the compiler's name."""
    return os.path.realpath(path) == os.path.realpath(sys.argv[0])


def replaced_by(compiler: str, arguments: Sequence[str]) -> int:
    """Become the compiler; returns only if there is none."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execvp(compiler, [compiler, *arguments])
    except OSError as error:
        print(f"raise-cc: error: {compiler}: {error.strerror}", file=sys.stderr)
    return 127


def run(compiler: str, arguments: Sequence[str], told: bool = False) -> Ran:
    """Run the compiler; if `told`, the user sees what it says, in the colours that he would see."""
    coloured = told and sys.stderr.isatty() and not any(a.startswith("-fdiagnostics-color") for a in arguments)
    more = ["-fdiagnostics-color=always"] if coloured and "clang" not in compiler else []
    try:
        done = subprocess.run([compiler, *more, *arguments], stderr=subprocess.PIPE, check=False)
    except OSError as error:
        done = subprocess.CompletedProcess([], 127, stderr=f"raise-cc: error: {compiler}: {error.strerror}\n".encode())
    if told and done.stderr:
        sys.stderr.buffer.write(done.stderr)
        sys.stderr.flush()
    return Ran(done.returncode if done.returncode >= 0 else 128 - done.returncode, done.stderr)


def identity(compiler: str) -> str:
    """What tells this compiler from another one."""
    path = os.path.realpath(shutil.which(compiler) or compiler)
    try:
        found = Path(path).stat()
    except OSError:
        return path
    return f"{path} {found.st_size} {found.st_mtime_ns}"
