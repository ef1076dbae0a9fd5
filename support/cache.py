"""A cache on disk for what can be computed again, addressed by the hash of what it was computed from.

A file is its text under a first line with the text's SHA-256: a file that was cut short, edited or written by another
program is not taken for an entry, and is replaced.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

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


def entry(kind: str, parts: Iterable[bytes]) -> Path:
    """The file for what is computed from `parts`; `kind` keeps different results of the same parts apart."""
    whole = b"".join(hashlib.sha256(part).digest() for part in (kind.encode(), *parts))
    return folder() / kind / hashlib.sha256(whole).hexdigest()


def read(file: Path) -> str | None:
    """The text of an entry; None if there is none or it does not hold what was written."""
    try:
        digest, _, text = file.read_bytes().decode().partition("\n")
    except (OSError, ValueError):
        return None
    return text if digest == _digest(text) else None


def write(file: Path, text: str) -> None:
    """Writes an entry in one step, so that no reader sees half of it; a folder that cannot be written holds none."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
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


def cached(kind: str, parts: Iterable[bytes], build: Callable[[], str]) -> str:
    """The text that `build` makes of `parts`, now or in an earlier process."""
    file = entry(kind, parts)
    known = read(file)
    if known is None:
        known = build()
        write(file, known)
    return known


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
