"""Commands that a process does which is ready for them: the same bytes, streams, statuses and files."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import ENVIRONMENT, FILL, GEMM
from tests.forked import command

SCRIPT = "import sys; from raising.support import start; sys.exit(getattr(start, sys.argv.pop(1))())"
SERVER = "import sys; from raising.commands.serving import serve; sys.exit(serve(float(sys.argv[1])))"


def _started(idle: float, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(idle)], env=environment, stderr=subprocess.PIPE)
    until = time.monotonic() + 60
    while not _sockets(environment) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    return process


def _sockets(environment: dict[str, str]) -> list[Path]:
    found = Path(environment["RAISE_CACHE"], "served").glob("*")
    return [path for path in found if stat.S_ISSOCK(path.stat().st_mode)]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of commands that are served."""
    found = {**ENVIRONMENT, "RAISE_CACHE": str(tmp_path_factory.mktemp("cache"))}
    process = _started(60.0, found)
    assert _sockets(found)
    yield found
    process.terminate()
    process.wait()
    assert not _sockets(found)


def run(arguments: list[str], environment: dict[str, str], cwd: Path, given: bytes = b"") -> Any:
    """What a command writes, and its exit status."""
    called = [sys.executable, "-c", SCRIPT, *arguments]
    done = subprocess.run(called, env=environment, cwd=cwd, input=given, capture_output=True, check=False, timeout=120)
    return done.returncode, done.stdout, re.sub(rb"\d+\.\d+ s\b", b"", done.stderr)  # remarks tell times


def _here(arguments: list[str], environment: dict[str, str], cwd: Path, given: bytes) -> Any:
    """The same by a process that was started for it."""
    module = f"raising.commands.{arguments[0].rpartition('_')[2] or 'raise'}_command"
    done = command(module, arguments[1:], given, cwd, environment)
    return done.returncode, done.stdout.encode(), re.sub(rb"\d+\.\d+ s\b", b"", done.stderr.encode())


CALLS = {
    "a file of MLIR": "raise_ gemm.mlir --no-cache",
    "what is kept": "raise_ gemm.mlir",
    "a file of C": "raise_compile f.c -o f.o",
    "standard input": "raise_opt - --iterations 1",
    "a mistake": "raise_ nothing.mlir",
    "wrong usage": "raise_compile --what",
    "help": "raise_check --help",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_command_that_is_served_does_the_same(environment: dict[str, str], call: str, tmp_path: Path) -> None:
    alone = {**environment, "RAISE_CACHE": str(tmp_path / "cache")}
    found = []
    for number, one in enumerate((alone, environment)):
        folder = tmp_path / "work"
        folder.mkdir()
        (folder / "gemm.mlir").write_bytes(GEMM.read_bytes())
        (folder / "f.c").write_text("void f(int n, double x[n]) { for (int i = 0; i < n; i++) x[i] = 1; }")
        old = os.umask(0o027)
        try:
            told = (run if number else _here)(call.split(), one, folder, FILL.encode())
        finally:
            os.umask(old)
        files = {p.name: (p.read_bytes(), p.stat().st_mode) for p in folder.iterdir()}
        found.append((told, files))
        folder.rename(tmp_path / str(number))
    assert found[0] == found[1]
    assert b"Traceback" not in found[1][0][2]


def _is_served(environment: dict[str, str], cwd: Path) -> bool:
    """Whether a command is done by another process: it says what it imported itself."""
    loaded = "print(bool({'raising.commands.opt_command'} & set(sys.modules)))"
    script = f"import atexit, sys; atexit.register(lambda: {loaded}); {SCRIPT}"
    called = [sys.executable, "-c", script, "raise_opt", "-", "-o", os.devnull]
    done = subprocess.run(called, env=environment, cwd=cwd, input=FILL.encode(), capture_output=True, check=True)
    return done.stdout == b"False\n"


def test_only_processes_that_would_start_alike_are_served(environment: dict[str, str], tmp_path: Path) -> None:
    assert _is_served(environment, tmp_path)
    assert not _is_served({**environment, "PYTHONHASHSEED": "3"}, tmp_path)
    assert not _is_served({**environment, "RAISE_CACHE": str(tmp_path)}, tmp_path)


def test_nobody_else_can_ask(environment: dict[str, str]) -> None:
    (socket,) = _sockets(environment)
    assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700 and stat.S_IMODE(socket.stat().st_mode) == 0o600


def test_a_second_one_is_refused(environment: dict[str, str]) -> None:
    called = [sys.executable, "-c", SERVER, "1"]
    done = subprocess.run(called, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (2, "raise: error: there is such a process already\n")


def test_a_command_that_is_ended_ends_its_work(environment: dict[str, str], tmp_path: Path) -> None:
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # a shell's job may ignore it
    script = f"{heard}; import raising.commands.served as s; print(s.status(s.COMMANDS[1]))"
    sleeping = [sys.executable, "-c", script, "-"]  # it waits for its input
    with subprocess.Popen(sleeping, env=environment, cwd=tmp_path, stdin=subprocess.PIPE) as process:
        until = time.monotonic() + 20
        while not (work := _working(tmp_path)) and time.monotonic() < until:
            time.sleep(0.05)
        assert work
        process.send_signal(signal.SIGINT)
        process.wait(20)
    while _working(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _working(tmp_path)


def _working(folder: Path) -> list[int]:
    """The processes at work in a folder, beside the one that asked for it."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            here = entry.name.isdigit() and (entry / "cwd").readlink() == folder.resolve()
            if here and b"serve(" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose sockets have names that the system takes."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def test_it_ends_when_nobody_asks_and_what_it_left_is_no_hindrance(short_path: Path, tmp_path: Path) -> None:
    environment = {**ENVIRONMENT, "RAISE_CACHE": str(short_path)}
    process = _started(0.5, environment)
    assert process.wait(60) == 0 and not _sockets(environment)
    process = _started(60.0, environment)
    process.kill()
    process.wait()
    assert _sockets(environment)  # nobody listens any more
    assert not _is_served(environment, tmp_path)
