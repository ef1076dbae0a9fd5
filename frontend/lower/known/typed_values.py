"""The values of expressions while a function is lowered, and the variables that hold them."""

from __future__ import annotations

from raising.frontend.lower.ir.nodes import Alternatives, Cond
from raising.frontend.lower.ir.polynomial import Poly
from raising.frontend.lower.ir.types import CType, Number, Pointer
from raising.support.record import dataclass


@dataclass(frozen=True)
class Sym:
    """An integer known in loop variables and sizes."""

    form: Poly
    type: Number


@dataclass(frozen=True)
class Extremum:
    """The max or min of such integers."""

    kind: str
    forms: tuple[Poly, ...]
    type: Number


@dataclass(frozen=True)
class Cases:
    """An integer that is known in cases, of which exactly one holds: their conditions, and its form there.

    `key` names the variable that branches gave these values, and that needs a memory where it is data.
    """

    cases: tuple[tuple[tuple[Cond, ...], Poly], ...]
    type: Number
    key: str


@dataclass(frozen=True)
class Data:
    """A value that is known at run time only, by the number of the node that defines it."""

    id: int
    type: Number


@dataclass(frozen=True)
class Pair:
    """A complex number: its parts."""

    real: Data
    imaginary: Data


@dataclass(frozen=True)
class Truth:
    """A numbered value of type i1, which C takes for an `int`."""

    id: int


@dataclass(frozen=True)
class Formula:
    """A truth value that is known in loop variables and sizes: one of the alternatives holds."""

    when: Alternatives


@dataclass(frozen=True)
class Ptr:
    """A place in an array: subscripts of its leading dimensions, and the type of what is there.

    Of a flat array the one subscript counts elements. In memory of structs (`array` is then a name of
    `State.records`), `trail` says how the place is reached: a field's name, or "" for the next subscript.
    """

    array: str
    subscripts: tuple[Poly, ...]
    to: CType
    trail: tuple[str, ...] = ()


@dataclass(frozen=True)
class Places:
    """A pointer in each of such cases."""

    cases: tuple[tuple[tuple[Cond, ...], Ptr], ...]


@dataclass(frozen=True)
class After:
    """The value of a counter behind its loop, which is `value` if `need >= 0`."""

    value: Sym | Ptr
    need: Poly


@dataclass(frozen=True)
class Unknown:
    """Changed by the iterations of the loop numbered `loop` (0: by one that is over)."""

    loop: int


@dataclass(frozen=True)
class Nothing:
    """The value of a call of a `void` function."""


Value = Sym | Extremum | Cases | Data | Pair | Truth | Formula | Ptr | Places | Nothing
Held = Sym | Extremum | Cases | Ptr | Places | After | Unknown


@dataclass(frozen=True)
class Variable:
    """A scalar or pointer variable; `cell` is the memory of one that is not followed symbolically."""

    key: str
    type: Number | Pointer
    cell: str | None = None


@dataclass(frozen=True)
class ComplexVariable:
    """A complex variable: one for each part."""

    real: Variable
    imaginary: Variable


@dataclass(frozen=True)
class Memory:
    """A variable that is an array, by the name of its memory."""

    array: str
    type: CType


@dataclass(frozen=True)
class Element:
    """An element of an array as the target of an assignment."""

    array: str
    subscripts: tuple[Poly, ...]
    type: Number


@dataclass(frozen=True)
class Elements:
    """An element in each of such cases."""

    cases: tuple[tuple[tuple[Cond, ...], Element], ...]


Entity = Variable | ComplexVariable | Memory | Sym | Data | Pair | Formula | Ptr
Target = Variable | ComplexVariable | Element | Elements


class Demote(Exception):
    """A variable cannot be followed symbolically: start again with a memory for it."""

    def __init__(self, key: str):
        super().__init__(key)
        self.key = key


class Split(Exception):
    """A loop is to be split by a size: start again with that."""

    def __init__(self, key: str, divisor: Poly):
        super().__init__(key)
        self.key = key
        self.divisor = divisor


class NeedsInduction(Exception):
    """A variable is read that an earlier iteration of the loop `loop` may have changed."""

    def __init__(self, loop: int, key: str):
        super().__init__(loop, key)
        self.loop = loop
        self.key = key
