"""`raise --serve`: a process that has everything imported does commands for those that are started (see `served`).

It accepts what comes from its own user and installation, with the environment that it was started in as far as that
decides how a process starts, and forks for each request. It ends when nothing has come for a time, and when the files
of the program have changed.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import resource
import selectors
import signal
import socket
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from raising.commands.served import BEGUN, COMMANDS, LENGTH, LIMITS, STREAMS, owner, place
from raising.support import cache, versions
from raising.support.fork import die_with_parent
from raising.support.record import dataclass
from raising.support.streams import interruptible

IDLE = 1800.0  # seconds without a request, after which the process ends
_PATIENCE = 5.0  # seconds for a request to be told
_LARGEST = 1 << 24  # bytes of a request
_AT_START = ("LD_", "PYTHON", "LC_", "LANG", "GLIBC_", "MALLOC_", "OMP_", "OPENBLAS_", "MLIR", "LLVM", "XLA", "JAX")
"""How the names of variables begin that a process reads when it starts."""
_LATE = (
    "raising.commands.check_worker",
    "raising.commands.raise_task",
    "raising.frontend.c.read_c",
    "raising.frontend.python.python_to_mlir",
    "raising.validate.native.native",
    "raising.validate.proof.by_cases",
    "raising.validate.run.preconditions",
    "raising.verify.smaller_instance",
)
Started = list[tuple[str, str]]

_SMALL = """\
func.func @small(%x: memref<?xf64>, %a: f64) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    affine.store %a, %x[%i] : memref<?xf64>
  }
  return
}
"""


@dataclass(frozen=True)
class Job:
    """A request at work: where its status is awaited, its process, and what tells that this has ended."""

    stream: socket.socket
    process: int
    ended: int


def serve(idle: float = IDLE) -> int:
    """Do commands until nobody asks for any; the exit status of `raise --serve`."""
    path = place()
    why = cache.complaint() or ("" if path else f"the path of a socket in {cache.folder()} would be too long")
    if not hasattr(os, "pidfd_open"):
        why = "this system does not tell when a process ends"
    if why:
        print(f"raise: error: {why}", file=sys.stderr)
        return 2
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)  # noqa: PTH103, PTH120
    os.chmod(os.path.dirname(path), 0o700)  # noqa: PTH101, PTH120
    with ExitStack() as stack:
        lock = stack.enter_context(Path(f"{path}.lock").open("w"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("raise: error: there is such a process already", file=sys.stderr)
            return 2
        version, started = _version(), _at_start(os.environ)
        _get_ready()
        listening = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        _listen(listening, path)
        stack.callback(_remove, path)
        with interruptible(), suppress(KeyboardInterrupt):
            _Server(listening, version, started, idle).run()
    return 0


def _listen(listening: socket.socket, path: str) -> None:
    _remove(path)
    mask = os.umask(0o177)
    try:
        listening.bind(path)
    finally:
        os.umask(mask)
    listening.listen(64)


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108


def _version() -> str:
    """The files of the program and the packages as they lie on disk now."""
    versions.forget()
    cache.forget()
    return f"{versions.stamp('eqsat', 'native', 'polybench')} {versions.installed()}"


def _get_ready() -> None:
    """Import what commands need, and go the whole way once: much is made when it is first used."""
    from raising.commands import compile_worker, raise_worker

    raise_worker.prepare()
    compile_worker.prepare_later()
    for module in (*COMMANDS, *_LATE):
        import_module(module)
    from raising.native.base.compile_options import CompileOptions
    from raising.native.compile import build
    from raising.optimise.optimise_module import optimise_module
    from raising.pipeline import raise_module

    raised = raise_module(_SMALL, check="field", cache=False)
    _ = build(optimise_module(raised.text).text.encode(), "-", CompileOptions()).code.object


class _Server:
    """The loop over requests that come and processes that end."""

    def __init__(self, listening: socket.socket, version: str, started: Started, idle: float) -> None:
        self.listening, self.version, self.started, self.idle = listening, version, started, idle
        self.parent = os.getpid()
        self.events = selectors.DefaultSelector()
        self.events.register(listening, selectors.EVENT_READ)
        self.jobs: dict[int, Job] = {}
        self.closing = False

    def run(self) -> None:
        """Until nobody has asked for anything for so long, or the program is another one."""
        while self.jobs or not self.closing:
            events = self.events.select(None if self.jobs else self.idle)
            if not events:
                return
            for key, _ in events:
                if key.fileobj is self.listening:
                    self._take()
                elif key.data is not None:
                    self._end(key.data, isinstance(key.fileobj, int))

    def _take(self) -> None:
        """Accept a request, if it is one for this process."""
        stream, _ = self.listening.accept()
        fds: list[int] = []
        try:
            stream.settimeout(_PATIENCE)
            request = _read(stream, fds)
            if owner(stream) != os.geteuid() or not self._is_for_us(request):
                stream.close()
                return
            stream.sendall(BEGUN)
            process = os.fork()
            if process == 0:
                _become(self.parent, request, fds)
            job = Job(stream, process, os.pidfd_open(process))
            self.jobs[process] = job
            self.events.register(job.ended, selectors.EVENT_READ, job)
            self.events.register(stream, selectors.EVENT_READ, job)
        except (OSError, ValueError, KeyError, TypeError):
            stream.close()
        finally:
            for fd in fds:
                os.close(fd)

    def _is_for_us(self, request: dict[str, Any]) -> bool:
        """Whether a process that is started for the request would be one like this."""
        if _version() != self.version:
            self.closing = True
            self.events.unregister(self.listening)
            self.listening.close()
            return False
        return request["module"] in COMMANDS and _at_start(request["environment"]) == self.started

    def _end(self, job: Job, ended: bool) -> None:
        """A process has ended, and its status is told; or who asked for it is gone, and it is ended."""
        if job.process not in self.jobs:
            return
        with suppress(KeyError, ValueError):  # it may be closed
            self.events.unregister(job.stream)
        if not ended:
            try:
                os.killpg(job.process, signal.SIGTERM)
            except ProcessLookupError:  # it has no group of its own yet
                os.kill(job.process, signal.SIGTERM)
            job.stream.close()
            return
        self.events.unregister(job.ended)
        os.close(job.ended)
        status = os.waitstatus_to_exitcode(os.waitpid(job.process, 0)[1])
        del self.jobs[job.process]
        with suppress(OSError):
            job.stream.sendall(status.to_bytes(LENGTH, "little", signed=True))
        job.stream.close()


def _at_start(environment: Mapping[str, str]) -> Started:
    return sorted(item for item in environment.items() if item[0].startswith(_AT_START))


def _read(stream: socket.socket, fds: list[int]) -> dict[str, Any]:
    """A request; the streams that come with it are put into `fds`."""
    head, found, _, _ = socket.recv_fds(stream, LENGTH, len(STREAMS))
    fds += found
    length = int.from_bytes(head, "little")
    if len(head) != LENGTH or len(fds) != len(STREAMS) or length > _LARGEST:
        raise ValueError("no request")
    data = b""
    while len(data) < length:
        more = stream.recv(length - len(data))
        if not more:
            raise ValueError("half a request")
        data += more
    request: dict[str, Any] = json.loads(data)
    return request


def _become(parent: int, request: dict[str, Any], fds: list[int]) -> NoReturn:
    """Do a command as the process that was started for it would."""
    status: Any = 1
    try:
        for sign in (signal.SIGINT, signal.SIGTERM):  # first: until here they are the server's
            signal.signal(sign, signal.SIG_DFL)
        os.setsid()
        die_with_parent(parent)
        for number, fd in zip(STREAMS, fds, strict=True):
            os.dup2(fd, number)
        os.closerange(len(STREAMS), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        _take_surroundings(request)
        try:
            status = import_module(request["module"]).main()
        except SystemExit as error:
            status = error.code
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(status if isinstance(status, int) else int(status is not None))


def _take_surroundings(request: dict[str, Any]) -> None:
    """The streams, folder, environment and limits of the process that was started for a command."""
    os.chdir(request["cwd"])
    os.umask(request["umask"])
    os.environ.clear()
    os.environ.update(request["environment"])
    for limit, (soft, hard) in zip(LIMITS, request["limits"], strict=True):
        with suppress(OSError, ValueError):
            resource.setrlimit(getattr(resource, limit), (soft, hard))
    sys.argv, tempfile.tempdir = request["argv"], None
    for number, name in zip(STREAMS, ("stdin", "stdout", "stderr"), strict=True):
        before = getattr(sys, name)
        raw = io.FileIO(number, "wb" if number else "rb", closefd=False)
        buffered = io.BufferedWriter(raw) if number else io.BufferedReader(raw)
        at_once = name == "stderr" or os.isatty(number)
        made = io.TextIOWrapper(buffered, before.encoding, before.errors, line_buffering=at_once)
        setattr(sys, name, made)
