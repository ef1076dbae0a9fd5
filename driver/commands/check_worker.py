"""The child process of `raise-check`: it resolves names to positions, runs the check, and writes the answer."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import asdict, field, replace
from typing import Any

from mlir import ir

from raising.frontend.lower.ir.module import Condition
from raising.frontend.mlir.reader import InputError, parse
from raising.frontend.mlir.variables import argument_symbols, variables
from raising.report.source_names import SourceNames, in_names
from raising.support.record import dataclass
from raising.validate.base.assumption import Assumption
from raising.validate.base.verdict import Bounded, Proved, Refuted, Tested, Unknown, Verdict, assuming, describe, level
from raising.validate.check import LEVELS, CheckOptions, check
from raising.validate.reading.pair import Assumptions

_SIZE = re.compile(r"%?([\w$-]+)(?:\.(\d+))?=(-?\d{1,18})")
_INTEGER = re.compile(r"-?\d+$")
_MOST = 128  # arguments whose numbers are looked at
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
    conditions: tuple[tuple[Condition, ...], ...] = ((), ())


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
        given = _given(question)
        options = CheckOptions(
            functions=question.functions,
            files=question.files,
            level=question.level,
            lowest=max(question.level, "tested-field", key=LEVELS.index),
            sizes=_sizes(question, given),
            assumed=replace(_assumptions(question.assumed, given), sizes=_of_sizes(question)),
            timeout=question.timeout,
            strict=question.strict,
        )
        verdict = _as_assumed(check(*question.texts, options), question)
    except InputError as error:
        return Answer(error=" ".join(str(error).split()))
    except _Usage as error:
        return Answer(error=f"raise-check: error: {error}")
    names = [one.name for one in given]
    names += [name for name in _variables(question) if name not in names]
    return Answer(level(verdict), in_names(_line(verdict), names), {**_details(verdict, names), "arguments": names})


def _of_sizes(question: Question) -> tuple[tuple[frozenset[str], str], ...]:
    """What is assumed of C and Python, as far as sizes alone meet it."""
    return tuple(one for condition, _ in _conditions(question) for one in condition.of_sizes())


def _conditions(question: Question) -> list[tuple[Condition, str]]:
    """What is assumed of C and Python in the functions that are compared, and for which side."""
    sides = zip(question.functions, question.conditions, ("source", "target"), strict=True)
    return [(each, side) for name, given, side in sides for each in given if name in (None, each.function)]


def _as_assumed(verdict: Verdict, question: Question) -> Verdict:
    """The verdict with what is assumed of C and Python; unknown if that leaves its counterexample out."""
    conditions = _conditions(question)
    if not isinstance(verdict, Refuted):
        return assuming(verdict, tuple(Assumption("reader", c.text, c.place, side) for c, side in conditions))
    if verdict.example is None:
        return verdict
    named = dict.fromkeys((f"a{k}" for k in range(_MOST)), 0)  # inputs that are zero are not listed
    named |= {re.sub("^n", "a", name): number for name, number in verdict.example.sizes}
    named |= {name: int(value) for name, index, value in verdict.example.inputs if not index and _INTEGER.match(value)}
    failing = next((each for each, _ in conditions if each.fails(named)), None)
    if failing is None:
        return verdict
    return Unknown(f"where it is not so that {failing.text}, as is assumed, {verdict.counterexample}")


def _line(verdict: Verdict) -> str:
    name, text = level(verdict), describe(verdict)
    parts = [text if text.startswith(name) else f"{name}: {text}"]
    if isinstance(verdict, Proved):
        parts += [f"integers: {verdict.integers}"] if verdict.integers else []
        parts += [f"floats: {verdict.floats}"] if verdict.floats else []
    return "; ".join(parts)


def _records(verdict: Proved | Bounded | Tested, names: list[str]) -> list[dict[str, str]]:
    """The assumptions as JSON, in the names of the source."""
    return [{**a.record(), "condition": in_names(a.condition, names)} for a in verdict.assumptions]


def _details(verdict: Verdict, names: list[str]) -> dict[str, Any]:
    match verdict:
        case Proved():
            found = {"assumptions": _records(verdict, names), "integers": verdict.integers, "floats": verdict.floats}
            return {**found, "sizes": dict(verdict.sizes) if verdict.sizes is not None else "all"}
        case Bounded():
            return {"assumptions": _records(verdict, names), "sizes": [dict(v) for v in verdict.sizes]}
        case Refuted():
            return {"counterexample": asdict(verdict.example) if verdict.example else verdict.counterexample}
        case Tested():
            assumptions = {"assumptions": _records(verdict, names)}
            return {**assumptions, "field": asdict(verdict.field) if verdict.field else None, "float": _float(verdict)}
        case Unknown():
            return {"reason": verdict.reason}
    return {}


def _float(verdict: Tested) -> dict[str, Any] | None:
    return asdict(verdict.native) if verdict.native else None


# ---- arguments -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Argument:
    """An argument of the source's function: its name there, extents (None for `?`; none for a scalar), is it a size."""

    name: str
    shape: tuple[int | None, ...]
    is_size: bool

    def open(self) -> list[str]:
        """The names that `--size` has for its open sizes."""
        return [self.name] if self.is_size else [f"{self.name}.{d}" for d, n in enumerate(self.shape) if n is None]


