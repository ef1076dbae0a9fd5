"""Variables, statements, functions and units of the core.

Every assignment and every call is a statement of its own, in an order that the source allows. A name means one
variable in the whole function, so there are no scopes.
"""

from __future__ import annotations

from typing import Literal as OneOf

from raising.frontend.core.expression_nodes import Expr, Initial, Lvalue
from raising.frontend.core.types import Type
from raising.support.record import dataclass
from raising.support.source import Loc

# ---- variables ------------------------------------------------------------------------------------

Storage = OneOf["parameter", "local", "hidden", "static", "global", "thread"]
"""`hidden` variables were made by the reader; nothing points to them."""


@dataclass(frozen=True)
class Variable:
    """`name` is unique in its function and differs from those of the unit; `source` is how the user spells it.

    `constant`: it is never written after its declaration. `length` is the outermost extent that a parameter was
    declared with (`double a[n]`), which is a promise of the language if `promised` (`double a[static n]`).
    `reference`: a pointer for which the source writes what it points to (`double &x`). `by_address`: a caller passes
    the address of the parameter in place of its value. `numbers` is what C calls its numbers where another type has the
    same bits (`char`, `long long`).
    """

    name: str
    type: Type
    storage: Storage
    loc: Loc
    source: str = ""
    constant: bool = False
    length: int | Expr | None = None
    promised: bool = False
    reference: bool = False
    by_address: bool = False
    numbers: str = ""


# ---- statements -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Span:
    """Where a construct stands in the file: the first byte, and the one behind the last."""

    start: int
    end: int


@dataclass(frozen=True)
class Declare:
    """A variable begins to exist, anew each time; without an initial value its contents are undefined."""

    variable: Variable
    initial: Initial | None
    loc: Loc


@dataclass(frozen=True)
class Assign:
    """`target = value`, of one type; `a op= b` has the same lvalue in its value. Records are copied whole."""

    target: Lvalue
    value: Expr
    loc: Loc


@dataclass(frozen=True)
class Call:
    """A call; `result` is declared by it (hidden), None if there is none or nobody asks for it.

    `callee` is the name of a function in `Unit.routines`, or a pointer to one.
    """

    result: Variable | None
    callee: str | Expr
    arguments: tuple[Expr, ...]
    loc: Loc


@dataclass(frozen=True)
class If:
    """A branch on a condition."""

    condition: Expr
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]
    loc: Loc
    span: Span | None = None


@dataclass(frozen=True)
class Loop:
    """`test`, then leave unless `condition`; `body`; `step`; again.

    If not `tests_first` the first iteration begins with the body, as in `do`. `continue` goes to the step. What a
    `for` does at its start stands before it; `test` holds what a condition does before it has a value (often nothing).
    """

    test: tuple[Stmt, ...]
    condition: Expr
    body: tuple[Stmt, ...]
    step: tuple[Stmt, ...]
    tests_first: bool
    keyword: str
    loc: Loc
    span: Span | None = None


@dataclass(frozen=True)
class Arm:
    """Some cases of a `Switch`; `falls`: control can go on into the next arm."""

    values: tuple[int, ...]
    default: bool
    body: tuple[Stmt, ...]
    falls: bool
    loc: Loc


@dataclass(frozen=True)
class Switch:
    """The arm of an integer's value; a `break` that stands in an arm (and in no loop there) leaves the switch."""

    value: Expr
    arms: tuple[Arm, ...]
    loc: Loc


@dataclass(frozen=True)
class Break:
    """Leaves the innermost loop or switch."""

    loc: Loc


@dataclass(frozen=True)
class Continue:
    """Goes to the step of the innermost loop."""

    loc: Loc


@dataclass(frozen=True)
class Return:
    """Leaves the function."""

    value: Expr | None
    loc: Loc


@dataclass(frozen=True)
class Goto:
    """Goes to a label of the function."""

    label: str
    loc: Loc


@dataclass(frozen=True)
class Label:
    """The target of a `Goto`."""

    label: str
    loc: Loc


@dataclass(frozen=True)
class Assume:
    """The source is undefined where this does not hold (`__builtin_unreachable()` is `Assume(false)`).

    With a reason in `why` it is defined, but something else: then it has to be known, or is assumed and told; where
    it depends on data, the function is refused if it is `needed`.
    """

    condition: Expr
    loc: Loc
    why: str = ""
    needed: bool = True


@dataclass(frozen=True)
class Region:
    """The statements between `#pragma scop` and `#pragma endscop`."""

    body: tuple[Stmt, ...]
    loc: Loc
    span: Span | None = None


@dataclass(frozen=True)
class Refused:
    """A statement that the core cannot say: it may do anything. `loc` is what it fails at."""

    reason: str
    loc: Loc


Stmt = (
    Declare | Assign | Call | If | Loop | Switch | Break | Continue | Return | Goto | Label | Assume | Region | Refused
)

# ---- units ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """A field at `offset` bits from the start of its record; `bits` for a bit-field.

    With `count`, it is how many elements of so many bytes lie between the pointer before it and the one there.
    """

    name: str
    type: Type
    offset: int
    bits: int | None = None
    count: int = 0


@dataclass(frozen=True)
class RecordLayout:
    """A struct or union; `fields` is None where the source does not define it. `size` in bytes."""

    name: str
    fields: tuple[Field, ...] | None
    size: int
    union: bool
    loc: Loc


@dataclass(frozen=True)
class Global:
    """A variable of the unit (also a static one of a function, named `function.name`).

    `initial` is None for one that is not `defined` here, but elsewhere, and for one whose initialiser cannot be said;
    one without an initialiser is all zero. `external`: other files see it.
    """

    variable: Variable
    initial: Initial | None
    external: bool
    defined: bool = True


@dataclass(frozen=True)
class Function:
    """A function; `body` is None where the source only declares it.

    `variables` are all variables that it declares, parameters first. `external`: other files can call it;
    `source` is how the user spells its name, where a linker calls it something else;
    `returns`: False for `noreturn`. `refusals` are all `Refused` in the body, in source order. `inner` is where the
    body stands in the file, with its braces. `copy_of`: the function of the source that it is a special case of.
    `numbers` is of the result what it is of a variable.
    """

    name: str
    result: Type
    parameters: tuple[Variable, ...]
    body: tuple[Stmt, ...] | None
    loc: Loc
    variables: dict[str, Variable]
    external: bool = True
    inline: bool = False
    variadic: bool = False
    returns: bool = True
    refusals: tuple[Refused, ...] = ()
    span: Span | None = None
    source: str = ""
    inner: Span | None = None
    copy_of: str = ""
    numbers: str = ""


@dataclass(frozen=True)
class Unit:
    """A file. `routines` are the functions defined in it and those declared that it calls, in source order;
    `records` and `globals` what these use, and the variables that the file declares for others. `remarks` are wrong
    pragmas and the like: they change no meaning."""

    file: str
    language: str
    records: dict[str, RecordLayout]
    globals: dict[str, Global]
    routines: dict[str, Function]
    remarks: tuple[tuple[Loc, str], ...] = ()
