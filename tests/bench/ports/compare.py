"""Pairs of loops and ports, read and checked as `raise-check` does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from raising.frontend import c, python
from raising.validate.base.verdict import describe, level
from raising.validate.check import CheckOptions, check
from tests.bench.record import ROOT

FOLDER = ROOT / "tests" / "inputs" / "ports"
RIGHT, WRONG = "_port", "_wrong"
TIMEOUT = 60.0


@dataclass(frozen=True)
class Pair:
    """Loops and one port; `right` is whether it computes the same."""

    loops: Path
    port: Path
    name: str
    right: bool

    @property
    def title(self) -> str:
        """The name of the pair."""
        return f"{self.port.stem}.{self.name}{RIGHT if self.right else WRONG}"


def pairs() -> Iterator[Pair]:
    """All pairs, in order of their files."""
    for port in sorted(FOLDER.glob("*.py")):
        loops = port.with_suffix(".c") if port.with_suffix(".c").exists() else port
        for node in ast.parse(port.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.endswith((RIGHT, WRONG)):
                name, _, kind = node.name.rpartition("_")
                yield Pair(loops, port, name, f"_{kind}" == RIGHT)


def compared(pair: Pair) -> tuple[str, str]:
    """The level of the answer, and what it says."""
    loops = pair.name
    port = f"{pair.name}{RIGHT if pair.right else WRONG}"
    texts = [read(pair.loops, loops), read(pair.port, port)]
    for text in texts:
        if text.startswith("!"):
            return "unknown", text[1:]
    options = CheckOptions(functions=(loops, port), files=(pair.loops.name, pair.port.name), timeout=TIMEOUT)
    verdict = check(*(t.encode() for t in texts), options)
    return level(verdict), describe(verdict)


@cache
def read(path: Path, function: str) -> str:
    """The MLIR of a function; behind an exclamation mark, why it cannot be read."""
    text = path.read_text()
    if path.suffix == ".c":
        found = c.convert(text, path.name, c.COptions(function=function))
    else:
        found = python.convert(text, path.name, function)
    return f"!{found.refused[0]}" if found.refused else found.mlir
