"""Flags of a compiler's command line: those that decide what a file means, from the user or a compilation database."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from raising.support.errors import InputError
from raising.support.source import Loc

_FOLDERS = ("-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros")
_WITH_VALUE = ("-D", "-U", *_FOLDERS)
_ALONE = re.compile(
    r"-(std=[\w:+]+|ansi|fsigned-char|funsigned-char|fgnu89-inline|m32|m64|undef|nostdinc|fcx-limited-range|-target=[\w.-]+)"
)


def taken_flags(flags: Sequence[str], folder: Path | None = None) -> list[str]:
    """The flags that decide what a file means, each with its value in one argument or the next one.

    Others (warnings, optimisation, code generation, plugins) are left out. Paths are taken from `folder`.
    """
    taken = ((flag, value) for flag, value in _scanned(flags) if value is not None or _ALONE.fullmatch(flag))
    return [part for flag, value in taken for part in _written(flag, value, folder)]


def check_flags(flags: Sequence[str]) -> None:
    """`InputError` for a flag that the reader does not take."""
    for flag, value in _scanned(flags):
        if value is None and flag in _WITH_VALUE:
            raise InputError(Loc(), f"the flag {flag} needs a value")
        if value is None and not _ALONE.fullmatch(flag):
            raise InputError(Loc(), f"the flag {flag} is not one that decides what a file means")


def _scanned(flags: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Each flag with its value: None for a flag that takes no value, or whose value is missing."""
    left = list(flags)
    while left:
        flag = left.pop(0)
        name = next((n for n in sorted(_WITH_VALUE, key=len, reverse=True) if flag.startswith(n)), None)
        if name is None or flag == name:
            yield flag, left.pop(0) if name is not None and left else None
        else:
            yield name, flag[len(name) :]


def _written(flag: str, value: str | None, folder: Path | None) -> list[str]:
    if value is None:
        return [flag]
    return [flag, str(folder / value) if folder is not None and flag in _FOLDERS else value]


# ---- compilation databases ----------------------------------------------------------------------------


def database_flags(database: Path, source: Path) -> list[str]:
    """The flags with which `compile_commands.json` compiles a file; `InputError` if it does not say."""
    try:
        entries = json.loads(database.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(Loc(str(database)), f"it cannot be read as a compilation database: {error}") from None
    for entry in entries if isinstance(entries, list) else []:
        found = _entry(entry, database)
        if found is not None and _same_file(found[0], source):
            return taken_flags(found[1], found[2])
    raise InputError(Loc(str(database)), f"it does not say how {source} is compiled")


def _entry(entry: Any, database: Path) -> tuple[Path, list[str], Path] | None:
    """The file of an entry, its arguments, and the folder that these are seen from."""
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        return None
    folder = database.parent / str(entry.get("directory", ""))
    arguments = entry.get("arguments")
    if arguments is None and isinstance(entry.get("command"), str):
        try:
            arguments = shlex.split(entry["command"])
        except ValueError:
            return None
    if not isinstance(arguments, list) or not all(isinstance(a, str) for a in arguments):
        return None
    return folder / entry["file"], arguments[1:], folder


def _same_file(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except OSError:
        return False
