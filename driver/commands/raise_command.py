"""The command `raise`. Only the standard library is imported here, so that `--help` is immediate."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from raising.commands.languages import (
    EVERY,
    GUARDED,
    MAX_SECONDS,
    READ,
    Converted,
    add_choices,
    add_reading,
    affine_form,
    language_of,
    told,
    with_guards,
)
from raising.commands.split_input import add_splitting, complain, joined, modules, unsplit
from raising.support.cli_options import (
    DONE,
    MEMORY,
    Parser,
    add_cache,
    finish,
    isolated,
    isolated_telling,
    seconds,
    write,
)
from raising.support.record import replace
from raising.support.streams import interruptible, say

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from raising.commands.kept_answers import Kept
    from raising.commands.raise_task import Outcome, Task
    from raising.grammar.open_target import Opened
    from raising.support.isolate import Failed, Finished

    Worker = Callable[[Task, float], Finished[Outcome] | Failed]

LEFT_OVER = 1
GRACE = 0.5  # seconds beyond the timeout after which the work is ended from outside

DESCRIPTION = """\
Find the tensor program that affine loops compute, and write it in their place.
Loops that cannot be raised stay as they are, with a remark that says where and why."""

EMIT = "instead of the module: the loops as affine MLIR, nothing raised; or what was raised as readable Python"

SERVE = "be ready, and do the commands that are started from now on, until none has come for half an hour"

EPILOG = """\
exit status: 0 done; 1 a loop is left and --require-all is given; 2 bad input or usage"""


class _Version(argparse.Action):
    """Looks the versions up only when they are asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"raise {version('raise-tensor')}, MLIR {version('xtc-mlir-python-bindings')}")
        parser.exit()


