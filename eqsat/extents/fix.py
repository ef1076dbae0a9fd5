"""A number of its own for each class of equal open extents, written into the types of a module.

What has no effects on memory and verifies with numbers in its types gets them; everything else, the signature of the
function too, stays as it is behind casts. The numbers are larger than extents of programs, and prime, so that no sum or
product of them is taken for one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from raising.eqsat.extents.equal import SIZES, SLICE, VALUE, Extents, kept_sizes
from raising.support.mlir.create import SEGMENTS
from raising.support.mlir.walk import inside
from raising.support.record import dataclass

OPENED = "raise.extents"  # of a function: numbers of its arguments' extents; of an operation: the number it computes
LEAST = 1 << 20  # the least number that stands for an extent
ASKING = ("tensor.dim", "memref.dim")
EMPTY, CAST = "tensor.empty", "tensor.cast"

NUMBER = re.compile(r"(?<![.\d])\d{6,}(?![.\d])")  # not a part of a number with a point


@dataclass(frozen=True)
class Fixed:
    """The numbers that stand for extents, and all large numbers that a module had before.

    For each function, `equal` says by its name which extents of arguments were taken for equal.
    """

    numbers: frozenset[int]
    before: frozenset[str]
    equal: Mapping[str, tuple[str, ...]]


def fix_extents(module: Any, where: Any, lowered: Callable[[Any], Any]) -> Fixed:
    """Give the open extents of every function of a module numbers, in place; `lowered` lowers one operation."""
    text = str(module)
    if "?" not in text:
        return Fixed(frozenset(), frozenset(), {})
    before = frozenset(NUMBER.findall(text))
    numbers = _Numbers(before)
    for function in _functions(module.operation):
        _Fixer(function, function.regions[0].blocks[0], Extents(where, lowered), numbers).fix()
    for op in numbers.gone:
        op.erase()
    equal = {name: tuple(sorted(said)) for name, said in numbers.equal.items()}
    return Fixed(frozenset(numbers.used), before, equal)


def _functions(op: Any) -> list[Any]:
    """The functions at the top of a module that have a body of one block."""
    found = []
    for region in op.regions:
        for child in region.blocks[0].operations if len(region.blocks) else ():
            inner = child.operation
            if "function_type" in inner.attributes and [len(r.blocks) for r in inner.regions] == [1]:
                found.append(inner)
    return found


class _Numbers:
    """Numbers that stand for extents, one after the other."""

    def __init__(self, before: frozenset[str]) -> None:
        self.before = before
        self.used: set[int] = set()
        self.equal: dict[str, set[str]] = {}
        self.last = LEAST
        self.gone: list[Any] = []  # not erased before the end: a value made in the memory of one would be taken for it

    def fresh(self) -> int:
        """A number that nothing in the module has."""
        self.last += 1
        while str(self.last) in self.before or not _is_prime(self.last):
            self.last += 1
        self.used.add(self.last)
        return self.last


def _is_prime(number: int) -> bool:
    return number % 2 == 1 and all(number % d for d in range(3, int(number**0.5) + 1, 2))


class _Fixer:
    """One block of a function: what its operations demand, with what those around it do."""

    def __init__(self, function: Any, block: Any, extents: Extents, numbers: _Numbers) -> None:
        self.function, self.block, self.extents, self.numbers = function, block, extents, numbers
        self.ir = extents.ir
        self.codes: dict[Hashable, int] = {}
        self.fixed: dict[Any, Any] = {}
        self.done: list[tuple[Any, Any]] = []

    def fix(self) -> None:
        """Write the numbers where they can stand."""
        operations = [child.operation for child in self.block.operations]
        if not operations:
            return
        if any(self._is_open_tensor(v) for op in operations for v in [*op.operands, *op.results]):
            self.extents.read(operations[:-1])
            self._name_arguments()
            self._mark(operations)
            operations = [child.operation for child in self.block.operations]
        for op in operations[:-1]:
            self._operation(op)
        self._replace()

    # ---- sizes -----------------------------------------------------------------------------------

    def _code(self, value: Any, dim: int) -> int:
        """The number of an extent."""
        top = self.extents.classes.find((value, dim))
        if isinstance(top, int):
            return top
        if top not in self.codes:
            self.codes[top] = self.numbers.fresh()
        return self.codes[top]

    def _name_arguments(self) -> None:
        """Write down which extents of the function's arguments the numbers are."""
        entries = extents_of_arguments(self.function)
        self.of_arguments: dict[int, tuple[int, int]] = {}
        for k, argument in enumerate(self.function.regions[0].blocks[0].arguments):
            if not self.extents.open(argument) or isinstance(argument.type, self.ir.IndexType):
                continue
            shaped = self.ir.ShapedType(argument.type)
            for d in [d for d in range(shaped.rank) if shaped.is_dynamic_dim(d)]:
                code = self._code(argument, d)
                if code in self.numbers.used:
                    self.of_arguments.setdefault(code, (k, d))
                    self._say_equal(self.of_arguments[code], (k, d))
        entries += [(code, *place) for code, place in self.of_arguments.items()]
        text = ",".join(":".join(map(str, entry)) for entry in entries)
        self.function.attributes[OPENED] = self.ir.StringAttr.get(text, self.function.context)

    def _say_equal(self, one: tuple[int, int], other: tuple[int, int]) -> None:
        """Write down that two extents of arguments are one."""
        if one != other:
            places = " and ".join(f"dimension {d} of argument {k}" for k, d in (one, other))
            self.numbers.equal.setdefault(str(self.function.attributes["sym_name"]).strip('"'), set()).add(places)

    def _mark(self, operations: list[Any]) -> None:
        """Mark an operation that computes an extent that is none of an argument; drop others that ask for one.

        A size that is asked of a computed tensor would keep that tensor. What is dropped is asked of an argument, and
        erased at the end.
        """
        marked: set[int] = set()
        for op in operations:
            if len(op.results) != 1 or not isinstance(op.results[0].type, self.ir.IndexType):
                continue
            top = self.extents.classes.find((op.results[0], VALUE))
            if top not in self.codes and not self._names_extent(top):
                continue
            code = self._code(op.results[0], VALUE)
            if code not in self.of_arguments and code not in marked and not _asks(op):
                marked.add(code)
                kind = self.ir.IntegerType.get_signless(64, op.context)
                op.attributes[OPENED] = self.ir.IntegerAttr.get(kind, code)
            elif _asks(op) and code in self.of_arguments:
                asked = self._asked(code, op)
                self.extents.classes.join((asked, VALUE), top)
                op.results[0].replace_all_uses_with(asked)
                op.operands[0] = self.function.regions[0].blocks[0].arguments[self.of_arguments[code][0]]
                self.numbers.gone.append(op.detach_from_parent())

    def _names_extent(self, top: Hashable) -> bool:
        if isinstance(top, int):
            return False
        places = [p for p in self.extents.classes.parent if self.extents.classes.find(p) == top]
        return any(isinstance(p, tuple) and p[1] != VALUE for p in [*places, top])

    def _asked(self, code: int, at: Any) -> Any:
        """An extent of an argument as a number."""
        argument, dim = self.of_arguments[code]
        value = self.function.regions[0].blocks[0].arguments[argument]
        return size_of(self.ir, value, dim, self.ir.InsertionPoint(at), at)

    # ---- operations ------------------------------------------------------------------------------

    def _is_open_tensor(self, value: Any) -> bool:
        return isinstance(value.type, self.ir.RankedTensorType) and self.extents.open(value)

    def _type(self, value: Any) -> Any:
        kind = self.ir.RankedTensorType(value.type)
        shape = [self._code(value, d) if kind.is_dynamic_dim(d) else n for d, n in enumerate(kind.shape)]
        here = self.ir.Location.unknown(value.type.context)
        return self.ir.RankedTensorType.get(shape, kind.element_type, kind.encoding, loc=here)

    def _bounded(self, value: Any, at: Any) -> Any:
        """A tensor of open extents as one with numbers, behind a cast."""
        here = self.ir.Location.unknown(value.type.context)
        cast = self.ir.Operation.create(CAST, [self._type(value)], [value], ip=at, loc=here)
        self.fixed[value] = cast.results[0]

    def _with_number(self, value: Any) -> Any:
        """A value that is used here; one from outside of the block, or an argument of it, gets its cast here."""
        if value not in self.fixed and self._is_open_tensor(value):
            self._bounded(value, self.ir.InsertionPoint.at_block_begin(self.block))
        return self.fixed.get(value, value)

    def _operation(self, op: Any) -> None:
        open_here = any(self._is_open_tensor(v) for v in [*op.operands, *op.results])
        made = self._made(op) if open_here else None
        if made is not None:
            self.fixed.update(zip(op.results, made.results, strict=True))
            self.done.append((op, made))
            return
        for region in op.regions:
            if [len(list(b.operations)) > 0 for b in region.blocks] == [True]:
                _Fixer(self.function, region.blocks[0], self.extents.inside(), self.numbers).fix()
        for result in op.results:
            if self._is_open_tensor(result):
                self._bounded(result, self.ir.InsertionPoint.after(op))

    def _made(self, op: Any) -> Any:
        """The operation with numbers in its types; None if that is none."""
        if op.name == CAST or "sym_name" in op.attributes:
            return None
        types = [self._type(r) if self._is_open_tensor(r) else r.type for r in op.results]
        try:
            copy = self._copied(op, types)
        except (self.ir.MLIRError, ValueError):
            return None
        try:
            if copy.verify():
                return copy
        except self.ir.MLIRError:
            pass
        copy.erase()
        return None

    def _copied(self, op: Any, types: list[Any]) -> Any:
        point = self.ir.InsertionPoint(op)
        if op.name == EMPTY:
            return self.ir.Operation.create(EMPTY, types, [], ip=point, loc=op.location)
        if op.name == SLICE and kept_sizes(self.ir, op) is not None:
            return self._slice(op, types, point)
        copy = op.clone(ip=point)
        operations = [copy, *inside(copy)]
        own = {v for inner in operations for v in inner.results}
        own |= {a for inner in operations for r in inner.regions for b in r.blocks for a in b.arguments}
        for inner in operations:
            for k, value in enumerate(inner.operands):
                if value not in own:
                    inner.operands[k] = self._with_number(value)
        for result, kind in zip(copy.results, types, strict=True):
            result.set_type(kind)
        return copy

    def _slice(self, op: Any, types: list[Any], point: Any) -> Any:
        """A slice whose sizes are the extents of its result."""
        sizes = list(self.ir.DenseI64ArrayAttr(op.attributes[SIZES]))
        shape = self.ir.RankedTensorType(types[0]).shape
        for d, place in enumerate(kept_sizes(self.ir, op) or ()):
            sizes[place] = shape[d]
        segments = list(self.ir.DenseI32ArrayAttr(op.attributes[SEGMENTS]))
        operands = list(op.operands)
        first = segments[0] + segments[1]
        del operands[first : first + segments[2]]
        segments[2] = 0
        given = {a: op.attributes[a] for a in op.attributes}
        given[SIZES] = self.ir.DenseI64ArrayAttr.get(sizes, op.context)
        given[SEGMENTS] = self.ir.DenseI32ArrayAttr.get(segments, op.context)
        operands[0] = self._with_number(operands[0])
        return self.ir.Operation.create(op.name, types, operands, given, ip=point, loc=op.location)

    def _replace(self) -> None:
        """Remove operations that have a copy with numbers; the others read the copies through casts."""
        gone = {hash(op) for op, _ in self.done}
        for op, made in reversed(self.done):
            for old, new in zip(op.results, made.results, strict=True):
                if any(hash(use.owner.operation) not in gone for use in old.uses):
                    point = self.ir.InsertionPoint.after(made)
                    kept = new
                    if old.type != new.type:
                        kept = self.ir.Operation.create(CAST, [old.type], [new], ip=point, loc=op.location).results[0]
                    old.replace_all_uses_with(kept)
            op.erase()


def extents_of_arguments(function: Any) -> list[tuple[int, int, int]]:
    """The numbers of a function's extents, each with the number of an argument and a dimension of it."""
    if OPENED not in function.attributes:
        return []
    entries = str(function.attributes[OPENED]).strip('"').split(",")
    return [tuple(int(n) for n in e.split(":")) for e in entries if e]  # type: ignore[misc]


def _asks(op: Any) -> bool:
    return op.name in ASKING


def size_of(where: Any, value: Any, dim: int, at: Any, like: Any) -> Any:
    """An extent of a tensor or memref, asked for at a place."""
    here = where.Location.unknown(like.context)
    kind = where.IndexType.get(like.context)
    number = where.Operation.create(
        "arith.constant", [kind], attributes={"value": where.IntegerAttr.get(kind, dim)}, ip=at, loc=here
    )
    name = "tensor.dim" if isinstance(value.type, where.RankedTensorType) else "memref.dim"
    return where.Operation.create(name, [kind], [value, number.results[0]], ip=at, loc=here).results[0]
