"""Numbers that stand for extents: one for each class of equal extents, and where a program has them as values.

They are larger than extents of programs, and prime, so that no sum or product of them is taken for one of them. Those
that a function's arguments have are written down in an attribute of it, others at the operation that computes them.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import Any

from raising.eqsat.extents.equal import VALUE, Extents
from raising.support.record import dataclass

OPENED = "raise.extents"  # of a function: numbers of its arguments' extents; of an operation: the number it computes
LEAST = 1 << 20  # the least number that stands for an extent
ASKING = ("tensor.dim", "memref.dim")
NUMBER = re.compile(r"(?<![.\d])\d{6,}(?![.\d])")  # not a part of a number with a point

Place = tuple[int, int]
"""An argument of a function, and a dimension of it."""


@dataclass(frozen=True)
class Fixed:
    """The numbers that stand for extents, and all large numbers that a module had before.

    For each function, `equal` says by its name which extents of arguments were taken for equal.
    """

    numbers: frozenset[int]
    before: frozenset[str]
    equal: Mapping[str, tuple[str, ...]]


class Numbers:
    """What is collected of a module: the numbers of its extents, which of arguments are equal, and what to erase.

    Nothing is erased before the end: a value made in the memory of an erased one would be taken for it.
    """

    def __init__(self, before: frozenset[str]) -> None:
        self.before = before
        self.used: set[int] = set()
        self.equal: dict[str, set[str]] = {}
        self.gone: list[Any] = []
        self._last = LEAST

    def fresh(self) -> int:
        """A number that nothing in the module has."""
        self._last += 1
        while str(self._last) in self.before or not _is_prime(self._last):
            self._last += 1
        self.used.add(self._last)
        return self._last

    def fixed(self) -> Fixed:
        """All that was collected, once the operations are erased."""
        for op in self.gone:
            op.erase()
        return Fixed(frozenset(self.used), self.before, {f: tuple(sorted(said)) for f, said in self.equal.items()})


def _is_prime(number: int) -> bool:
    return number % 2 == 1 and all(number % d for d in range(3, int(number**0.5) + 1, 2))


class Numbering:
    """The numbers of the extents in one block of a function."""

    def __init__(self, function: Any, extents: Extents, numbers: Numbers) -> None:
        self.function, self.extents, self.numbers = function, extents, numbers
        self.ir, self.classes = extents.ir, extents.classes
        self.arguments = list(function.regions[0].blocks[0].arguments)
        self.of_class: dict[Hashable, int] = {}
        self.places: dict[int, Place] = {}

    def number(self, value: Any, dim: int) -> int:
        """The number of an extent."""
        top = self.classes.find((value, dim))
        if isinstance(top, int):
            return top
        if top not in self.of_class:
            self.of_class[top] = self.numbers.fresh()
        return self.of_class[top]

    def write_arguments(self) -> None:
        """Write down which extents of the function's arguments the numbers are."""
        for k, argument in enumerate(self.arguments):
            if not self.extents.open(argument) or isinstance(argument.type, self.ir.IndexType):
                continue
            shaped = self.ir.ShapedType(argument.type)
            for d in [d for d in range(shaped.rank) if shaped.is_dynamic_dim(d)]:
                number = self.number(argument, d)
                if number in self.numbers.used and self.places.setdefault(number, (k, d)) != (k, d):
                    self._say_equal(self.places[number], (k, d))
        entries = [*extents_of_arguments(self.function), *((number, *place) for number, place in self.places.items())]
        text = ",".join(":".join(map(str, entry)) for entry in entries)
        self.function.attributes[OPENED] = self.ir.StringAttr.get(text, self.function.context)

    def _say_equal(self, one: Place, other: Place) -> None:
        """Write down that two extents of arguments are one."""
        places = " and ".join(f"dimension {d} of argument {k}" for k, d in (one, other))
        self.numbers.equal.setdefault(str(self.function.attributes["sym_name"]).strip('"'), set()).add(places)

    def write_computed(self, operations: list[Any]) -> None:
        """Mark an operation that computes an extent that is none of an argument; drop others that ask for one.

        A size that is asked of a computed tensor would keep that tensor. What is dropped is asked of an argument.
        """
        marked: set[int] = set()
        for op in operations:
            number = self._computed(op)
            if number is None:
                continue
            if number in self.places:
                if op.name in ASKING:
                    self._ask_argument(op, *self.places[number])
            elif number not in marked and op.name not in ASKING:
                marked.add(number)
                kind = self.ir.IntegerType.get_signless(64, op.context)
                op.attributes[OPENED] = self.ir.IntegerAttr.get(kind, number)

    def _computed(self, op: Any) -> int | None:
        """The number of the extent that an operation computes; None if its result is none."""
        if len(op.results) != 1 or not isinstance(op.results[0].type, self.ir.IndexType):
            return None
        top = self.classes.find((op.results[0], VALUE))
        return self.number(op.results[0], VALUE) if top in self.of_class or self._is_extent(top) else None

    def _is_extent(self, top: Hashable) -> bool:
        """Whether a class has the extent of a tensor or memory."""
        if isinstance(top, int):
            return False
        places = [p for p in self.classes.parent if self.classes.find(p) == top]
        return any(isinstance(p, tuple) and p[1] != VALUE for p in [*places, top])

    def _ask_argument(self, op: Any, argument: int, dim: int) -> None:
        """Ask for an extent of an argument in place of what an operation asks for."""
        asked = size_of(self.ir, self.arguments[argument], dim, self.ir.InsertionPoint(op), op)
        self.classes.join((asked, VALUE), self.classes.find((op.results[0], VALUE)))
        op.results[0].replace_all_uses_with(asked)
        op.operands[0] = self.arguments[argument]
        self.numbers.gone.append(op.detach_from_parent())


def extents_of_arguments(function: Any) -> list[tuple[int, int, int]]:
    """The numbers of a function's extents, each with the number of an argument and a dimension of it."""
    if OPENED not in function.attributes:
        return []
    entries = str(function.attributes[OPENED]).strip('"').split(",")
    return [tuple(int(n) for n in e.split(":")) for e in entries if e]  # type: ignore[misc]


def size_of(where: Any, value: Any, dim: int, at: Any, like: Any) -> Any:
    """An extent of a tensor or memref, asked for at a place."""
    here = where.Location.unknown(like.context)
    kind = where.IndexType.get(like.context)
    number = where.Operation.create(
        "arith.constant", [kind], attributes={"value": where.IntegerAttr.get(kind, dim)}, ip=at, loc=here
    )
    name = ASKING[0] if isinstance(value.type, where.RankedTensorType) else ASKING[1]
    return where.Operation.create(name, [kind], [value, number.results[0]], ip=at, loc=here).results[0]
