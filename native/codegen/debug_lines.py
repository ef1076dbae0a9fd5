"""Which lines of a module's text each instruction of its machine code comes from, by LLVM's debug information.

Locations are marked when the text has been read, kernels get those of what they stand for, and in the end each set of
lines that an operation has becomes a number, which stands for the line in the debug information: an instruction can
come from several lines, and a line table knows one.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from mlir import ir

from raising.native.input.read_module import run
from raising.support.mlir.walk import blocks_of, operations

_FILE, _NUMBERS = "raise-text", "raise-lines"
_LINE = re.compile(rf'"{_FILE}":(\d+)')
_SCOPES = "ensure-debug-info-scope-on-llvm-func"


def mark(module: Any) -> None:
    """Set the locations of a module that was just read apart from those of the texts that are put into it later."""
    places: dict[int, Any] = {}

    for op in operations(module, outer_first=True):
        line = op.location.start_line if op.location.is_a_file() else 0
        if line not in places:
            places[line] = ir.Location.file(_FILE, line, 1)
        op.location = places[line]


def place_kernels(module: Any, bodies: Collection[str]) -> set[str]:
    """Give the operations of kernels the locations of their calls; the names of these kernels.

    `bodies` are the functions of the text itself.
    """
    kernels = {f.name.value: f.operation for f in module.body.operations if f.operation.name == "func.func"}
    done: set[str] = set()

    def visit(op: Any) -> None:
        name = ir.FlatSymbolRefAttr(op.attributes["callee"]).value if op.name == "func.call" else ""
        if name in kernels and name not in done and name not in bodies:
            done.add(name)
            here = op.location
            for inner in operations(kernels[name], outer_first=True):
                inner.location = here
                visit(inner)

    for name, function in kernels.items():
        if name in bodies:
            for op in operations(function, outer_first=True):
                visit(op)
    return done


def number(module: Any, bodies: Collection[str]) -> tuple[tuple[int, ...], ...]:
    """Put numbers in place of lines in a module of LLVM's dialect; the lines of each number, from 0 (none) on.

    What was made on the way comes from where the operation before it in its block does.
    """
    numbers: dict[tuple[int, ...], int] = {(): 0}
    for function in module.body.operations:
        function.operation.location = ir.Location.file(_NUMBERS, 0, 0)
        name = str(function.operation.attributes["sym_name"]).strip('"')
        for block in blocks_of(function.operation):
            lines: tuple[int, ...] = ()
            for op in block.operations:
                lines = _lines(op.operation) or lines if name in bodies else ()
                known = numbers.setdefault(lines, len(numbers))
                op.operation.location = ir.Location.file(_NUMBERS, known, int(known > 0))
    run(module, _SCOPES, "no debug information can be written")
    return tuple(numbers)


def _lines(op: Any) -> tuple[int, ...]:
    return tuple(sorted({int(n) for n in _LINE.findall(str(op.location))} - {0}))
