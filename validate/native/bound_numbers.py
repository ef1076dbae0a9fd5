"""Numbers of f64 that are added to a program: formulas over them write its scalar operations.

before  `a.error / b.size` for a of f64 and b of f32
after   extf of b, absf of that, and divf
"""

from __future__ import annotations

from raising.affine.ir.program import Compute, Node, Scalar
from raising.support.record import dataclass
from raising.support.source import Loc

WIDE = "f64"
_PREDICATES = {"==": 1, ">": 2, "<=": 5}
"""The numbers of ordered comparisons in `arith.cmpf`."""


class Code:
    """Operations that are written so far; `elements` are the types of all values, `loc` the place of new ones."""

    def __init__(self, elements: dict[str, str]) -> None:
        self.elements = elements
        self.scalars: dict[str, Scalar] = {}
        self.nodes: list[Node] = []
        self.loc = Loc()
        self.zero = Number(self, None)
        self._count = 0

    def new(self, element: str = WIDE) -> str:
        """A name for a value of that type."""
        self._count += 1
        name = f"bound {self._count}"
        self.elements[name] = element
        return name

    def put(self, op: str, args: tuple[str, ...], element: str = WIDE, attrs: tuple[tuple[str, str], ...] = ()) -> str:
        """Write an operation; the name of its result."""
        name = self.new(element)
        self.nodes.append(Compute(name, op, args, attrs, element, self.loc))
        return name

    def number(self, value: float) -> Number:
        """A constant without an error."""
        name = f"number {value!r}"
        self.scalars[name] = Scalar(name, WIDE, repr(value))
        self.elements[name] = WIDE
        return Number(self, name)

    def choose(self, condition: str, one: Number, other: Number) -> Number:
        """One number where a truth value holds, the other one elsewhere."""
        return Number(self, self.put("arith.select", (condition, one.name, other.name)))


@dataclass(frozen=True)
class Number:
    """A number that the program computes; one that `is_zero` costs no operation."""

    code: Code
    known: str | None

    @property
    def is_zero(self) -> bool:
        """Whether it is the number 0, and known to be."""
        return self.known is None

    @property
    def name(self) -> str:
        """The value in the program."""
        return self.known if self.known is not None else self.code.number(0.0).name

    def apply(self, op: str, *others: Number) -> Number:
        """The result of an operation on it and other numbers."""
        return Number(self.code, self.code.put(op, (self.name, *(other.name for other in others))))

    def is_(self, relation: str, other: Number) -> str:
        """The truth value of a comparison: one of `==`, `>` and `<=`."""
        predicate = (("predicate", f"{_PREDICATES[relation]} : i64"),)
        return self.code.put("arith.cmpf", (self.name, other.name), "i1", predicate)

    def __add__(self, other: Number) -> Number:
        if self.is_zero or other.is_zero:
            return other if self.is_zero else self
        return self.apply("arith.addf", other)

    def __sub__(self, other: Number) -> Number:
        return self if other.is_zero else self.apply("arith.subf", other)

    def __mul__(self, other: Number) -> Number:
        return self.code.zero if self.is_zero or other.is_zero else self.apply("arith.mulf", other)

    def __truediv__(self, other: Number) -> Number:
        return self if self.is_zero else self.apply("arith.divf", other)

    def __abs__(self) -> Number:
        return self.apply("math.absf")

    def larger(self, other: Number) -> Number:
        """The larger one of two numbers that are not negative."""
        if self.is_zero or other.is_zero:
            return other if self.is_zero else self
        return self.apply("arith.maximumf", other)


@dataclass(frozen=True)
class Float:
    """A float of the program, and how far it may be from the exact number."""

    code: Code
    name: str
    error: Number

    @property
    def wide(self) -> Number:
        """Its value as f64."""
        value = Number(self.code, self.name)
        return value if self.code.elements[self.name] == WIDE else value.apply("arith.extf")

    @property
    def size(self) -> Number:
        """The magnitude of a number."""
        return abs(self.wide)

    def times(self, error: Number) -> Number:
        """Its magnitude times an error, of which nothing is computed where there is none."""
        return error if error.is_zero else self.size * error
