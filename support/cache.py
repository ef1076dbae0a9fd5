"""A cache on disk for what can be computed again, addressed by the hash of what it was computed from.

A file is its text under a first line with the text's SHA-256: a file that was cut short, edited or written by another
program is not taken for an entry, and is replaced. Some entries are machine code, which is run: a folder or file that
somebody else owns or can write to is not used.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

VARIABLE = "RAISE_CACHE"  # the environment variable that names the folder


def folder() -> Path:
    """Where results are kept: `$RAISE_CACHE`, or the platform's folder for caches of a user."""
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "raise"
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "raise"


def complaint() -> str:
    """Why the folder is not used, if it is not: others could put machine code there."""
    given = folder()
    return f"the cache in {given} is not used: {_others(given)}" if _others(given) else ""


def _others(path: Path) -> str:
    """Who else can write what lies at a path, in words; empty if nobody can, or if nothing is there yet."""
    place = Path(os.path.realpath(path))
    for part in (place, *place.parents):
        with contextlib.suppress(OSError):
            found = part.stat()
            if found.st_uid not in (os.geteuid(), 0):
                return f"{part} belongs to another user"
            if _is_shared(found) and (part == place or not found.st_mode & stat.S_ISVTX):
                return f"others can write to {part}"
    return ""


def _is_shared(found: os.stat_result) -> bool:
    """Whether others than the owner can write; the group that only has the owner in it is nobody else."""
    if found.st_mode & stat.S_IWOTH:
        return True
    return bool(found.st_mode & stat.S_IWGRP) and not _is_own_group(found.st_gid)


@lru_cache
def _is_own_group(number: int) -> bool:
    with contextlib.suppress(KeyError, ImportError):
        import grp
        import pwd

        group = grp.getgrgid(number)
        own = pwd.getpwuid(os.geteuid()).pw_name
        return group.gr_name == own and set(group.gr_mem) <= {own}
    return False


@lru_cache
def _usable(place: Path) -> bool:
    """Whether a folder of entries may be used; it is asked once."""
    return not (hasattr(os, "geteuid") and _others(place))


def forget() -> None:
    """Look again at who can write to the cache when it is used: in a process that stays that may have changed."""
    _usable.cache_clear()
    _is_own_group.cache_clear()


def entry(kind: str, parts: Iterable[bytes]) -> Path:
    """The file for what is computed from `parts`; `kind` keeps different results of the same parts apart."""
    whole = b"".join(hashlib.sha256(part).digest() for part in (kind.encode(), *parts))
    return folder() / kind / hashlib.sha256(whole).hexdigest()


def read(file: Path) -> str | None:
    """The text of an entry; None if there is none or it does not hold what was written."""
    if not _usable(file.parent):
        return None
    try:
        with file.open("rb") as stream:
            found = os.fstat(stream.fileno())
            if found.st_uid != os.geteuid() or _is_shared(found):
                return None
            digest, _, text = stream.read().decode().partition("\n")
    except (OSError, ValueError):
        return None
    return text if digest == _digest(text) else None


def write(file: Path, text: str) -> None:
    """Writes an entry in one step, so that no reader sees half of it; a folder that cannot be written holds none."""
    if not _usable(file.parent):
        return
    import tempfile  # slow to import, and a process that finds all it wants writes nothing

    try:
        file.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.parent.mkdir(mode=0o700, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8", newline="") as out:
            try:
                out.write(f"{_digest(text)}\n{text}")
                out.close()
                Path(out.name).replace(file)
            except BaseException:
                Path(out.name).unlink()
                raise
    except OSError:
        return


def lies(place: str) -> str:
    """The contents of a path as a hash: of a file, or of the names in a folder; empty if nothing can be read."""
    try:
        found = os.stat(place)  # noqa: PTH116  with paths as objects it takes twice the time, for hundreds of places
        if stat.S_ISDIR(found.st_mode):
            return "names " + _digest("\0".join(sorted(os.listdir(place))))  # noqa: PTH208
        if not stat.S_ISREG(found.st_mode):
            return "special"
        with open(place, "rb") as stream:  # noqa: PTH123
            return hashlib.sha256(stream.read()).hexdigest()
    except (OSError, ValueError):
        return ""


def cached(kind: str, parts: Iterable[bytes], build: Callable[[], str]) -> str:
    """The text that `build` makes of `parts`, now or in an earlier process."""
    file = entry(kind, parts)
    known = read(file)
    if known is None:
        known = build()
        write(file, known)
    return known


def keep(file: Path, value: Any) -> None:
    """Writes an entry that holds a value; one that nests too deeply is not kept."""
    import base64
    import pickle

    with contextlib.suppress(RecursionError):
        write(file, base64.b64encode(pickle.dumps(value)).decode())


def kept(file: Path) -> Any:
    """The value of an entry; None if there is none, or none that this version can read."""
    import base64
    import pickle

    text = read(file)
    try:
        return None if text is None else pickle.loads(base64.b64decode(text))
    except Exception:  # whatever an entry holds, the worst that it may do is to be computed again
        return None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()
