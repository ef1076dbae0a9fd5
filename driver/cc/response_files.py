"""Response files: `@FILE` stands for the arguments in FILE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

_MOST = 64  # files within files
_ESCAPE, _SPACE, _QUOTES = "\\", " \t\n\v\f\r", "'\""


def expanded(arguments: Iterable[str]) -> list[str] | None:
    """The arguments with those of response files in place; None where the compiler has to say what is wrong.

    A file that cannot be read stands for itself, as in gcc.
    """
    found: list[str] = []
    pending, files = [*arguments][::-1], 0
    while pending:
        argument = pending.pop()
        text = _content(argument[1:]) if argument.startswith("@") else None
        if text is None:
            found.append(argument)
            continue
        files += 1
        if files > _MOST:
            return None
        pending += [*_words(text)][::-1]
    return found


def _content(name: str) -> str | None:
    try:
        return Path(name).read_text(errors="surrogateescape")
    except OSError:
        return None


def _words(text: str) -> Iterator[str]:
    """Words between white space; quotes of either kind hold a word together, and a backslash keeps what follows it."""
    word: list[str] | None = None
    quote, characters = "", iter(text)
    for c in characters:
        if c == _ESCAPE:
            word = [*(word or ()), next(characters, "")]
        elif quote:
            quote = "" if c == quote else quote
            word = [*(word or ()), *([c] if quote else [])]
        elif c in _QUOTES:
            quote, word = c, word or []
        elif c not in _SPACE:
            word = [*(word or ()), c]
        elif word is not None:
            yield "".join(word)
            word = None
    if word is not None:
        yield "".join(word)
