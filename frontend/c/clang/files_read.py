"""What the meaning of a file hangs on besides its text: the headers that were read, and places where others may appear.

clang is asked for the files that it entered and for the folders that it searches (`-v`). Whatever an `#include` or a
`__has_include` in any of these files names, whether it is reached or not, is looked up in all folders: a header that
appears in front of the one that was read changes what the file means, as one that goes away does.
"""

# Places are compared as clang writes them.
# ruff: noqa: PTH116, PTH118, PTH120

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from ctypes import CFUNCTYPE, c_uint, c_void_p
from hashlib import sha256
from typing import TYPE_CHECKING

from raising.support.cache import lies

if TYPE_CHECKING:
    from raising.frontend.c.clang.translation_unit import Source

_CLOCK = 20_000_000  # nanoseconds by which the times of files may lag behind
_HASH = rb"(?:#|%:|\?\?=)\s*"
_NAMED = re.compile(
    _HASH + rb'(?:include|include_next|import)\s*(?:<([^>\n]+)>|"([^"\n]+)")'
    rb'|__has_include(?:_next)?\s*\(\s*(?:<([^>\n]+)>|"([^"\n]+)")'
)
_UNKNOWN = re.compile(
    _HASH + rb"(?:include|include_next|import)\b\s*[A-Za-z_]"  # a name that a macro makes
    rb'|__has_include(?:_next)?\s*\(\s*[^<"\s]|\b__(?:DATE|TIME|TIMESTAMP)__\b|pragma\s+GCC\s+dependency|__has_embed'
)
_CONTINUED, _COMMENT = re.compile(rb"\\[ \t]*\r?\n"), re.compile(rb"/\*.*?\*/", re.DOTALL)
_FOLDER = re.compile(r'^(?: (.+?)(?: \(framework directory\))?|ignoring (?:nonexistent|duplicate) directory "(.*)")$')
_GCC = re.compile(r"^Found candidate GCC installation: (.+)$", re.MULTILINE)
_FIRST = ("-include", "-imacros")
_INCLUSION = CFUNCTYPE(None, c_void_p, c_void_p, c_uint, c_void_p)


def files_read(source: Source, flags: Sequence[str], started: int) -> dict[str, str] | None:
    """What lies at each place that the file hangs on, as `raising.support.cache.lies` says it.

    None if it cannot be told, or hangs on the time of day. `started` is the time in nanoseconds before parsing: a file
    that came or changed since then may not be the one that clang saw.
    """
    folders = _folders(source.said)
    entered = _entered(source)
    if folders is None or any(_UNKNOWN.search(form) for text in entered.values() for form in _forms(text)):
        return None
    named = {place for name, text in entered.items() for place in _wanted(name, text, folders)}
    named |= {os.path.join(folder, name) for name in _given(flags) for folder in ("", *folders)}
    wanted = {_plain(place) for place in named}
    own = _plain(source.filename)
    if not set(entered) - {own} <= wanted or (source.plus and not _GCC.search(source.said)):
        return None
    found = {name: sha256(text).hexdigest() for name, text in entered.items() if name != own}
    for place in wanted - set(found):
        if _is_new(place, started):
            return None
        found[place] = lies(place)
    for folder in _GCC.findall(source.said):  # the newest one is taken
        above = os.path.dirname(folder)
        found |= {above: lies(above), os.path.dirname(above): lies(os.path.dirname(above))}
    return found


def _entered(source: Source) -> dict[str, bytes]:
    """The text of each file that was entered, as clang read it."""
    handles: list[int] = []
    visit = _INCLUSION(lambda file, _stack, _length, _data: handles.append(file))
    source.lib.getInclusions(source.unit, visit, None)
    return {_plain(source.file(handle)): source.text_of(handle) for handle in handles}


def _plain(place: str) -> str:
    """A place without the name of the folder that it is seen from, which clang writes or does not."""
    return place.removeprefix("./")


def _folders(said: str) -> list[str] | None:
    """The folders that are searched, with those that would be if they were there; None if clang does not say."""
    _, starts, rest = said.partition("search starts here:\n")
    if not starts or "\nEnd of search list." not in rest:
        return None
    return [m.group(1) or m.group(2) for line in said.splitlines() if (m := _FOLDER.match(line))]


def _forms(text: bytes) -> tuple[bytes, bytes]:
    """A text with its continued lines joined, and again without comments, which may stand within a directive."""
    joined = _CONTINUED.sub(b"", text)
    return joined, _COMMENT.sub(b" ", joined)


def _wanted(name: str, text: bytes, folders: list[str]) -> Iterator[str]:
    """Where clang may look for what a file names."""
    beside = [os.path.dirname(name), *folders]
    for form in _forms(text):
        for match in _NAMED.finditer(form):
            angled, quoted, has_angled, has_quoted = match.groups()
            header = os.fsdecode(angled or has_angled or quoted or has_quoted)
            yield from (os.path.join(folder, header) for folder in (folders if angled or has_angled else beside))


def _given(flags: Sequence[str]) -> Iterator[str]:
    """The headers that flags name, with the forms of them that are compiled before."""
    for flag, value in zip(flags, (*flags[1:], ""), strict=True):
        name = next((f for f in _FIRST if flag.startswith(f)), None)
        if name is not None:
            header = flag.removeprefix(name) or value
            yield from (header, f"{header}.pch", f"{header}.gch")


def _is_new(place: str, started: int) -> bool:
    """Whether what lies at a place came or changed since a time."""
    try:
        return os.stat(place).st_ctime_ns >= started - _CLOCK
    except OSError:
        return False
