"""C text to preprocessed C text: by the machine's compiler if it has one, else by pcpp.

Either runs as a process of its own with limits on time, memory and output, so
that a macro bomb or an endless include is an error. The system's headers are
never read: ours (`include/`) declare what the subset knows, with the widths of
LP64. `-undef` keeps the two preprocessors alike and picks the portable branch
of code that asks for a compiler or a processor.
"""

from __future__ import annotations

import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from raising.frontend.c.ir.module import COptions
from raising.support.errors import InputError
from raising.support.source import Loc

MAX_SECONDS = 10  # of the processor, whatever else it does
PATIENCE = 120.0  # seconds of the clock
MAX_MEMORY = 1 << 30
MAX_OUTPUT = 16 << 20  # bytes; a file of 10,000 lines has half a megabyte
INCLUDE = Path(__file__).parent / "include"

_DEFINES = (
    "__attribute__(x)=",
    "__declspec(x)=",
    "__extension__=",
    "__restrict=restrict",
    "__restrict__=restrict",
    "__inline=inline",
    "__inline__=inline",
    "__const=const",
    "__volatile__=volatile",
    "__signed__=signed",
    "_Alignas(x)=",
    "alignas(x)=",
    "_Noreturn=",
    "__builtin_expect(x,y)=(x)",
    "__builtin_expect_with_probability(x,y,z)=(x)",
    "__builtin_assume_aligned(x,...)=(x)",
    "__builtin_assume(x)=",
    "__builtin_prefetch(...)=",
    "__builtin_unreachable()=",
    "_Static_assert(...)=",
    "__LP64__=1",
)
_DIAGNOSTIC = re.compile(r"^(.*?):(\d+):(?:(\d+):)? (?:fatal )?error: (.*)$", re.MULTILINE)


def preprocess(source: str, filename: str, options: COptions) -> str:
    """The text after preprocessing, with line markers; `InputError` with its place if that fails."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler:
        command = [compiler, "-E", "-x", "c", "-std=c11", "-undef", "-nostdinc", "-w", "-fno-diagnostics-color"]
        command += ["-iquote", str(Path(filename).parent), *_flags(options), "-"]
    else:
        command = [sys.executable, "-I", str(Path(__file__).with_name("pcpp_run.py")), filename, *_flags(options)]
    marked = f'# 1 "{_quoted(filename)}"\n{source}\n'
    status, output, errors = _bounded(command, marked.encode())
    if status:
        raise _error(status, errors, filename)
    return output.decode(errors="replace")


def _flags(options: COptions) -> list[str]:
    """Each option and its value in one argument, so that no value is taken for an option."""
    folders = [*options.include_dirs, str(INCLUDE)]
    return [f"-I{folder}" for folder in folders] + [f"-D{text}" for text in (*_DEFINES, *options.defines)]


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "?")


def _error(status: int, errors: str, filename: str) -> InputError:
    found = _DIAGNOSTIC.search(errors)
    if found:
        file, line, column, message = found.groups()
        return InputError(Loc(file, int(line), int(column or 1)), message)
    lines = [line for line in errors.splitlines() if line.strip()]
    message = lines[0] if status > 0 and lines else "it takes more time, memory or output than allowed"
    return InputError(Loc(filename), f"the preprocessor failed: {message}")


def _bounded(command: Sequence[str], data: bytes) -> tuple[int, bytes, str]:
    """Run a command on `data`; its exit status (negative if it was ended), output and error text."""
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
        stdin.write(data)
        stdin.seek(0)
        child = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=environment,
            start_new_session=True,
            preexec_fn=_limits,
        )
        assert child.stdout is not None
        whole = False
        try:
            output, whole = _read(child.stdout)
        finally:
            if not whole:
                os.killpg(child.pid, signal.SIGKILL)
            status = child.wait()
        child.stdout.close()
        stderr.seek(0)
        return (status if whole else -signal.SIGKILL), output, stderr.read(1 << 16).decode(errors="replace")


def _limits() -> None:
    limits = {
        resource.RLIMIT_AS: MAX_MEMORY,
        resource.RLIMIT_CPU: MAX_SECONDS,
        resource.RLIMIT_FSIZE: MAX_OUTPUT,
    }
    for what, most in limits.items():
        given = resource.getrlimit(what)[1]  # which a process may lower only
        least = most if given == resource.RLIM_INFINITY else min(most, given)
        resource.setrlimit(what, (least, least))


def _read(stream: IO[bytes]) -> tuple[bytes, bool]:
    """All of a stream, and whether it ended within the limits."""
    deadline, chunks, size = time.monotonic() + PATIENCE, list[bytes](), 0
    while size <= MAX_OUTPUT:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([stream], [], [], left)[0]:
            return b"", False
        chunk = os.read(stream.fileno(), 1 << 16)
        if not chunk:
            return b"".join(chunks), True
        chunks.append(chunk)
        size += len(chunk)
    return b"", False
