"""Asking a process that is ready (`raise --serve`) to do a command; only the standard library is imported.

The process works on the command's own streams, in its folder and environment, so that nothing but time tells the two
apart. It listens on a socket in a folder that nobody else can enter, one for each installation.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from raising.support.cache import folder

if TYPE_CHECKING:
    import socket

COMMANDS = tuple(f"raising.commands.{name}_command" for name in ("raise", "opt", "check", "compile"))
"""The modules of commands that such a process does."""

SERVE = "--serve"
LENGTH = 8  # bytes before a request, and of a status
STREAMS = (0, 1, 2)
BEGUN = b"+"
"""What it says of a request that it accepts: from then on it is the one that does it."""

LIMITS = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_STACK", "RLIMIT_NOFILE")
_LONGEST = 100  # bytes of a socket's path, of which the system takes 107
_PATIENCE = 10.0  # seconds for an answer whether a command is accepted
_GONE = "error: the process that did this command ended before it was done (raise --serve)"


def place() -> str:
    """The path of the socket; empty where it would be too long."""
    installation = sha256(f"{sys.prefix}\0{Path(__file__).parents[1]}".encode(errors="surrogateescape")).hexdigest()
    path = os.path.abspath(folder() / "served" / installation[:16])  # noqa: PTH100
    return path if len(os.fsencode(path)) <= _LONGEST else ""


def status(module: str) -> int | None:
    """The exit status of the command that this process was started for; None where nobody else does it."""
    path = place()
    if module not in COMMANDS or SERVE in sys.argv or not path or not os.path.exists(path):  # noqa: PTH110
        return None
    import socket  # most processes have nobody to ask

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
        try:
            stream.settimeout(_PATIENCE)
            stream.connect(path)
            if owner(stream) != os.geteuid() or not _accepted(stream, module):
                return None
        except (OSError, ValueError, ImportError):
            return None
        stream.settimeout(None)
        return _waited(stream)


def owner(stream: socket.socket) -> int:
    """The user whose process is at the other end."""
    from socket import SO_PEERCRED, SOL_SOCKET

    told = stream.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)
    return int.from_bytes(told[4:8], sys.byteorder)


def _accepted(stream: socket.socket, module: str) -> bool:
    """Whether the process at the other end does the command."""
    import json
    import resource
    import socket

    mask = os.umask(0)
    os.umask(mask)
    request = {
        "module": module,
        "argv": sys.argv,
        "cwd": os.getcwd(),  # noqa: PTH109
        "environment": dict(os.environ),
        "umask": mask,
        "limits": [resource.getrlimit(getattr(resource, limit)) for limit in LIMITS],
    }
    data = json.dumps(request).encode()
    socket.send_fds(stream, [len(data).to_bytes(LENGTH, "little")], STREAMS)
    stream.sendall(data)
    return stream.recv(1) == BEGUN


def _waited(stream: socket.socket) -> int:
    """The exit status once the command is done; a signal that ended it ends this process."""
    told = b""
    while len(told) < LENGTH:
        more = b""
        with suppress(OSError):
            more = stream.recv(LENGTH - len(told))
        if not more:
            print(_GONE, file=sys.stderr)
            return 2
        told += more
    found = int.from_bytes(told, "little", signed=True)
    if found < 0:
        import signal

        signal.signal(-found, signal.SIG_DFL)
        os.kill(os.getpid(), -found)
    return found
