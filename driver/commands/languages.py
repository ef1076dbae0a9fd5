"""C and Python as the input of the command: their options, and the conversion in a child process."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from raising.support.cli_options import isolated
from raising.support.record import dataclass, replace

if TYPE_CHECKING:
    from raising.commands.raise_task import Outcome
    from raising.frontend.c import COptions, SourceLoop, SourceModule
    from raising.frontend.lower.ir.module import Condition

READ = ("C", "C++", "Python", "MLIR")
EVERY = (*READ, "CUDA")
"""What a file may be called as where `-x` says what it is."""
GUARDED = {"c": "C", "c++": "C", "mlir": "MLIR"}
"""The languages for which there are guards, with their names."""
_IN_C = {"c": "C", "c++": "C"}
MAX_SECONDS = 60.0
MEMORY = 4 << 30
_MARK = b"\xef\xbb\xbf"  # the byte order mark, which is no part of the text


_FLAGS = (
    ("-D", "NAME[=VALUE]", "define a macro"),
    ("-U", "NAME", "undefine a macro"),
    ("-I", "DIR", "look for headers there"),
    ("-isystem", "DIR", "look for system headers there"),
    ("-include", "HEADER", "read this header first"),
    ("-std", "NAME", "the version of C, as in -std=gnu99"),
)
"""Flags of a compiler, which mean what they mean there, in the order in which they are given."""


class _Flag(argparse.Action):
    """Keeps a flag of a compiler, behind those that came before it."""

    def __call__(
        self, parser: object, namespace: argparse.Namespace, values: object, option: str | None = None
    ) -> None:
        name = self.option_strings[0]
        given = [f"{name}={values}"] if name == "-std" else [name, str(values)]
        setattr(namespace, self.dest, (*(getattr(namespace, self.dest) or ()), *given))


@dataclass(frozen=True)
class Converted:
    """A module of affine MLIR and what was said of the file; or the error (then nothing else).

    `guards` are the tests of what is assumed, if they were asked for; `loops` are those of the file. `seen` is what
    lies at places that the module hangs on besides the text of the file, as `raising.support.cache.lies` says it; None
    where that is not known.
    """

    text: str = ""
    guards: str = ""
    lines: tuple[str, ...] = ()
    complete: bool = True
    error: str = ""
    loops: tuple[SourceLoop, ...] = ()
    conditions: tuple[Condition, ...] = ()
    seen: dict[str, str] | None = None


def add_reading(parser: argparse.ArgumentParser) -> Any:
    """The options that say how C and Python are read; their group, for more of them."""
    g = parser.add_argument_group("C, C++ and Python (files that end in .c, .cpp, .cc, .cxx or .py)")
    g.add_argument(
        "-x", dest="language", choices=("c", "c++", "python", "mlir"), help="the language of FILE, whatever its name"
    )
    for flag, metavar, text in _FLAGS:
        g.add_argument(flag, dest="flags", action=_Flag, metavar=metavar, help=text)
    g.add_argument(
        "--compile-commands", metavar="FILE", help="take FILE's flags from this database (compile_commands.json)"
    )
    return g


def add_choices(group: Any) -> None:
    """The options that say what is made of C and Python."""
    group.add_argument("--function", metavar="NAME", help="only this function; what it calls is inlined")
    group.add_argument(
        "--guard",
        action="store_true",
        help="test at run time what is assumed of pointers and sizes; where it does not hold, run the loops",
    )
    group.add_argument(
        "--whole",
        action="store_true",
        help="write functions that are no loops over arrays as C has them, so that the module has them, too",
    )


def language_of(arguments: argparse.Namespace) -> str:
    """The language of the input: `c`, `c++`, `python` or `mlir`."""
    from raising.support.files import CPP

    endings = {".c": "c", ".py": "python"} | dict.fromkeys(CPP, "c++")
    return str(arguments.language or endings.get(PurePath(arguments.file).suffix, "mlir"))


def converted(data: bytes, file: str, arguments: argparse.Namespace, watched: bool = False) -> Converted:
    """The file as affine MLIR; whatever it does to the front end is an error."""
    from raising.support.isolate import Finished

    file = file.encode(errors="replace").decode()  # as text: a name may hold any bytes
    seconds = min(arguments.timeout, MAX_SECONDS)
    found = isolated(_reader(data, file, arguments, watched), seconds, MEMORY)
    if isinstance(found, Finished):
        result: Converted = found.value
        return result
    why = f"reading it takes more than {seconds:g} s" if found.timed_out else f"internal: the reader {found.reason}"
    return Converted(error=f"{file}: error: {why}")


def _reader(data: bytes, file: str, arguments: argparse.Namespace, watched: bool) -> Callable[[], Converted]:
    """The function that reads the file, in a child process."""
    from raising.frontend.c import COptions

    if language_of(arguments) == "python":
        return partial(_convert_python, data, file, arguments.function)
    options = COptions(
        function=arguments.function,
        guard=arguments.guard,
        whole=arguments.whole,
        flags=tuple(arguments.flags or ()),
        compile_commands=arguments.compile_commands,
        language=language_of(arguments),
    )
    watched = watched and arguments.compile_commands is None  # which names files that it is not known to hang on
    return partial(_convert, data, file, options, watched)


def affine_form(
    data: bytes,
    file: str,
    arguments: argparse.Namespace,
    guarded: Mapping[str, str] = _IN_C,
    watched: bool = False,
) -> Converted | None:
    """A C or Python file as affine MLIR, None for MLIR; `UserError` if it cannot be read.

    `guarded` has the languages for which the command has guards, with their names. Where it is `watched`, what the
    form hangs on besides the file is found, too.
    """
    from raising.support.files import UserError

    language = language_of(arguments)
    if arguments.guard and language not in guarded:
        raise UserError(f"{file}: error: --guard is for {' and '.join(dict.fromkeys(guarded.values()))}")
    if arguments.whole and language not in _IN_C:
        raise UserError(f"{file}: error: --whole is for C and C++")
    if language == "mlir":
        return None
    found = converted(data, file, arguments, watched)
    if found.error:
        raise UserError(found.error)
    return found


def told(outcome: Outcome, read: Converted | None, file: str) -> Outcome:
    """What became of a module, with what there is to say of the file that it was read from, in its order."""
    if read is None:
        return outcome
    from raising.report.loop_fates import counts, fates, in_order, stays_in_c

    numbers = outcome.statistics or {}
    found = fates(read.loops, numbers.get("functions", []))
    lines = in_order((*read.lines, *stays_in_c(found), *outcome.lines), file)
    if read.loops:
        numbers = {**numbers, "loops": {**counts(found), "list": [fate.record() for fate in found]}}
    return replace(outcome, lines=tuple(lines), statistics=numbers)


def with_guards(text: str, guards: str, file: str) -> str:
    """The raised module with a guard in each function of which something is assumed."""
    from raising.support.files import UserError
    from raising.support.isolate import Finished

    found = isolated(partial(_with_guards, text, guards), MAX_SECONDS, MEMORY)
    if not isinstance(found, Finished):
        raise UserError(f"{file}: error: internal: the guards {found.reason}; nothing was written")
    if found.value is None:
        raise UserError(f"{file}: error: --guard is for functions that keep their arguments in memory")
    return found.value


def _with_guards(text: str, guards: str) -> str | None:
    from raising.emit.versioning import OnTensors, guarded

    try:
        return guarded(text, guards)
    except OnTensors:
        return None


def _convert_python(data: bytes, file: str, function: str | None) -> Converted:
    from raising.frontend.python import convert

    return replace(_said(lambda: convert(_decoded(data, file), file, function), file, "assumed"), seen={})


def _convert(data: bytes, file: str, options: COptions, watched: bool) -> Converted:
    from raising.frontend.c import convert

    word = "tested at run time" if options.guard else "assumed"
    seen: list[dict[str, str] | None] = []
    watch = seen.append if watched else None
    found = _said(lambda: convert(_decoded_c(data), file, options, watch), file, word)
    return replace(found, seen=seen[0] if seen else None)


def _said(convert: Callable[[], SourceModule], file: str, word: str) -> Converted:
    from raising.support.errors import InputError

    try:
        module = convert()
    except InputError as error:
        return Converted(error=" ".join(str(error).split()))
    except RecursionError:
        return Converted(error=f"{file}: error: it is nested too deeply to be read")
    lines = [f"{r.place}: remark: {r.reason}" for r in (*module.refused, *module.remarks)]
    lines += [f"{r.place}: remark: {word} {r.reason}" for r in module.assumptions]
    complete = not module.refused
    return Converted(module.mlir, module.guards, tuple(lines), complete, "", module.loops, module.conditions)


def _decoded_c(data: bytes) -> str:
    """The text of a C file; older ones have comments in Latin-1, in which every byte is a character."""
    try:
        return data.removeprefix(_MARK).decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _decoded(data: bytes, file: str) -> str:
    from raising.support.errors import InputError
    from raising.support.source import Loc

    try:
        return data.removeprefix(_MARK).decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = error.start - (before.rfind(b"\n") + 1) + 1
        raise InputError(Loc(file, before.count(b"\n") + 1, column), "not text in UTF-8") from None
