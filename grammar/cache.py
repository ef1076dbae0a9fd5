"""Grammars built from a user's definitions, kept on disk by the hash of what they were built from."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def folder() -> Path:
    """Where built grammars are kept: `$XDG_CACHE_HOME/raise`, or `~/.cache/raise`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "raise"


def cached(parts: list[bytes], build: Callable[[], str]) -> str:
    """The text built from `parts`; a file that does not hold what was written is built again."""
    key = hashlib.sha256(b"\0".join(hashlib.sha256(p).digest() for p in parts)).hexdigest()
    file = folder() / f"{key}.json"
    known = _read(file)
    if known is not None:
        return known
    text = build()
    _write(file, text)
    return text


def _read(file: Path) -> str | None:
    try:
        digest, _, text = file.read_text(encoding="utf-8").partition("\n")
        whole = digest == hashlib.sha256(text.encode()).hexdigest() and isinstance(json.loads(text), dict)
    except (OSError, ValueError):
        return None
    return text if whole else None


def _write(file: Path, text: str) -> None:
    """Writes in one step, so that a reader never sees half a file; a cache that cannot be written is none."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as out:
            out.write(f"{digest}\n{text}")
        Path(out.name).replace(file)
    except OSError:
        return
