"""The command `raise-compile`. Only the standard library is imported here, so that `--help` is immediate."""

from __future__ import annotations

import argparse
import sys
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

from raising.commands.languages import EVERY, READ, add_choices, add_reading, affine_form, language_of
from raising.commands.split_input import add_splitting, complain, joined, modules, unsplit
from raising.support.cli_options import (
    DONE,
    MEMORY,
    Parser,
    add_cache,
    count,
    finish,
    is_awaited,
    isolated,
    seconds,
    write,
)
from raising.support.record import replace
from raising.support.streams import interruptible, say

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from raising.commands.compile_worker import Outcome, Task
    from raising.commands.kept_answers import Kept
    from raising.support.isolate import Failed, Finished

    Worker = Callable[[Task, float], Finished[Outcome] | Failed]

DESCRIPTION = """\
Compile a module to machine code: an object file or a shared library for C, or text. A file in C or Python
is raised and optimised first, as by raise and raise-opt.
Loops and tensor programs can be mixed. A function keeps its name and its parameters;
arrays become row-major pointers, unknown sizes follow their pointer."""

EPILOG = """\
exit status: 0 done; 2 bad input or usage"""


def parser() -> Parser:
    """The options of the command."""
    p = Parser("raise-compile", DESCRIPTION, EPILOG)
    p.add_argument(
        "file", metavar="FILE", nargs="?", help="a module in MLIR (text or bytecode), C or Python; - is MLIR"
    )
    p.add_argument(
        "-o", metavar="OUT", dest="output", help="the file to write: an object, or a library if it ends in .so"
    )
    p.add_argument("--header", metavar="FILE", help="also write a C header")
    p.add_argument("--backend", default="mlir", choices=("mlir", "blas", "xla", "auto"), help="what makes the code")
    p.add_argument("--blas-lib", metavar="PATH", help="the library with BLAS's C interface to link with")
    p.add_argument(
        "--target-cpu", default="native", metavar="CPU", help="native (default), x86-64-v3, or another name of LLVM's"
    )
    p.add_argument("--target", default="", metavar="TRIPLE", help="another machine, as in aarch64-linux-gnu")
    p.add_argument("--threads", type=count, default=1, metavar="N", help="threads that a call may use (default: 1)")
    p.add_argument(
        "--fp",
        default="",
        choices=("strict", "reassoc", "fast"),
        help="arithmetic as written, sums in any order (default, where no function says strict), or no NaN besides",
    )
    p.add_argument("--emit", choices=("llvm", "asm", "mlir"), help="text instead of code: standard output, or -o")
    add_splitting(p)
    add_choices(add_reading(p))
    p.add_argument("--timeout", type=seconds, default=300.0, metavar="S", help="seconds for everything (default: 300)")
    add_cache(p)
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    return finish(lambda: _run(parser().parsed(argv)))


def _run(arguments: argparse.Namespace) -> int:
    from raising.support.files import UserError

    if not arguments.output and not arguments.emit:
        raise UserError("raise-compile: error: nowhere to write to: give -o FILE, or --emit")
    if arguments.split and (not arguments.emit or arguments.header):
        raise UserError("raise-compile: error: --split-input-file joins text: give --emit, and no --header")
    with _reading(arguments) as worker:
        return _compile(arguments, worker)


def _reading(arguments: argparse.Namespace) -> AbstractContextManager[Worker | None]:
    """A child that gets ready while another program makes the input; None where nobody does, or for many modules."""
    if arguments.split or language_of(arguments) != "mlir" or not is_awaited(arguments.file):
        return nullcontext()
    from raising.commands.compile_worker import prepare, worked
    from raising.support.isolate import waiting

    return waiting(prepare, worked, timeout=arguments.timeout, extra_bytes=MEMORY)


