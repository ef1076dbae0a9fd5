"""Branches on numbers in front of loops: functions are equal if they are so on each side of what they branch on.

    before  scf.if (arith.cmpf ogt, %c, %zero) { A } else { B }, beside the same with C and D
    after   A beside C, and B beside D

The condition is computed of arguments alone, so that it is the same in both functions wherever it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from mlir import ir

from raising.frontend.mlir.attributes import location
from raising.frontend.mlir.parse_module import make_context, parse_module
from raising.support.mlir.branches import take_branch
from raising.support.mlir.walk import attributes, maker, operations
from raising.support.record import dataclass
from raising.validate.reading.reading import function_of

MOST = 3
"""Conditions, of which each doubles the comparisons."""

Texts = tuple[str | bytes, str | bytes]


@dataclass(frozen=True)
class Case:
    """Two modules in which the same sides of all branches are taken, and these in words."""

    texts: Texts
    what: str


def cases(texts: Texts, functions: tuple[str | None, str | None], files: tuple[str, str]) -> list[Case]:
    """All cases of two valid modules; none if there are no such branches, or too many."""
    found: dict[str, str] = {}
    for text, name, file in zip(texts, functions, files, strict=True):
        with make_context(), ir.Location.unknown():
            module = parse_module(text, file)
            for condition, branch in _branches(function_of(module, name, file)):
                found.setdefault(condition, str(location(branch)))
    if not 0 < len(found) <= MOST:
        return []
    return [_case(texts, functions, files, found, sides) for sides in product((0, 1), repeat=len(found))]


def _case(
    texts: Texts,
    functions: tuple[str | None, str | None],
    files: tuple[str, str],
    found: dict[str, str],
    sides: tuple[int, ...],
) -> Case:
    taken = dict(zip(found, sides, strict=True))
    made = [_resolved(*each, taken) for each in zip(texts, functions, files, strict=True)]
    what = " and ".join(f"that at {found[c]} {'does not hold' if side else 'holds'}" for c, side in taken.items())
    return Case((made[0], made[1]), f"where of the branches {what}")


def _resolved(text: str | bytes, name: str | None, file: str, taken: dict[str, int]) -> str:
    """The module with the sides that are taken in place of branches."""
    with make_context(), ir.Location.unknown():
        module = parse_module(text, file)
        function = function_of(module, name, file)
        while (known := next(((c, op) for c, op in _branches(function) if c in taken), None)) is not None:
            take_branch(known[1], taken[known[0]])
        return str(module.operation.get_asm(enable_debug_info=True))


def _branches(function: Any) -> Iterator[tuple[str, Any]]:
    """The branches of a function on floats outside of loops, the outer ones first, each with its condition as text."""
    arguments = list(function.regions[0].blocks[0].arguments)
    for op in operations(function, lambda op: op.name == "scf.if", outer_first=True):
        around = op.parent
        while around.name == "scf.if":
            around = around.parent
        if around == function and "arith.cmpf" in (condition := _text(op.operands[0], arguments)):
            yield condition, op


def _text(value: Any, arguments: list[Any]) -> str:
    """What a value is computed of, if these are arguments and numbers alone."""
    if value in arguments:
        return f"argument {arguments.index(value)}"
    made = maker(value)
    if made is None or not made.name.startswith(("arith.", "math.")):
        return ""
    parts = [_text(operand, arguments) for operand in made.operands]
    how = sorted(f"{name} = {attribute}" for name, attribute in attributes(made))
    return f"{made.name}{how}({', '.join(parts)}) : {value.type}" if all(parts) else ""
