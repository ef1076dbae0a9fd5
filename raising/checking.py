"""What `raise-check` does in its child process: names to positions, the check, the answer as text and numbers."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import Any

from affine.mlir_reader import InputError, parse
from raising.names import SourceNames
from validate.check import CheckOptions, check
from validate.pair import Assumptions
from validate.verdict import Bounded, Proved, Refuted, Tested, Unknown, Verdict, describe, level

_SIZE = re.compile(r"%?([\w$-]+)(?:\.(\d+))?=(\d{1,18})")
_KINDS = ("symmetric", "lower", "upper")


@dataclass(frozen=True)
class Question:
    """One call of the command."""

    texts: tuple[bytes, bytes]
    files: tuple[str, str]
    functions: tuple[str | None, str | None]
    level: str
    sizes: tuple[str, ...]
    assumed: tuple[str, ...]
    timeout: float
    strict: bool = False


@dataclass(frozen=True)
class Answer:
    """The level reached, a line for people and its parts; or an error (then nothing else)."""

    level: str = ""
    text: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    error: str = ""


class _Usage(Exception):
    """An option that does not fit the program."""


def answer(question: Question) -> Answer:
    """Compare the two functions of a question."""
    try:
        places = _places(question) if question.sizes or question.assumed else {}
        options = CheckOptions(
            functions=question.functions,
            files=question.files,
            level=question.level,
            sizes=dict(_size(text, places) for text in question.sizes),
            assumed=_assumptions(question.assumed, places),
            timeout=question.timeout,
            strict=question.strict,
        )
        verdict = check(*question.texts, options)
    except InputError as error:
        return Answer(error=" ".join(str(error).split()))
    except _Usage as error:
        return Answer(error=f"raise-check: error: {error}")
    return Answer(level(verdict), _line(verdict), _details(verdict))


def _line(verdict: Verdict) -> str:
    name, text = level(verdict), describe(verdict)
    parts = [text if text.startswith(name) else f"{name}: {text}"]
    if isinstance(verdict, Proved):
        parts += [f"integers: {verdict.integers}"] if verdict.integers else []
        parts += [f"floats: {verdict.floats}"] if verdict.floats else []
    return "; ".join(parts)


def _details(verdict: Verdict) -> dict[str, Any]:
    match verdict:
        case Proved():
            found = {"assumptions": verdict.assumptions, "integers": verdict.integers, "floats": verdict.floats}
            return {**found, "sizes": dict(verdict.sizes) if verdict.sizes is not None else "all"}
        case Bounded():
            return {"assumptions": verdict.assumptions, "sizes": [dict(v) for v in verdict.sizes]}
        case Refuted():
            return {"counterexample": asdict(verdict.example) if verdict.example else verdict.counterexample}
        case Tested():
            return {"field": asdict(verdict.field) if verdict.field else None, "float": _float(verdict)}
        case Unknown():
            return {"reason": verdict.reason}
    return {}


def _float(verdict: Tested) -> dict[str, Any] | None:
    return asdict(verdict.native) if verdict.native else None


# ---- names of arguments --------------------------------------------------------------------------


def _places(question: Question) -> dict[str, int]:
    """The position of each argument of the source's function, by its name there and by its number."""
    source = parse(question.texts[0], question.files[0])
    wanted = question.functions[0]
    functions = [f for f in source.functions if wanted in (None, f.name)]
    if not functions:
        return {}
    names = SourceNames(question.texts[0]).arguments(functions[0])
    return {**{str(k): k for k in range(len(names))}, **{name: k for k, name in enumerate(names)}}


def _place(name: str, places: dict[str, int]) -> int:
    if name not in places:
        known = ", ".join(n for n in places if not n.isdigit()) or "none"
        raise _Usage(f"there is no argument '{name}' (there are: {known})")
    return places[name]


def _size(text: str, places: dict[str, int]) -> tuple[str, int]:
    found = _SIZE.fullmatch(text)
    if found is None:
        raise _Usage(f"not a size: '{text}' (NAME=NUMBER, or NAME.DIMENSION=NUMBER)")
    name, dim, number = found.groups()
    k = _place(name, places)
    return (f"n{k}" if dim is None else f"a{k}_{dim}"), int(number)


def _assumptions(texts: tuple[str, ...], places: dict[str, int]) -> Assumptions:
    found: dict[str, set[str]] = {kind: set() for kind in _KINDS}
    for text in texts:
        kind, _, name = text.partition(":")
        if kind not in found:
            raise _Usage(f"unknown assumption '{text}' (known: {', '.join(f'{k}:NAME' for k in _KINDS)})")
        found[kind].add(f"a{_place(name.removeprefix('%'), places)}")
    return Assumptions(*(frozenset(found[kind]) for kind in _KINDS))
