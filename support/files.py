"""Input and output of the command: bytes in, whole files out or none."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from raising.support.streams import reason, uninterrupted

STDIN = "<stdin>"
STDOUT = "/dev/stdout"
MOST_BYTES = 1 << 27
"""Of an input: the text of the largest modules that people have is a tenth of it."""
BYTECODE, NEWLINE = b"ML\xefR", b"\n"
CPP = (".cpp", ".cc", ".cxx", ".c++", ".C", ".hpp", ".hh")
_LANGUAGES = {".c": "C", ".h": "C", ".py": "Python"} | dict.fromkeys(CPP, "C++") | {".cu": "CUDA"}


class UserError(Exception):
    """A mistake in how the command was called; the message is one line."""


def read_input(path: str, languages: Sequence[str] = ("MLIR",)) -> tuple[bytes, str]:
    """The bytes of a file, or of standard input for `-`, and the name to call it by.

    `UserError` if it cannot be read, is larger than `MOST_BYTES`, is binary but no bytecode of MLIR, or is written, as
    its name says, in another language than `languages`.
    """
    name = STDIN if path == "-" else path
    language = _LANGUAGES.get(Path(path).suffix, "MLIR")
    if language not in languages:
        raise UserError(f"{name}: error: this is {language}, and {' or '.join(languages)} is read here")
    try:
        data = read_bounded(sys.stdin.buffer) if path == "-" else read_file(Path(path))
    except OSError as error:
        raise UserError(f"{name}: error: cannot be read: {reason(error)}") from None
    if not data.strip():
        raise UserError(f"{name}: error: empty input")
    if b"\0" in data and not data.startswith(BYTECODE):
        before = data[: data.index(b"\0")]
        place = f"{before.count(NEWLINE) + 1}:{len(before) - before.rfind(NEWLINE)}"
        raise UserError(f"{name}:{place}: error: a NUL byte: the file is binary, but not MLIR bytecode")
    return data, name


def read_file(path: Path) -> bytes:
    """The bytes of a file; OSError if it cannot be read, or has more than `MOST_BYTES`: a device may have no end."""
    with path.open("rb") as stream:
        return read_bounded(stream)


def read_bounded(stream: IO[bytes]) -> bytes:
    """The bytes of a stream; OSError if there are more than `MOST_BYTES`."""
    data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it has more than {MOST_BYTES} bytes")
    return data


def check_outputs(outputs: Sequence[str | None], sources: Sequence[str] = ()) -> None:
    """Refuse, before any work is done, outputs that cannot be written, share a file, or would replace a source.

    An output that is None was not asked for. Devices and pipes can take several outputs.
    """
    taken = {_resolved(source): "it is what is read" for source in sources if source != "-"}
    for path in (path for path in outputs if path is not None):
        place = _resolved(path)
        problem = _why_not(place) or ("" if _is_special(place) else taken.get(place, ""))
        if problem:
            raise UserError(f"{path}: error: cannot be written: {problem}")
        taken[place] = "another output has the same name"


def _why_not(place: Path) -> str:
    """Why nothing can be written there; empty if it can."""
    folder = place.parent
    if place.is_dir():
        return "it is a directory"
    if not folder.is_dir():
        return f"there is no directory '{folder}'"
    if _is_special(place):
        allowed = os.access(place, os.W_OK)
    else:
        allowed = os.access(folder, os.W_OK) and (not place.exists() or os.access(place, os.W_OK))
    return "" if allowed else "permission denied"


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
