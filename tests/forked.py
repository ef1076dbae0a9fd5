"""A command in a child of the test's own process: it starts at once, because all that it imports is there."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, NoReturn

from raising.pipeline import raise_module

LIMIT = 120.0  # seconds
QUICKEST = """func.func @fill(%x: memref<8xf64>, %a: f64) {
  affine.for %i = 0 to 8 {
    affine.store %a, %x[%i] : memref<8xf64>
  }
  return
}
"""


def command(
    module: str,
    arguments: Sequence[str | Path],
    given: bytes = b"",
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """What `python -m MODULE ARGUMENTS` writes, and its exit status (negative: the signal that ended it)."""
    with tempfile.TemporaryFile() as put, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        put.write(given)
        put.seek(0)
        sys.stdout.flush()
        sys.stderr.flush()
        _prepared()
        child = os.fork()
        if child == 0:
            _become(module, [str(a) for a in arguments], (put, out, err), cwd, environment)
        status = os.waitstatus_to_exitcode(_ended(child))
        out.seek(0)
        err.seek(0)
        texts = [file.read().decode(errors="replace") for file in (out, err)]
    return subprocess.CompletedProcess([module, *map(str, arguments)], status, *texts)


@cache
def _prepared() -> None:
    """What most commands would import and make first, once for all children."""
    import_module("raising.commands.raise_worker")
    raise_module(QUICKEST, check="field")


def _become(
    module: str,
    arguments: list[str],
    streams: tuple[IO[bytes], IO[bytes], IO[bytes]],
    cwd: Path | None,
    environment: Mapping[str, str] | None,
) -> NoReturn:
    """Run the command as if this process had been started for it."""
    status: object = 1
    try:
        os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream.fileno(), number)
        sys.stdin, sys.stdout, sys.stderr = (
            io.TextIOWrapper(io.FileIO(number, mode, closefd=False), write_through=True, encoding="utf-8")
            for number, mode in enumerate(("rb", "wb", "wb"))
        )
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if cwd is not None:
            os.chdir(cwd)
        if environment is not None:
            os.environ.clear()
            os.environ.update(environment)
        found = import_module(module)
        sys.argv = [str(found.__file__), *arguments]
        status = found.main()
    except SystemExit as stop:
        status = stop.code
    except BaseException:
        traceback.print_exc()
    finally:
        for text in (sys.stdout, sys.stderr):
            text.flush()
        os._exit(status if isinstance(status, int) else int(status is not None))


def _ended(child: int) -> int:
    """The status of a child, which may take no longer than `LIMIT`."""
    end, pause = time.monotonic() + LIMIT, 0.002
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(pause)
        pause = min(2 * pause, 0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise subprocess.TimeoutExpired(str(child), LIMIT)
