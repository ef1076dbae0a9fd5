"""The child process of `raise-compile`: a module becomes machine code, and a file in C or Python a module before.

The child raises, and has a child of its own that optimises and compiles: what is expected to be the result, while it is
proved. Both import at once, after what both need.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING

from raising.support.cli_options import MEMORY
from raising.support.record import dataclass

if TYPE_CHECKING:
    from raising.commands.languages import Converted
    from raising.native.base.compile_options import CompileOptions
    from raising.support.isolate import Ahead, Tell
    from raising.support.source import Loc

_LATER = (  # modules that optimising and compiling import, some of them only once they need them
    "mlir.dialects.math",
    "mlir.dialects.vector",
    "raising.eqsat.lift.lift",
    "raising.eqsat.rebuild.write_term",
    "raising.native.codegen.objects",
    "raising.native.compile",
    "raising.optimise.optimise_module",
)
_SHARE = 0.6  # of the time limit that may go into raising, so that code is left time for


@dataclass(frozen=True)
class Task:
    """One call of the command; `form` is `o`, `so`, or what `--emit` takes. What was `read` is raised and optimised."""

    data: bytes
    file: str
    form: str
    header: str | None
    options: CompileOptions
    timeout: float
    read: Converted | None = None
    raising: bool = True  # else the loops that were read are compiled as they are
    cache: bool = True


@dataclass(frozen=True)
class Outcome:
    """The bytes to write and what was said, or the error (then nothing else)."""

    code: bytes = b""
    header: str = ""
    lines: tuple[str, ...] = ()
    error: str = ""


class Worker:
    """The child of a command that reads a file: it gets ready, and works on a task."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self._stack = ExitStack()  # which is never closed: a child ends with its parent

    def prepare(self) -> None:
        """Import what raising needs, while a child imports what comes after it."""
        from raising.commands import raise_worker
        from raising.support.isolate import Ahead, waiting

        raise_worker.import_shared()
        later = waiting(prepare_later, _made_later, timeout=self.timeout, extra_bytes=MEMORY)
        child = self._stack.enter_context(later)
        self._ahead = Ahead(lambda: child)
        raise_worker.prepare()

    def work(self, task: Task, _: Tell) -> Outcome:
        """Raise the file that was read, and compile what it becomes."""
        return work(task, self._ahead)


def prepare() -> None:
    """Import what compiling needs."""
    from raising.commands.preload import import_beside_mlir

    import_beside_mlir(("numpy",), ("raising.native.codegen.objects",))
    import raising.native.compile  # noqa: F401


def prepare_later() -> None:
    """Get ready to optimise and compile while another process raises: what they would import and look up themselves."""
    for name in _LATER:
        import_module(name)
    from raising.grammar.dialects.load import load
    from raising.native.base.target import target_for

    load("linalg")
    target_for()


def worked(task: Task, _: Tell) -> Outcome:
    """Compile the module of a task, as a child that waited for it."""
    return work(task)


def work(task: Task, ahead: Ahead[tuple[Task, str], Outcome] | None = None) -> Outcome:
    """Compile the module of a task, or raise the file that was read and compile the result, `ahead` of its proof."""
    if task.read is None:
        return _compiled(task, task.data, ())
    from raising.commands.languages import told
    from raising.commands.raise_task import Outcome as Raised
    from raising.commands.raise_task import Task as Raising
    from raising.commands.raise_worker import work as raised

    found = Raised(task.data.decode())
    if task.raising:
        seconds, now = _SHARE * task.timeout, time.monotonic()
        options = {"strict_fp": task.options.fp == "strict", "cache": task.cache}
        one = Raising(task.data, task.file, "linalg", seconds, now, options)
        found = raised(one, lambda _: None, (lambda text: ahead.begin((task, text))) if ahead else None)
    if found.error:
        return Outcome(error=found.error)
    made = ahead.result((task, found.text), task.timeout) if ahead else None
    made = made or _made(task, found.text)
    if made.error:
        return made
    return replace(made, lines=told(Raised(lines=(*found.lines, *made.lines)), task.read, task.file).lines)


def _made_later(given: tuple[Task, str], _: Tell) -> Outcome:
    return _made(*given)


def _made(task: Task, text: str) -> Outcome:
    """The code of a module that was raised, if it was, made cheaper, and with the guards that it needs."""
    if task.read is not None and task.read.guards:
        from raising.emit.versioning import guarded

        text = guarded(text, task.read.guards)
    lines: tuple[str, ...] = ()
    if task.raising:
        text, lines = _optimised(text, task.data, task.file, task.options.fp)
    return _compiled(task, text.encode(), lines)


def _optimised(text: str, read: bytes, file: str, fp: str) -> tuple[str, tuple[str, ...]]:
    """The cheaper program and what there is to say of it; where there is an error, the program as it was.

    Remarks on a function have its place in the file, which `read`, the module that was read of it, tells: lines of
    `text` are no lines of the file.
    """
    from raising.optimise.optimise_module import optimised_if_possible
    from raising.support.source import Loc

    result = optimised_if_possible(text, file=file, fp=fp)
    places = _places(read)
    found = (replace(r, where=places.get(r.why.partition("'")[2].partition("'")[0], Loc(file))) for r in result.remarks)
    return result.text, tuple(map(str, found))


def _places(read: bytes) -> dict[str, Loc]:
    """Where the functions of a module that was read of a file are in the file."""
    from mlir import ir

    from raising.frontend.mlir.attributes import location
    from raising.support.mlir.walk import symbol_name
    from raising.validate.native.argument_types import quiet_context

    with quiet_context():
        module = ir.Module.parse(read)
        return {symbol_name(op): location(op) for op in module.body.operations}


def _compiled(task: Task, text: bytes, lines: tuple[str, ...]) -> Outcome:
    from raising.native.abi.header import header
    from raising.native.base.unsupported import CompileError
    from raising.native.codegen.objects import shared_library
    from raising.native.compile import build
    from raising.support.errors import InputError

    try:
        built = build(text, task.file, task.options)
        code = built.code
        match task.form:
            case "so":
                stays = task.options.threads > 1
                made = shared_library(code.object, built.libraries, stays=stays, triple=task.options.triple)
            case "o":
                made = code.object
            case "llvm":
                made = code.llvm.encode()
            case "asm":
                made = code.assembly.encode()
            case _:
                made = built.mlir.encode()
    except (InputError, CompileError) as error:
        told = " ".join(str(error).split())
        return Outcome(error=told if ": error: " in told else f"raise-compile: error: {told}")
    name = PurePath(task.header or "").name
    said = header(built.signatures, PurePath(task.file).name, name, built.symbols) if name else ""
    return Outcome(made, said, lines)
