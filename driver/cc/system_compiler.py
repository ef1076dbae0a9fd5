"""The compiler as a child process, and what tells it from another one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from raising.support.record import dataclass


@dataclass(frozen=True)
class Ran:
    """The exit status of a program, and what it wrote to the standard error."""

    status: int
    said: bytes


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
    """A text that identifies the compiler's file, and changes if it is replaced."""
    path = os.path.realpath(shutil.which(compiler) or compiler)
    try:
        found = Path(path).stat()
    except OSError:
        return path
    return f"{path} {found.st_size} {found.st_mtime_ns}"
