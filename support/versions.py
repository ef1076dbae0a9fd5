"""Versions of installed packages, by the names of the folders that describe them.

`importlib.metadata` reads and parses what lies in these folders, with Python's parser of e-mails: 20 ms in a process
that has a second for everything.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

_SUFFIX = ".dist-info"


def versions(packages: Iterable[str]) -> dict[str, str]:
    """The version of each of some packages; those that are not installed are left out."""
    known = _known()
    return {name: known[_normal(name)] for name in packages if _normal(name) in known}


@lru_cache
def _known() -> dict[str, str]:
    found: dict[str, str] = {}
    for folder in map(Path, sys.path):
        for entry in folder.iterdir() if folder.is_dir() else ():
            if entry.name.endswith(_SUFFIX):
                name, _, version = entry.name.removesuffix(_SUFFIX).partition("-")
                found.setdefault(_normal(name), version)  # as for imports, the first one counts
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()
