"""Input and output of the command: bytes in, whole files out or none."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from pathlib import Path

from raising.support.streams import reason, uninterrupted

STDIN = "<stdin>"
STDOUT = "/dev/stdout"


class UserError(Exception):
    """A mistake in how the command was called; the message is one line."""


def read_input(path: str) -> tuple[bytes, str]:
    """The bytes of a file, or of standard input for `-`, and the name to call it by."""
    name = STDIN if path == "-" else path
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"{name}: error: cannot be read: {reason(error)}") from None
    if not data.strip():
        raise UserError(f"{name}: error: empty input")
    return data, name


def check_output(path: str) -> None:
    """Refuse, before any work is done, a place that cannot be written."""
    place = _resolved(path)
    folder = place.parent
    if place.is_dir():
        problem = "it is a directory"
    elif not folder.is_dir():
        problem = f"there is no directory '{folder}'"
    elif _is_special(place):
        problem = "" if os.access(place, os.W_OK) else "permission denied"
    else:
        allowed = os.access(folder, os.W_OK) and (not place.exists() or os.access(place, os.W_OK))
        problem = "" if allowed else "permission denied"
    if problem:
        raise UserError(f"{path}: error: cannot be written: {problem}")


def write_output(path: str, data: bytes) -> None:
    """Write the whole file or leave what was there: a new file takes the place of the old one at once."""
    place = _resolved(path)
    try:
        if _is_special(place):
            place.write_bytes(data)
        else:
            _replace(place, data)
    except OSError as error:
        raise UserError(f"{path}: error: cannot be written: {reason(error)}") from None


def _replace(place: Path, data: bytes) -> None:
    mask = os.umask(0)
    os.umask(mask)
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else 0o666 & ~mask
    with uninterrupted():
        handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(temporary).chmod(mode)
            Path(temporary).replace(place)
        except OSError:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise


def _resolved(path: str) -> Path:
    """The file behind a link, so that the link stays; `/dev/stdout` and the like as they are; `-` is that, too."""
    place = Path(STDOUT if path == "-" else path)
    return place if _is_special(place) else Path(os.path.realpath(path))


def _is_special(place: Path) -> bool:
    """A device or a pipe, which cannot be replaced, or a name for one."""
    return place.absolute().is_relative_to("/dev") or (place.exists() and not place.is_file() and not place.is_dir())