def _given(question: Question) -> list[_Argument]:
    """The arguments of the source; none if upstream's MLIR does not know its dialect and nothing depends on them."""
    try:
        source = parse(question.texts[0], question.files[0])
    except InputError:
        if question.sizes or question.assumed:
            raise
        return []
    wanted = question.functions[0]
    functions = [f for f in source.functions if wanted in (None, f.name)]
    if len(functions) != 1:
        return []  # the check says what is wrong
    names = SourceNames(question.texts[0]).arguments(functions[0])
    with source.context:
        found = [_argument(n, v.type) for n, v in zip(names, functions[0].block.arguments, strict=True)]
        constant = _constants(source.module, functions[0].op)
        return [each for k, each in enumerate(found) if k not in constant]


def _variables(question: Question) -> list[str]:
    """The variables that the target uses, which are arguments behind those of the source."""
    with suppress(InputError):
        source = parse(question.texts[1], question.files[1], functions=False)
        with source.context:
            functions = [op.operation for op in source.module.body.operations if op.operation.name == "func.func"]
            wanted = [op for op in functions if question.functions[1] in (None, op.attributes["sym_name"].value)]
            return [symbol for op in wanted for symbol in argument_symbols(op).values()]
    return []


def _constants(module: Any, function: Any) -> set[int]:
    """The arguments that stand for constants of the module, which a comparison has inside."""
    known = variables(module)
    return {k for k, name in argument_symbols(function).items() if name in known and known[name].constant}


def _argument(name: str, kind: Any) -> _Argument:
    if isinstance(kind, ir.MemRefType | ir.RankedTensorType):
        shape = (None if kind.is_dynamic_dim(d) else int(kind.shape[d]) for d in range(kind.rank))
        return _Argument(name, tuple(shape), False)
    return _Argument(name, (), isinstance(kind, ir.IndexType | ir.IntegerType))


def _place(name: str, given: list[_Argument]) -> int:
    """The position of an argument, by its name or by its number."""
    names = [one.name for one in given]
    if name in names:
        return names.index(name)
    if name.isdigit() and int(name) < len(names):
        return int(name)
    raise _Usage(f"there is no argument '{name}' (there are: {', '.join(names) or 'none'})")


def _sizes(question: Question, given: list[_Argument]) -> dict[str, int]:
    """The numbers of `--size`, by the names that sizes have in a pair."""
    found: dict[str, int] = {}
    for text in question.sizes:
        if question.level == "proved-all-sizes":
            raise _Usage("--size fixes a size: there is no proof for all sizes then (use --level proved-this-size)")
        name, number = _size(text, given)
        if name in found:
            raise _Usage(f"two numbers for one size: '{text}'")
        found[name] = number
    return found


def _size(text: str, given: list[_Argument]) -> tuple[str, int]:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise _Usage(f"not a size: '{text}' (NAME=NUMBER, or NAME.DIMENSION=NUMBER)")
    name, dim, number = match.groups()
    if dim is not None and int(number) < 0:
        raise _Usage(f"an extent is at least 0: '{text}'")
    k = _place(name, given)
    one = given[k]
    if (one.name if dim is None else f"{one.name}.{int(dim)}") not in one.open():
        known = ", ".join(n for a in given for n in a.open()) or "none"
        raise _Usage(f"'{text.partition('=')[0]}' is no open size (open are: {known})")
    return (f"n{k}" if dim is None else f"a{k}_{int(dim)}"), int(number)


def _assumptions(texts: tuple[str, ...], given: list[_Argument]) -> Assumptions:
    found: dict[str, set[str]] = {kind: set() for kind in _KINDS}
    for text in texts:
        kind, _, name = text.partition(":")
        if kind not in found:
            raise _Usage(f"unknown assumption '{text}' (known: {', '.join(f'{k}:NAME' for k in _KINDS)})")
        k = _place(name.removeprefix("%"), given)
        shape = given[k].shape
        if len(shape) != 2 or None not in shape and shape[0] != shape[1]:
            raise _Usage(f"'{text}': {given[k].name} is no square matrix")
        found[kind].add(f"a{k}")
    symmetric, lower, upper = (frozenset(found[kind]) for kind in _KINDS)
    return Assumptions(symmetric, lower, upper)
