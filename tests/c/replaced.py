"""A C file in which calls stand for the parts that the front end made functions of, linked with these functions."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from raising.frontend.c import SourceModule
from raising.native.abi.header import header
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.c.gcc import FLAGS, GCC, Library

_PART = re.compile(r'func\.func @(\w+).*raise\.part = \{of = "(\w+)", call = "([^"]*)"(?:, bytes = \[(\d+), (\d+)\])?')


@dataclass(frozen=True)
class Part:
    """A function of the module that is a part of another; `start` and `end` are bytes of the file, -1 if not known."""

    name: str
    of: str
    call: str
    start: int
    end: int


def parts(module: SourceModule) -> list[Part]:
    """The parts of functions in a module."""
    found = _PART.findall(module.mlir)
    return [Part(name, of, call, int(start or -1), int(end or -1)) for name, of, call, start, end in found]


def replaced(source: str, module: SourceModule) -> str:
    """The file with calls in place of its parts."""
    text = source.encode()
    for part in sorted(parts(module), key=lambda p: -p.start):
        if part.start >= 0:
            text = text[: part.start] + part.call.encode() + text[part.end :]
    return text.decode()


def libraries(source: str, module: SourceModule, raised: str | None = None) -> tuple[Library, Library]:
    """The file as gcc compiles it, and the one with calls of the parts, as they were read or raised."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built = build((raised or module.mlir).encode(), "parts.mlir", CompileOptions(fp="strict"))
        (folder / "parts.o").write_bytes(built.code.object)
        signatures = [s for s in built.signatures if s.name in [p.name for p in parts(module)]]
        (folder / "parts.h").write_text(header(signatures, "k.c", "parts.h"))
        (folder / "k.c").write_text(source)
        (folder / "calls.c").write_text('#include "parts.h"\n' + replaced(source, module))
        command = [str(GCC), *FLAGS, "-w", "-shared", "-fPIC", "-o", "both.so", "calls.c", "parts.o", "-lm"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return Library(folder / "k.c", {}), Library.loaded(folder / "both.so")
