"""Complex numbers: two floats, which lie one behind the other in memory.

In the typed program a complex element is a row of two floats, and a complex variable two variables. Products are those
of algebra: what C11 G.5.1 says of infinities that become NaNs is assumed not to happen.
"""

from __future__ import annotations

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import Complex
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import Assumption
from raising.frontend.lower.ir.types import Number
from raising.frontend.lower.known.followed_integers import converted
from raising.frontend.lower.known.numbers_as_data import data, operation, real
from raising.frontend.lower.known.state import State
from raising.frontend.lower.known.typed_values import ComplexVariable, Data, Element, Pair, Ptr, Target, Value, Variable
from raising.support.source import Loc

Parts = tuple[Data, Data]


def pair(value: Value, loc: Loc) -> Parts:
    """The parts of a complex number."""
    if isinstance(value, Pair):
        return value.real, value.imaginary
    raise Refused(loc, "a complex number whose parts are not known")


def part_of(place: Target | Value, which: int, loc: Loc) -> Variable | Element:
    """The real (0) or imaginary (1) part of a complex variable or element."""
    if isinstance(place, ComplexVariable):
        return (place.real, place.imaginary)[which]
    if isinstance(place, Ptr) and place.subscripts and isinstance(place.to, Number) and not place.trail:
        return Element(place.array, (*place.subscripts[:-1], place.subscripts[-1] + which), place.to)
    raise Refused(loc, "a complex number whose memory is not known")


def parts_of(place: Target | Value, loc: Loc) -> tuple[Variable | Element, Variable | Element]:
    """The real and the imaginary part."""
    return part_of(place, 0, loc), part_of(place, 1, loc)


def binary_complex(state: State, node: ex.Binary, a: Value, b: Value) -> Pair:
    """A sum, difference or product."""
    (x, y), (u, v), t, loc = pair(a, node.loc), pair(b, node.loc), _part(node), node.loc

    def do(name: str, left: Data, right: Data) -> Data:
        return operation(state, f"arith.{name}", (left.id, right.id), t, loc)

    if node.op in ("add", "sub"):
        return Pair(do(f"{node.op}f", x, u), do(f"{node.op}f", y, v))
    if node.op != "mul":
        raise Refused(loc, "a division of complex numbers is not supported")
    state.assumptions.append(Assumption(loc, "no product of complex numbers is a NaN in both parts"))
    return Pair(do("subf", do("mulf", x, u), do("mulf", y, v)), do("addf", do("mulf", x, v), do("mulf", y, u)))


def negative_complex(state: State, node: ex.Unary, value: Value) -> Pair:
    """The negated number."""
    x, y = pair(value, node.loc)
    return Pair(*(operation(state, "arith.negf", (p.id,), _part(node), node.loc) for p in (x, y)))


def conjugate(state: State, node: ex.Intrinsic, value: Value) -> Pair:
    """The number with the other sign of its imaginary part."""
    x, y = pair(value, node.loc)
    return Pair(x, operation(state, "arith.negf", (y.id,), _part(node), node.loc))


def as_complex(state: State, node: ex.Convert, value: Value) -> Pair:
    """A number as a complex one, or a complex one with parts of another width."""
    t, loc = _part(node), node.loc
    if isinstance(value, Pair):
        x, y = (data(state, converted(state, p, t, loc), loc) for p in (value.real, value.imaginary))
        return Pair(x, y)
    return Pair(data(state, converted(state, value, t, loc), loc), real(state, 0.0, t, loc))


def made(state: State, node: ex.MakeComplex) -> Pair:
    """A complex number of two floats."""
    x, y = (data(state, state.value(p), node.loc) for p in (node.real, node.imaginary))
    return Pair(x, y)


def part(state: State, node: ex.Part) -> Data:
    """A part of a complex value."""
    return pair(state.value(node.operand), node.loc)[node.which]


def _part(node: ex.Expr) -> Number:
    assert isinstance(node.type, Complex)
    return float_of(node.type, node.loc)


def float_of(t: Complex, loc: Loc) -> Number:
    """The type of the parts."""
    if t.part.width not in (32, 64):
        raise Refused(loc, "complex numbers of other floats than float and double are not supported")
    return Number("float", t.part.width)
