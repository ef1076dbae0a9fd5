"""Memory of structs: the parts that it was taken apart into, and where a place in it lies."""

from __future__ import annotations

from dataclasses import field

from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import Array, Bool, Complex, Float, Int, Pointer, Record, Type
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.polynomial import Poly, const
from raising.frontend.lower.known.typed_values import Data, Element, Memory, Ptr, Sym, Variable
from raising.support.record import dataclass
from raising.support.source import Loc

Part = Variable | Element | Memory | Sym | Data | Ptr
_FLOATS = {80: 16}


@dataclass
class Records:
    """Structs that lie in one memory.

    `to` is what the pointer to them points to, or the type of a variable. A variable's `parts` are by the trails to
    them. What a caller passes has a `path`, from the caller's argument on (`Parameter.path`), and its parts by their
    bytes from there; if it is an array of structs (`many`), there is one part for each type of scalar, by its MLIR
    name: the whole memory as numbers of that type.
    """

    to: Type
    loc: Loc
    path: str = ""
    many: bool = False
    own: bool = False
    parts: dict[tuple[str, ...] | int | str, Part] = field(default_factory=dict)


def bytes_of(unit: st.Unit, t: Type, loc: Loc) -> int:
    """The size of a type in memory."""
    match t:
        case Bool():
            return 1
        case Int():
            return t.width // 8
        case Float():
            return _FLOATS.get(t.width, t.width // 8)
        case Complex():
            return 2 * bytes_of(unit, t.part, loc)
        case Pointer():
            return 8
        case Record():
            return unit.records[t.name].size
        case Array() if isinstance(t.extent, int):
            return t.extent * bytes_of(unit, t.element, loc)
    raise Refused(loc, "structs of a size that is not a constant")


def fields_of(unit: st.Unit, record: str) -> tuple[st.Field, ...]:
    """The fields of a struct; none of one that the file does not define, or never looks into."""
    layout = unit.records.get(record)
    return (layout.fields or ()) if layout else ()


def field_of(unit: st.Unit, record: str, name: str) -> st.Field:
    """A field of a struct."""
    return next(f for f in fields_of(unit, record) if f.name == name)


def bytes_at(unit: st.Unit, records: Records, place: Ptr, loc: Loc) -> Poly:
    """How many bytes a place lies behind the start of the memory."""
    at, t = const(0), Array(records.to, None)
    current: Type = t
    subscripts = iter(place.subscripts)
    for step in place.trail:
        if step:
            assert isinstance(current, Record)
            one = field_of(unit, current.name, step)
            at, current = at + one.offset // 8, one.type
        else:
            assert isinstance(current, Array)
            current = current.element
            at = at + next(subscripts) * bytes_of(unit, current, loc)
    return at