def _compile(arguments: argparse.Namespace, worker: Worker | None) -> int:
    from raising.commands.kept_answers import Kept
    from raising.support.files import check_outputs, read_input

    data, file = read_input(arguments.file, READ if arguments.language is None else EVERY)
    unsplit(arguments, file)
    if arguments.target:  # which decides what `char` is, and what a header defines
        arguments.flags = (*(arguments.flags or ()), f"--target={arguments.target}")
    check_outputs((arguments.output, arguments.header), (arguments.file,))
    form = arguments.emit or ("so" if arguments.output.endswith(".so") else "o")
    kept = Kept("raise-compile", data, arguments, form) if arguments.cache and arguments.backend == "mlir" else None
    outcome = (kept and kept.read(_restored)) or _answered(arguments, data, file, form, kept, worker)
    for line in outcome.lines:
        say(line)
    if kept is not None and kept.note:
        say(f"{file}: {kept.note}")
    write(outcome.code, arguments.output)
    if arguments.header:
        write(outcome.header.encode(), arguments.header)
    return DONE


def _restored(code: str, header: str, lines: list[str]) -> Outcome:
    """An answer as it was kept."""
    from raising.commands.compile_worker import Outcome

    return Outcome(b64decode(code), header, tuple(lines))


def _answered(
    arguments: argparse.Namespace, data: bytes, file: str, form: str, kept: Kept | None, begun: Worker | None
) -> Outcome:
    """The answer to the input, which is kept for later calls."""
    from raising.commands.compile_worker import Task
    from raising.native.base.compile_options import CompileOptions
    from raising.native.base.unsupported import CompileError
    from raising.support.files import UserError

    started = time.monotonic()
    try:
        given = arguments.backend, arguments.target_cpu, arguments.threads, arguments.fp, arguments.blas_lib
        options = CompileOptions(*given, triple=arguments.target)
    except CompileError as error:
        raise UserError(f"raise-compile: error: {error}") from None
    with nullcontext(begun) if begun is not None else _beginning(arguments) as worker:
        read = affine_form(data, file, arguments, watched=kept is not None)
        text = data if read is None else read.text.encode()
        task = Task(text, file, form, arguments.header, options, arguments.timeout, read, cache=arguments.cache)
        parts = modules(text, arguments.split)
        found = [_found(replace(task, data=module), arguments.timeout, worker) for module in parts]
    outcome = replace(found[0], lines=tuple(line for one in found for line in one.lines))
    if any(one.error for one in found):
        for line in outcome.lines:
            say(line)
        complain(one.error for one in found)
    if arguments.split:
        outcome = replace(outcome, code=joined(one.code.decode() for one in found).encode())
    if kept is not None and not any(": to raise them " in line for line in outcome.lines):
        answer = {"code": b64encode(outcome.code).decode(), "header": outcome.header, "lines": outcome.lines}
        kept.write(answer, {} if read is None else read.seen, time.monotonic() - started, arguments.timeout)
    return outcome


def _beginning(arguments: argparse.Namespace) -> AbstractContextManager[Worker | None]:
    """A child that imports what compiling needs while another one reads the file; None where nothing has to be read."""
    if language_of(arguments) == "mlir":
        return nullcontext()
    from raising.commands import compile_worker
    from raising.support.isolate import waiting

    begun = compile_worker.Worker(arguments.timeout)
    return waiting(begun.prepare, begun.work, timeout=arguments.timeout, extra_bytes=MEMORY)


def _found(task: Task, timeout: float, worker: Worker | None = None) -> Outcome:
    """The child's outcome for a task; if raising crashes the child, its outcome for the loops as they are."""
    from raising.commands.compile_worker import Outcome, work
    from raising.support.isolate import Finished, failure

    with interruptible():
        found = worker(task, timeout) if worker is not None else isolated(partial(work, task), timeout)
    if isinstance(found, Finished):
        return found.value
    if task.read is None or not task.raising:
        return Outcome(error=failure(task.file, found))
    again = _found(replace(task, raising=False), timeout)
    why = f"{task.file}: remark: the loops are compiled as they are: to raise them {found.reason}"
    return again if again.error else replace(again, lines=(*again.lines, why))


if __name__ == "__main__":
    sys.exit(main())
