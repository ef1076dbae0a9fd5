"""Functions that test whether their arguments overlap: both sides of the test, each as a function of its own.

`raise --guard` puts what it made of a function under one `scf.if`, with the loops that were there as the other branch.
The condition compares addresses, which no loop program has. Where it holds, no argument that either function writes
overlaps another one, so that this need not be assumed; where it does not, the target has to be the source, operation
by operation, and then it does the same to any memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mlir import ir

from raising.frontend.mlir.reader import InputError, parse
from raising.support.mlir.branches import take_branch
from raising.support.mlir.walk import constant_number, is_row_major, maker
from raising.support.record import dataclass
from raising.validate.base.assumption import NO_OVERLAP
from raising.validate.base.unreadable import Unreadable
from raising.validate.reading.pair import Pair, paired, read_pair
from raising.validate.reading.reading import Side, function_of, read_side
from raising.validate.reading.same_text import same_text
from raising.validate.reading.shared_variables import aligned

_POINTER = "memref.extract_aligned_pointer_as_index"
_OF_TESTS = {_POINTER, "memref.dim", *(f"arith.{name}" for name in ("constant", "addi", "muli", "cmpi", "ori", "andi"))}
_ULE = 7  # arith's number of `ule`
_ELSEWHERE = "where arguments overlap, it is not known that the target does what the source does"
Pairs = frozenset[tuple[int, int]]


def read_tested_pair(
    source: str | bytes,
    target: str | bytes,
    functions: tuple[str | None, str | None],
    files: tuple[str, str],
) -> Pair:
    """`read_pair`; of a target that tests whether its arguments overlap, where they do not.

    `Unreadable` also if the target is not the source where they do.
    """
    found = tested(target, functions[1], files[1]) if _asks(target) else None
    if found is None:
        return read_pair(source, target, functions, files, computed=True)
    one, names = read_side(source, functions[0], files[0], computed=True), functions[1]
    if not same_text(paired(*aligned(one, read_side(found.otherwise, names, files[1], computed=True)))):
        raise Unreadable(_ELSEWHERE)
    sides = aligned(one, read_side(found.apart, names, files[1], computed=True))
    pair = paired(*sides)
    if not _needed(*sides) <= found.pairs:
        return pair
    return replace(pair, assumed=tuple(a for a in pair.assumed if a != NO_OVERLAP))


def _needed(source: Side, target: Side) -> Pairs:
    """The pairs of arguments that must not overlap: memory, and one of them is written."""
    memory = [k for k, (_, shape) in enumerate(source.types) if shape is not None]
    written = source.written | target.written
    return frozenset((i, j) for i in memory for j in memory if i < j and (i in written or j in written))


def _asks(text: str | bytes) -> bool:
    return _POINTER in text if isinstance(text, str) else _POINTER.encode() in text


# ---- the test ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tested:
    """A module as it is where arguments are `apart`, and `otherwise`; `pairs` of argument numbers are compared."""

    apart: str
    otherwise: str
    pairs: Pairs


def tested(text: str | bytes, name: str | None, file: str) -> Tested | None:
    """Both sides of the test that a function makes of its arguments' addresses; None if that is not all it does."""
    sides = [_side(text, name, file, number) for number in (0, 1)]
    if sides[0] is None or sides[1] is None:
        return None
    return Tested(sides[0][0], sides[1][0], sides[0][1])


def _side(text: str | bytes, name: str | None, file: str, branch: int) -> tuple[str, Pairs] | None:
    """The module with a branch of the test in its place, and the pairs that it compares."""
    try:
        source = parse(text, file, functions=False)
    except InputError:
        return None  # said by who reads it next
    with source.context, ir.Location.unknown():
        function = function_of(source.module, name, file)
        found = _test(function)
        if found is None:
            return None
        choice, pairs = found
        take_branch(choice, branch)
        _erase_unused(function)
        shown = source.module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
        return str(shown), pairs


