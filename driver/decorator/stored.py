"""Code of functions on disk: a process finds what another one compiled, or why not, and imports no compiler for it."""

from __future__ import annotations

from typing import Any

from raising.decorator.call_types import Kind, Pattern
from raising.decorator.settings import Settings
from raising.decorator.sources import Sources
from raising.native.base.target import target_for
from raising.native.call.code_cache import made_by
from raising.support import cache
from raising.support.errors import InputError


def built(
    sources: Sources, kinds: dict[str, Kind], pattern: Pattern, settings: Settings, as_written: bool = False
) -> dict[str, Any]:
    """The code of a function for some types, from disk or made now; `InputError` as `build_code.build`."""
    target = repr(target_for(threads=settings.threads))
    parts = [sources.text, repr(list(kinds.items())), repr(pattern), settings.key, target, str(as_written)]
    file = cache.entry("jit", [*(part.encode() for part in parts), made_by()])
    known: dict[str, Any] | InputError | None = cache.kept(file) if settings.cache else None
    if isinstance(known, InputError):
        raise known
    if known is not None:
        return known
    from raising.decorator.build_code import build

    try:
        made = build(sources, kinds, pattern, settings, as_written)
    except InputError as error:
        if settings.cache and not error.message.startswith("internal"):
            cache.keep(file, error)
        raise
    if settings.cache:
        cache.keep(file, made)
    return made


def number_of(sources: Sources, kinds: dict[str, Kind], settings: Settings) -> str:
    """The type of the number that a function returns, from disk or found now; `InputError` if it returns none."""
    file = cache.entry("jit", [sources.text.encode(), repr(list(kinds.items())).encode(), b"number", made_by()])
    text = cache.read(file) if settings.cache else None
    if text is not None:
        return text
    from raising.decorator.build_code import number_returned

    found = number_returned(sources, kinds)
    if settings.cache:
        cache.write(file, found)
    return found
