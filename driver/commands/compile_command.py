"""The command `raise-compile`. Only the standard library is imported here, so that `--help` is immediate."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from raising.support.cli_options import DONE, Parser, count, finish, isolated, seconds, write
from raising.support.record import dataclass

if TYPE_CHECKING:
    from raising.native.base.compile_options import CompileOptions

DESCRIPTION = """\
Compile a module to machine code: an object file or a shared library for C, or text.
Loops and tensor programs can be mixed. A function keeps its name and its parameters;
arrays become row-major pointers, unknown sizes follow their pointer."""

EPILOG = """\
exit status: 0 done; 2 bad input or usage"""


@dataclass(frozen=True)
class Task:
    """One call of the command; `form` is `o`, `so`, or what `--emit` takes."""

    data: bytes
    file: str
    form: str
    header: str | None
    options: CompileOptions


@dataclass(frozen=True)
class Outcome:
    """The bytes to write, or the error (then nothing else)."""

    code: bytes = b""
    header: str = ""
    error: str = ""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    p = Parser("raise-compile", DESCRIPTION, EPILOG)
    p.add_argument("file", metavar="FILE", help="a module in MLIR, as text or bytecode; - is standard input")
    p.add_argument(
        "-o", metavar="OUT", dest="output", help="the file to write: an object, or a library if it ends in .so"
    )
    p.add_argument("--header", metavar="FILE", help="also write a C header")
    p.add_argument("--backend", default="mlir", choices=("mlir", "blas", "xla", "auto"), help="what makes the code")
    p.add_argument("--blas-lib", metavar="PATH", help="the library with BLAS's C interface to link with")
    p.add_argument(
        "--target-cpu", default="native", metavar="CPU", help="native (default), x86-64-v3, or another name of LLVM's"
    )
    p.add_argument("--threads", type=count, default=1, metavar="N", help="threads that a call may use (default: 1)")
    p.add_argument(
        "--fp",
        default="reassoc",
        choices=("strict", "reassoc", "fast"),
        help="arithmetic as written, sums in any order (default), or finite values only",
    )
    p.add_argument("--emit", choices=("llvm", "asm", "mlir"), help="text instead of code: standard output, or -o")
    p.add_argument("--timeout", type=seconds, default=300.0, metavar="S", help="seconds for everything (default: 300)")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    return finish(lambda: _run(parser().parse_args(argv)))


def _run(arguments: argparse.Namespace) -> int:
    from raising.native.base.compile_options import CompileOptions
    from raising.native.base.unsupported import CompileError
    from raising.support.files import UserError, check_output, read_input
    from raising.support.isolate import Finished, failure

    if not arguments.output and not arguments.emit:
        raise UserError("raise-compile: error: nowhere to write to: give -o FILE, or --emit")
    data, file = read_input(arguments.file)
    for path in (arguments.output, arguments.header):
        if path:
            check_output(path)
    try:
        options = CompileOptions(
            arguments.backend, arguments.target_cpu, arguments.threads, arguments.fp, arguments.blas_lib
        )
    except CompileError as error:
        raise UserError(f"raise-compile: error: {error}") from None
    form = arguments.emit or ("so" if arguments.output.endswith(".so") else "o")
    task = Task(data, file, form, arguments.header, options)
    found = isolated(partial(_work, task), arguments.timeout)
    if not isinstance(found, Finished):
        raise UserError(failure(file, found))
    if found.value.error:
        raise UserError(found.value.error)
    write(found.value.code, arguments.output)
    if arguments.header:
        write(found.value.header.encode(), arguments.header)
    return DONE


def _work(task: Task) -> Outcome:
    """The work of the child process, since some inputs crash MLIR."""
    from raising.native.abi.header import header
    from raising.native.base.unsupported import CompileError
    from raising.native.codegen.objects import shared_library
    from raising.native.compile import build
    from raising.support.errors import InputError

    try:
        built = build(task.data, task.file, task.options)
        code = built.code
        match task.form:
            case "so":
                made = shared_library(code.object, built.libraries, stays=task.options.threads > 1)
            case "o":
                made = code.object
            case "llvm":
                made = code.llvm.encode()
            case "asm":
                made = code.assembly.encode()
            case _:
                made = built.mlir.encode()
    except (InputError, CompileError) as error:
        return Outcome(error=" ".join(str(error).split()))
    name = PurePath(task.header or "").name
    return Outcome(made, header(built.signatures, PurePath(task.file).name, name, built.symbols) if name else "")


if __name__ == "__main__":
    sys.exit(main())