def _test(function: Any) -> tuple[Any, Pairs] | None:
    """The only branch of a function on nothing but its arguments' places, with the pairs that are compared."""
    blocks = list(function.regions[0].blocks)
    found = [op.operation for op in blocks[0].operations if op.operation.name == "scf.if"] if len(blocks) == 1 else []
    tests = [(op, pairs) for op in found if (pairs := _apart(op.operands[0])) is not None]
    return tests[0] if len(tests) == 1 else None


def _apart(truth: Any) -> Pairs | None:
    """The pairs of arguments of which a truth says that they do not overlap; None if it says anything else."""
    op = maker(truth)
    if op is None:
        return None
    if op.name == "arith.andi":
        one, other = (_apart(v) for v in op.operands)
        return None if one is None or other is None else one | other
    ends = [_ordered(v) for v in op.operands] if op.name == "arith.ori" else []
    if len(ends) != 2 or None in ends or ends[0] != tuple(reversed(ends[1] or ())):
        return None
    i, j = sorted(ends[0] or ())
    return frozenset({(i, j)}) if i != j else None


def _ordered(truth: Any) -> tuple[int, int] | None:
    """The arguments of which the first ends before the second begins, by a comparison of addresses."""
    op = maker(truth, "arith.cmpi")
    if op is None or ir.IntegerAttr(op.attributes["predicate"]).value != _ULE:
        return None
    first, second = _end(op.operands[0]), _start(op.operands[1])
    return None if first is None or second is None else (first, second)


def _start(value: Any) -> int | None:
    """The argument whose first address a value is."""
    op = maker(value, _POINTER)
    given = None if op is None else op.operands[0]
    if isinstance(given, ir.BlockArgument) and given.owner.owner.operation.name == "func.func":
        return int(given.arg_number)
    return None


def _end(value: Any) -> int | None:
    """The argument behind whose last element a value is the first address."""
    op = maker(value, "arith.addi")
    if op is None:
        return None
    for start, size in (tuple(op.operands), tuple(op.operands)[::-1]):
        number = _start(start)
        if number is not None and _covers(size, maker(start).operands[0]):
            return number
    return None


def _covers(size: Any, memory: Any) -> bool:
    """Whether a number of bytes is all that memory of the plain layout has."""
    kind = ir.MemRefType(memory.type)
    need = element_bytes(kind)
    if need is None:
        return False
    dims = [d for d in range(kind.rank) if kind.is_dynamic_dim(d)]
    for extent in (kind.shape[d] for d in range(kind.rank) if d not in dims):
        need *= extent
    number, left = 1, list(dims)
    for factor in _factors(size):
        constant, dim = constant_number(factor), _dim_of(factor, memory)
        if dim in left:
            left.remove(dim)
        elif constant is None:
            return False
        else:
            number *= constant
    return number == need and not left


def _factors(value: Any) -> Iterator[Any]:
    op = maker(value, "arith.muli")
    if op is not None:
        for operand in op.operands:
            yield from _factors(operand)
    else:
        yield value


def _dim_of(value: Any, memory: Any) -> int | None:
    """Which extent of a memory a value is."""
    op = maker(value, "memref.dim")
    if op is None or op.operands[0] != memory:
        return None
    return constant_number(op.operands[1])


def element_bytes(kind: Any) -> int | None:
    """How far elements of memory of the plain layout lie apart; None for another layout or an unknown type."""
    kind = ir.MemRefType(kind)
    if not is_row_major(kind):
        return None
    element = kind.element_type
    if isinstance(element, ir.IndexType):
        return 8
    width = getattr(element, "width", None) if isinstance(element, ir.IntegerType | ir.FloatType) else None
    return None if width is None or width > 64 else 1 << max(0, -(-width // 8) - 1).bit_length()


# ---- one side of it ------------------------------------------------------------------------------


def _erase_unused(function: Any) -> None:
    """Erase what only the test was computed for."""
    for op in reversed([op.operation for op in function.regions[0].blocks[0].operations]):
        if op.name in _OF_TESTS and not any(any(True for _ in r.uses) for r in op.results):
            op.erase()
