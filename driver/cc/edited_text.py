"""Calls of raised code in the preprocessed text of a file, each behind the test of what it assumes.

No line is added, so that places stay those of the user: what is put in stands on the line where the loops begin, or
the function's body. The text that was there stays as what runs where the test fails.

    { extern void raise_cc_f_loop1(__typeof__(n), __typeof__(a));
      if (raise_cc_holds_f_loop1(n, a)) raise_cc_f_loop1(n, a); else { for (...) ... } }

Types are those of the arguments (`__typeof__`), so that they need not be spelled. A variable that a part changes is
passed as a copy where nothing else points to it: the compiler can keep it in a register then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from raising.support.record import dataclass

PREFIX = "raise_cc_"
"""What the names of raised functions begin with."""
HOLDS = f"{PREFIX}holds_"
STATIC = f"{PREFIX}static_"
"""What the second names of static variables begin with."""
_CALL = re.compile(r"(?:\{ long (?P<counts>[\w, ]+); )?\w+\((?P<arguments>.*)\);?(?: (?P<moves>.*) \})?", re.DOTALL)
_OPEN, _CLOSE = "([{", ")]}"


@dataclass(frozen=True)
class Replacement:
    """A function `name` of raised code, and what it stands for (as `SourceFunction` has it).

    `whole`: it is a whole function, which `returns` something or not. `tested`: it has a test. `long` is C that says
    whether its loops are long enough for a call, if it is not empty.
    """

    name: str
    call: str
    span: tuple[int, int]
    own: frozenset[str]
    whole: bool
    returns: bool
    tested: bool
    long: str = ""


def edited(text: bytes, replacements: Iterable[Replacement]) -> bytes:
    """The text with every replacement in it."""
    for one in sorted(replacements, key=lambda r: r.span, reverse=True):
        start, end = one.span
        written = _whole(one) if one.whole else _part(one, text[start:end].decode(errors="surrogateescape"))
        text = text[:start] + written.encode(errors="surrogateescape") + text[end:]
    return text


def second_names(symbols: Iterable[str]) -> str:
    """What gives static variables the second names that raised code has for them, behind the text of a file.

    The compiler must not take a variable for one that nothing else reads or writes.
    """
    names = sorted(symbol.removeprefix(STATIC) for symbol in symbols if symbol.startswith(STATIC))
    kept = "".join(f"static __typeof__({name}) {name} __attribute__((used)); " for name in names)
    return kept + "".join(
        f'extern __typeof__({name}) {STATIC}{name} __attribute__((alias("{name}"))); ' for name in names
    )


def _whole(one: Replacement) -> str:
    arguments = [*_arguments(one.call)]
    result = f"__typeof__({one.call})" if one.returns else "void"
    passed = ", ".join(arguments)
    call = f"{PREFIX}{one.name}({passed})"
    body = f"return {call};" if one.returns else f"{{ {call}; return; }}"
    test = _test(one, passed)
    return f" {_declared(one, result, arguments)} {f'if ({test}) ' if test else ''}{body} "


def _part(one: Replacement, text: str) -> str:
    found = _CALL.fullmatch(one.call)
    assert found is not None
    given = [*_arguments(one.call)]
    copied = {k: f"{PREFIX}{k}" for k, a in enumerate(given) if a.startswith("&") and f"{a[1:]}_at" in one.own}
    arguments = [f"&{copied[k]}" if k in copied else a for k, a in enumerate(given)]
    head = f"long {found['counts']}; " if found["counts"] else ""
    head += "".join(f"__typeof__({given[k][1:]}) {name} = {given[k][1:]}; " for k, name in copied.items())
    passed = ", ".join(arguments)
    call = f"{PREFIX}{one.name}({passed}); " + "".join(f"{given[k][1:]} = {name}; " for k, name in copied.items())
    call += found["moves"] or ""
    declared = _declared(one, "void", arguments)
    test = _test(one, passed) or "1"  # the text stays as what nothing reaches: it may hold the only use of something
    return f"{{ {head}{declared} if ({test}) {{ {call} }} else {{ {text} }} }}"


def _test(one: Replacement, passed: str) -> str:
    tests = [*([one.long] if one.long else []), *([f"{HOLDS}{one.name}({passed})"] if one.tested else [])]
    return " && ".join(tests)


def _declared(one: Replacement, result: str, arguments: list[str]) -> str:
    types = ", ".join(f"__typeof__({a})" for a in arguments) or "void"
    test = f" extern _Bool {HOLDS}{one.name}({types});" if one.tested else ""
    return f"extern {result} {PREFIX}{one.name}({types});{test}"


def arguments_of(call: str) -> tuple[str, ...]:
    """The arguments of a call, as text."""
    return tuple(_arguments(call))


def _arguments(call: str) -> Iterator[str]:
    """The arguments of a call: its text between commas that stand in no brackets."""
    found = _CALL.fullmatch(call)
    text, depth, start = found["arguments"] if found is not None else "", 0, 0
    for k, c in enumerate(text):
        depth += (c in _OPEN) - (c in _CLOSE)
        if c == "," and not depth:
            yield text[start:k].strip()
            start = k + 1
    if text.strip():
        yield text[start:].strip()