class _Serve(argparse.Action):
    """Imports what commands need, and does them, where it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from raising.commands.serving import serve

        parser.exit(serve())


def parser() -> Parser:
    """The options of the command."""
    p = Parser("raise", DESCRIPTION, EPILOG)
    p.add_argument(
        "file", metavar="FILE", nargs="?", help="a module in MLIR (text or bytecode), or C; - is standard input"
    )
    p.add_argument(
        "-o", metavar="OUT", dest="output", help="write the module to OUT; if anything fails, OUT stays as it was"
    )
    add_splitting(p)
    _add_ways(p)
    _add_switches(p)
    reading = add_reading(p)
    add_choices(reading)
    reading.add_argument("--emit", choices=("affine", "numpy", "jax"), help=EMIT)
    p.add_argument("--stats", metavar="FILE", help="write what was enumerated, filtered and found to FILE, as JSON")
    p.add_argument("--explain", action="store_true", help="say what each part of the loops computes")
    p.add_argument("--require-all", action="store_true", help="exit status 1 if a loop is left")
    p.add_argument("-v", "--verbose", action="store_true", help="say how much was searched")
    p.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    p.add_argument("--serve", action=_Serve, nargs=0, help=SERVE)
    return p


def _add_ways(p: argparse.ArgumentParser) -> None:
    """The options that are fields of `RaiseOptions`."""
    p.add_argument(
        "--target",
        default="linalg",
        metavar="NAME",
        help="the dialect to raise to (default: linalg), or the path of a .toml file that describes one",
    )
    add_cache(p)
    p.add_argument(
        "--abi",
        default="memref",
        choices=("memref", "tensor"),
        help="keep each function's signature (memref, default), or make it a function from tensors to tensors",
    )
    p.add_argument(
        "--timeout",
        type=seconds,
        default=600.0,
        metavar="S",
        help="seconds for everything; what is not raised by then stays (default: 600)",
    )
    p.add_argument(
        "--check",
        default="native",
        choices=("none", "field", "proof", "native", "full"),
        help="after the search: nothing more, fresh points in a finite field, also the proof for all sizes, "
        "also a native run (default), at smaller sizes where there is a proof and it would take long, or a full one",
    )
    p.add_argument(
        "--strict-fp",
        action="store_true",
        help="keep loops that are not proved to round alike: the same operations on floats in the same order",
    )


def _add_switches(p: argparse.ArgumentParser) -> None:
    """The options that are fields of `raising.synth.search.Options`: each switches off one part, to measure its
    worth.
    """
    g = p.add_argument_group("switches of the search")
    g.add_argument("--guides", metavar="LIST", help="only these guides from the loops' polyhedral form, as in a,b,c")
    g.add_argument("--no-guide", action="store_true", help="no guide at all")
    g.add_argument("--no-oe", action="store_true", help="keep programs that compute the same (no equivalence)")
    g.add_argument("--no-types", action="store_true", help="enumerate operands that do not fit, and turn them away")
    g.add_argument("--no-backward", action="store_true", help="do not complete programs from the goal backwards")
    g.add_argument("--max-ops", type=_count, metavar="N", help="the largest program for one part of the loops")
    g.add_argument("--threads", type=_count, default=1, metavar="N", help="search in N processes (default: 1)")


def _switches(arguments: argparse.Namespace) -> dict[str, Any]:
    """The switches as fields of `raising.synth.search.Options`."""
    given: dict[str, Any] = {
        "equivalence": not arguments.no_oe,
        "types": not arguments.no_types,
        "backward": not arguments.no_backward,
        "max_ops": arguments.max_ops,
    }
    if arguments.no_guide:
        given["guides"] = frozenset()
    elif arguments.guides is not None:
        given["guides"] = frozenset(name for name in arguments.guides.split(",") if name)
    return given


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 1000:
        raise argparse.ArgumentTypeError(f"not a number from 1 to 999: '{text}'")
    return int(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    return finish(lambda: _run(parser().parsed(argv)))


def _run(arguments: argparse.Namespace) -> int:
    from raising.commands.kept_answers import Kept
    from raising.commands.raise_task import Outcome
    from raising.support.files import check_outputs, read_input

    data, file = read_input(arguments.file, READ if arguments.language is None else EVERY)
    unsplit(arguments, file)
    named = not arguments.target.endswith(".toml")  # what lies at a path is looked at in any case
    target = arguments.target if named else _target(arguments)
    kept = Kept("raise", data, arguments, target) if arguments.cache else None
    known = kept.read(Outcome) if kept is not None else None
    if known is None:
        target = _target(arguments) if named else target
    check_outputs((arguments.output, arguments.stats))
    in_place = arguments.output if language_of(arguments) == "mlir" and not arguments.emit else None
    check_outputs([path for path in (arguments.output, arguments.stats) if path != in_place], (arguments.file,))
    if known is None:
        outcome = _answered(arguments, data, file, target, kept)
    else:
        outcome = replace(known, statistics={**(known.statistics or {}), "cached": True})
    for line in outcome.lines:
        say(line)
    if kept is not None and kept.note:
        say(f"{file}: {kept.note}")
    _write(outcome, arguments)
    return LEFT_OVER if arguments.require_all and not outcome.complete else DONE


def _answered(
    arguments: argparse.Namespace, data: bytes, file: str, target: str | Opened, kept: Kept | None
) -> Outcome:
    """The answer to the input, which is kept for later calls."""
    from raising.commands.raise_task import Outcome, Task

    started = time.monotonic()
    terminal = os.dup(2) if os.isatty(2) else None
    with _beginning(arguments) as worker:
        read = affine_form(data, file, arguments, GUARDED, watched=kept is not None)
        if read is not None and arguments.emit == "affine":
            text = _finished(read.text, read, file)
            outcome = Outcome(text, read.lines, read.complete, statistics={})
        else:
            _refuse(arguments, read, file)
            task = Task(
                data if read is None else read.text.encode(),
                file,
                target,
                arguments.timeout,
                started,
                _options(arguments, guard=arguments.guard and read is None),
                explain=arguments.explain,
                verbose=arguments.verbose,
                terminal=terminal,
            )
            outcome = _raised(arguments, task, read, worker)
    seen = {} if read is None else read.seen
    if kept is not None and not outcome.cut and not any("internal error" in line for line in outcome.lines):
        from dataclasses import asdict

        kept.write(asdict(outcome), seen, time.monotonic() - started, arguments.timeout)
    return outcome


def _beginning(arguments: argparse.Namespace) -> AbstractContextManager[Worker | None]:
    """A child that imports what raising needs while another one reads the file; None where nothing has to be read."""
    if language_of(arguments) == "mlir" or arguments.emit == "affine":
        return nullcontext()
    from raising.commands.raise_worker import prepare, work
    from raising.support.isolate import waiting

    return waiting(prepare, work, timeout=arguments.timeout + GRACE, extra_bytes=MEMORY)


def _options(arguments: argparse.Namespace, guard: bool) -> dict[str, Any]:
    """The fields of `RaiseOptions` that the command line gives."""
    ways = {name: getattr(arguments, name) for name in ("abi", "check", "cache", "threads", "strict_fp")}
    return {**ways, "search": _switches(arguments), "guard": guard}


def _raised(arguments: argparse.Namespace, task: Task, read: Converted | None, worker: Worker | None) -> Outcome:
    """The outcome of raising the loops of the input, with all remarks."""
    found = [_isolated(replace(task, data=module), worker) for module in modules(task.data, arguments.split)]
    outcome = told(_one(found), read, task.file)
    if any(one.error for one in found):
        for line in outcome.lines:
            say(line)
        complain(one.error for one in found)
    outcome = _in_python(outcome, task.file, arguments.emit) if arguments.emit else outcome
    complete = outcome.complete and (read is None or read.complete)
    return replace(outcome, text=_finished(outcome.text, read, task.file), complete=complete)


def _refuse(arguments: argparse.Namespace, read: Converted | None, file: str) -> None:
    """`UserError` for options that go with another language, or not with each other."""
    from raising.support.files import UserError

    if read is None and arguments.emit == "affine":
        raise UserError(f"{file}: error: --emit affine is for C and Python")
    if arguments.emit and arguments.split:
        raise UserError(f"{file}: error: --split-input-file joins modules: no --emit {arguments.emit}")
    if arguments.emit and arguments.guard:
        raise UserError(f"{file}: error: --guard tests addresses, which Python has not: --emit {arguments.emit}")
    if arguments.emit and arguments.whole:
        raise UserError(f"{file}: error: --whole writes loops over memory in a module: no --emit {arguments.emit}")


def _one(found: list[Outcome]) -> Outcome:
    """The outcomes of the modules of a file, joined to one."""
    if len(found) == 1:
        return found[0]
    from raising.commands.raise_task import Outcome

    numbers = [one.statistics or {} for one in found]
    merged = {
        "functions": [f for each in numbers for f in each.get("functions", [])],
        "seconds": round(sum(each.get("seconds", 0.0) for each in numbers), 4),
    }
    return Outcome(
        text=joined(one.text for one in found),
        lines=tuple(line for one in found for line in one.lines),
        complete=all(one.complete for one in found),
        statistics={**numbers[0], **merged},
        cut=any(one.cut for one in found),
    )


def _in_python(outcome: Outcome, file: str, language: str) -> Outcome:
    """The raised module as Python, with a line for each function that has no form there."""
    from raising.support.files import UserError
    from raising.support.isolate import Finished

    functions = (outcome.statistics or {}).get("functions", [])
    names = {f["name"]: tuple(f["arguments"]) for f in functions}
    found = isolated(partial(_said, outcome.text, language, names), MAX_SECONDS, MEMORY)
    if not isinstance(found, Finished):
        raise UserError(f"{file}: error: internal: writing Python {found.reason}; nothing was written")
    text, refused = found.value
    said = (f"{file}: remark: function '{f}' is not written for {language}: {why}" for f, why in refused.items())
    complete = outcome.complete and not refused
    return replace(outcome, text=text, lines=(*outcome.lines, *said), complete=complete)


def _said(text: str, language: str, names: dict[str, tuple[str, ...]]) -> tuple[str, dict[str, str]]:
    from raising.readable.to_source import to_source

    found = to_source(text, language, names)
    return found.text, dict(found.refused)


def _finished(text: str, read: Converted | None, file: str) -> str:
    """The module with the guards that it needs."""
    return with_guards(text, read.guards, file) if read is not None and read.guards else text


def _target(arguments: argparse.Namespace) -> str | Opened:
    """The name of a target of the package, or what lies at a path, before any work: to build that is not timed."""
    from raising.grammar.dialects.committed import known
    from raising.support.files import UserError

    if arguments.target in known():
        return str(arguments.target)
    from raising.grammar.dialects.load import UnknownTarget
    from raising.grammar.dialects.target_dialect import UnusableTarget
    from raising.grammar.open_target import open_target

    try:
        return open_target(arguments.target, arguments.cache)
    except (UnknownTarget, UnusableTarget) as error:
        raise UserError(f"raise: error: {error}") from None


def _isolated(task: Task, worker: Worker | None) -> Outcome:
    """Do the work in a child process, of which some have been begun: some inputs crash MLIR, some searches cannot be
    stopped otherwise.
    """
    from raising.commands.raise_task import Outcome
    from raising.commands.raise_worker import work
    from raising.support.isolate import Finished, failure

    seconds = task.timeout + GRACE - (time.monotonic() - task.started)
    found = None
    try:
        if worker is None:
            found = isolated_telling(partial(work, task), seconds)
        else:
            with interruptible():
                found = worker(task, seconds)
    finally:
        if task.terminal is not None and not isinstance(found, Finished):
            os.write(task.terminal, b"\r\x1b[2K\x1b[?25h")  # the progress line that the child left
    if isinstance(found, Finished):
        return found.value
    if found.timed_out and isinstance(found.told, Outcome):
        return replace(found.told, cut=True)
    if found.timed_out:
        line = f"{task.file}: remark: all loops kept: nothing was finished after {task.timeout:g} s"
        numbers = {"file": task.file, "target": task.target_name, "functions": [], "seconds": task.timeout}
        return Outcome(task.data.decode(errors="surrogateescape"), (line,), False, numbers, cut=True)
    return Outcome(error=failure(task.file, found))


def _write(outcome: Outcome, arguments: argparse.Namespace) -> None:
    write(outcome.text.encode(errors="surrogateescape"), arguments.output)
    if arguments.stats:
        import json

        write((json.dumps(outcome.statistics, indent=2) + "\n").encode(), arguments.stats)


if __name__ == "__main__":
    sys.exit(main())
