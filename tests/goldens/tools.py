"""The tools that a `RUN:` line can name: each makes of the text of a golden, and options, the text that is checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mlir import ir

from raising.frontend.lower.ir.module import Refused
from raising.native.base.unsupported import CompileError
from raising.native.bufferize.destination_passing import to_destinations
from raising.native.input.read_module import new_context, read
from raising.support.errors import InputError
from tests.goldens.front_ends import affine, core, typed
from tests.goldens.passes import Given, passes
from tests.goldens.program_text import programs
from tests.goldens.run_line import RunLine, run_lines

Options = tuple[tuple[str, Given], ...]

REFUSALS = (CompileError, InputError, Refused)
"""What a tool may raise where a `RUN:` line says `not`."""


def _raise(text: str, file: str, options: Options) -> str:
    """`raise`, without its native run; `--remarks` appends what it says."""
    from raising import raise_module

    settings: dict[str, Any] = {name.replace("-", "_"): value.get("", True) for name, value in options}
    remarks = settings.pop("remarks", False)
    result = raise_module(text, file=file, **{"check": "proof", "cache": False, **settings})
    return "\n".join([result.text, *(map(str, result.remarks) if remarks else ())])


def _optimise(text: str, file: str, options: Options) -> str:
    """`raise-opt`; `--rulesets=NAME` takes one set of rules."""
    from raising.optimise.optimise_module import optimise_module

    settings: dict[str, Any] = {name.replace("-", "_"): value.get("", True) for name, value in options}
    if "rulesets" in settings:
        settings["rulesets"] = [settings["rulesets"]]
    return optimise_module(text, file=file, **settings).text


def _accurate(text: str, file: str, options: Options) -> str:
    """`raise-opt --accuracy`; `--low=` and `--high=` are its range, and what it says comes behind the module."""
    from raising.optimise.accuracy import more_accurate

    low, high = (float(dict(options)[name][""]) for name in ("low", "high"))
    result = more_accurate(text, file=file, low=low, high=high)
    return "\n".join([result.text, *map(str, result.remarks)])


def _interface(text: str, file: str, options: Options) -> str:
    """What C and Python see of compiled functions: `--header`, or the functions that they call, `--entry`."""
    from raising.native.abi.c_entry import entries
    from raising.native.abi.header import header

    with new_context() as context, ir.Location.unknown():
        signatures = to_destinations(read(text.encode(), file, context))
        if options[0][0] == "header":
            return header(signatures, file, file)
        workspace = "workspace" in dict(options)
        return "\n".join(text for s in signatures for text in entries(s, (), workspace=workspace))


TOOLS: dict[str, Callable[[str, str, Options], str]] = {
    "passes": passes,
    "raise": _raise,
    "raise-opt": _optimise,
    "accurate": _accurate,
    "interface": _interface,
    "core": core,
    "typed": typed,
    "affine": affine,
    "programs": lambda text, file, _: programs(text, file),
}


def outputs(path: Path) -> list[tuple[RunLine, str]]:
    """The `RUN:` lines of a file, each with its output: what the tool makes, or says where it has to refuse.

    Comments of whole lines become empty lines first: a tool that gives its input back would match by its own checks.
    """
    text = path.read_text()
    marks = ("#",) if path.suffix == ".py" else ("//",)
    bare = "\n".join("" if line.lstrip().startswith(marks) else line for line in text.split("\n"))
    return [(line, _output(line, bare, path.name)) for line in run_lines(text)]


def _output(line: RunLine, text: str, file: str) -> str:
    if not line.refuses:
        return TOOLS[line.tool](text, file, line.options)
    try:
        made = TOOLS[line.tool](text, file, line.options)
    except REFUSALS as error:
        return str(error)
    raise AssertionError(f"{line.tool} should refuse this:\n{made}")
