"""S-expressions with their places: what `.egg` files are made of."""

from __future__ import annotations

import re
from pathlib import Path

from raising.support.files import read_file
from raising.support.record import dataclass

_TOKEN = re.compile(
    r"""(?P<skip>\s+|;[^\n]*)|(?P<open>\()|(?P<close>\))|(?P<string>"(?:\\.|[^"\\])*")|(?P<atom>[^\s();"]+)"""
)

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)

MAX_DEPTH = 500


class RuleError(Exception):
    """A rule file is wrong; the message begins with `file:line`."""

    def __init__(self, file: str, line: int, what: str) -> None:
        super().__init__(f"{file}:{line}: {what}")


def rule_text(path: Path) -> str:
    """The text of a rule file; `RuleError` if there is none."""
    try:
        return read_file(path).decode()
    except OSError as error:
        raise RuleError(str(path), 1, (error.strerror or "cannot be read").lower()) from error
    except UnicodeDecodeError as error:
        raise RuleError(str(path), 1, "not text in UTF-8") from error


@dataclass(frozen=True)
class Atom:
    """A symbol, number or quoted string."""

    text: str
    line: int


@dataclass(frozen=True)
class Form:
    """A list in parentheses; `line` is that of its opening one."""

    items: tuple[Sexpr, ...]
    line: int

    @property
    def head(self) -> str:
        """The first symbol, or an empty text."""
        return self.items[0].text if self.items and isinstance(self.items[0], Atom) else ""


Sexpr = Atom | Form


def read(text: str, file: str) -> list[Sexpr]:
    """The expressions of a file; `RuleError` if it is not made of such."""
    open_forms: list[tuple[int, list[Sexpr]]] = []
    done: list[Sexpr] = []
    line, position = 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise RuleError(file, line, "a quoted string that does not end")
        piece = match[0]
        here = open_forms[-1][1] if open_forms else done
        if match["open"]:
            if len(open_forms) == MAX_DEPTH:
                raise RuleError(file, line, f"more than {MAX_DEPTH} open parentheses")
            open_forms.append((line, []))
        elif match["close"]:
            if not open_forms:
                raise RuleError(file, line, "a ')' without its '('")
            start, items = open_forms.pop()
            (open_forms[-1][1] if open_forms else done).append(Form(tuple(items), start))
        elif not match["skip"]:
            here.append(Atom(piece, line))
        line += piece.count("\n")
        position = match.end()
    if open_forms:
        raise RuleError(file, open_forms[0][0], "a '(' without its ')'")
    return done


def show(expr: Sexpr) -> str:
    """The expression on one line."""
    return expr.text if isinstance(expr, Atom) else f"({' '.join(show(i) for i in expr.items)})"


def atoms(expr: Sexpr) -> list[Atom]:
    """All atoms of an expression, in order."""
    return [expr] if isinstance(expr, Atom) else [a for i in expr.items for a in atoms(i)]


def quoted(text: str) -> str:
    """A text as a string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def unquoted(literal: str) -> str:
    """The text of a string literal."""
    return _ESCAPED.sub(lambda found: "\n" if found[1] == "n" else found[1], literal[1:-1])
