"""What a front end gives: a `SourceModule` with its remarks.

`Refused` is the reason why one function stays in its language, with its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from raising.frontend.lower.ir.polynomial import Poly, const, isl_text
from raising.support.record import dataclass
from raising.support.source import Loc


@dataclass(frozen=True)
class SourceRemark:
    """A place in the source and one sentence about it; `on_data` if a loop stays that runs as often as data say."""

    place: Loc
    reason: str
    on_data: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


@dataclass(frozen=True)
class SourceParameter:
    """One parameter, in the source's order.

    `element` is its MLIR scalar type. `shape` is None for a scalar; for a
    pointer it has an entry for each dimension of the memref: an expression
    over the integer parameters, or "?" for the first extent of memory whose
    length the source function does not know. Memory is row-major and dense.
    """

    name: str
    element: str
    shape: tuple[str, ...] | None = None
    written: bool = False


@dataclass(frozen=True)
class SourceFunction:
    """The signature of a function of the module; `result` is its MLIR type, or None for `void`.

    `call` is the C that does what the function does, in the function `of` of the file. It can stand in place of the
    bytes `span`: those of a part, or none, behind the brace with which the body of a whole function begins. `own` are
    the parameters that are addresses of variables which nothing else points to.
    """

    name: str
    place: Loc
    parameters: tuple[SourceParameter, ...]
    result: str | None = None
    of: str = ""
    call: str = ""
    span: tuple[int, int] | None = None
    own: frozenset[str] = frozenset()


@dataclass(frozen=True)
class SourceLoop:
    """A loop of the file: the function around it, and what has it in the module, each with the loops around it there.

    `within` are these loops' places, by the name of a function of the module, outermost first; there are none where
    nothing is left of the loop. A loop that is in no function of the module has a `reason`.
    """

    place: Loc
    function: str
    within: tuple[tuple[str, tuple[Loc, ...]], ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Condition:
    """What is assumed of a function besides the places of its arrays; forms that are at least 0 where it holds.

    A parameter is called by its position in the module (`a2`), and an extent of an array by its dimension (`a2_0`).
    """

    function: str
    text: str
    place: Loc
    forms: tuple[Poly, ...]

    def fails(self, numbers: Mapping[str, int]) -> bool:
        """Whether it does not hold for these numbers, as far as they tell."""
        values = {name: const(number) for name, number in numbers.items()}
        found = [form.substitute(values).constant for form in self.forms]
        return any(value is not None and value < 0 for value in found)

    def of_sizes(self) -> list[tuple[frozenset[str], str]]:
        """What it says, form by form, where that is linear: the names of sizes in it, and isl's text.

        A parameter that is a size is called `n2` there.
        """
        found = []
        for form in (form for form in self.forms if form.is_linear):
            names = {name: re.sub(r"^a(\d+)$", r"n\1", name) for name in form.names()}
            found.append((frozenset(names.values()), f"{isl_text(form, names)} >= 0"))
        return found


@dataclass(frozen=True)
class SourceModule:
    """Affine MLIR text, the functions in it, what was refused, and what the source does not promise but we assume.

    `loops` are those of the file, in its order.

    `guards` is MLIR text, too (empty if none was asked for, or nothing is
    assumed): for each function `f` of which something is assumed, `@f.holds`
    says of `f`'s parameters whether that is so, and `@f.original` does what
    the source function does in any case. `raising.emit.versioning` puts them together.
    """

    mlir: str
    functions: tuple[SourceFunction, ...]
    remarks: tuple[SourceRemark, ...]
    refused: tuple[SourceRemark, ...]
    assumptions: tuple[SourceRemark, ...]
    guards: str = ""
    loops: tuple[SourceLoop, ...] = ()
    conditions: tuple[Condition, ...] = ()


class Refused(Exception):
    """A function is outside of the subset: where, and what it is."""

    def __init__(self, loc: Loc, reason: str):
        super().__init__(reason)
        self.loc = loc
        self.reason = reason


_NAME = re.compile(r"[A-Za-z_][\w$.]*", re.ASCII)


def check_name(name: str, loc: Loc) -> None:
    """`Refused` for a name that MLIR does not take as it is."""
    if not _NAME.fullmatch(name):
        raise Refused(loc, "only names in ASCII that begin with a letter are supported")


class OnData(Refused):
    """How often a loop runs depends on data."""

    def __init__(self, loc: Loc):
        super().__init__(loc, "the loop's condition depends on data")


class AtData(Refused):
    """A subscript depends on data, as far as is known."""

    def __init__(self, loc: Loc, reason: str = ""):
        told = "a subscript depends on data; it must be an affine function of loop variables and sizes"
        super().__init__(loc, reason or told)


class NotAffine(AtData):
    """The subscripts of an array are not affine, and no length of its rows explains them."""

    def __init__(self, loc: Loc, array: str, subscript: str):
        super().__init__(loc, f"{subscript} of '{array}' is not affine, and no row length explains it")
        self.array = array
