"""Objects that were made before, by the content of what they were made from: text, command line, compiler, folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raising.cc.plan import Plan
from raising.cc.system_compiler import identity
from raising.support import cache
from raising.support.record import dataclass
from raising.support.versions import stamp

_MOST = 8 << 20  # bytes of an object


@dataclass(frozen=True)
class Kept:
    """An object, the dependences that were written beside it, what there is to say of it, and whether the compiler
    said something, too."""

    code: bytes
    dependences: str | None
    rows: dict[str, Any]
    said: bool


class Entry:
    """The place in the cache for what becomes of a file."""

    def __init__(self, plan: Plan, text: bytes, options: tuple[str, ...]) -> None:
        arguments = [text_ for a in plan.line.arguments for text_ in a.texts]
        told = [*arguments, plan.target if plan.line.compiles_only else "", *options]
        own = ("object", identity(plan.compiler), str(Path.cwd()), stamp("eqsat", "native"), repr(told))
        self._file = cache.entry("cc", [text, *(t.encode(errors="surrogateescape") for t in own)])

    def read(self) -> Kept | None:
        """The stored entry; None if there is none."""
        found: Kept | None = cache.kept(self._file)
        return found

    def write(self, kept: Kept) -> None:
        """Keep it, if it is of a size to keep."""
        if len(kept.code) <= _MOST:
            cache.keep(self._file, kept)
