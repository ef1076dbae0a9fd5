"""`memset`, `memcpy` and `memmove` as the loops over elements that they stand for."""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import BOOL, I64, U64, Array, Float, Int, Pointer, Type
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.polynomial import const
from raising.frontend.lower.ir.types import LONG, SIZE, UNTYPED, ArrayOf, CType, Number, extents, scalar_of
from raising.frontend.lower.ir.types import Pointer as PointerTo
from raising.frontend.lower.known.followed_integers import binary, converted
from raising.frontend.lower.known.numbers_as_data import data
from raising.frontend.lower.known.pointers import pointer, size_of
from raising.frontend.lower.known.state import State
from raising.frontend.lower.known.typed_values import Data, Ptr, Sym, Value, Variable
from raising.support.source import Loc

COPIES = ("memset", "memcpy", "memmove")


def whole(state: State, node: st.Call, values: list[Value]) -> tuple[st.Stmt, ...]:
    """The loops that a call stands for; what it says gets names that no source can spell."""
    loc, name = node.loc, str(node.callee).removeprefix("__builtin_")
    if len(values) != 3:
        raise Refused(loc, f"calls '{name}' with {len(values)} arguments")
    to = pointer(values[0], loc)
    element = scalar_of(to.to)
    if element is None or element == UNTYPED:
        raise Refused(loc, "bytes of memory whose type is not known")
    source = None
    if name == "memset":
        source = _filled(state, values[1], element, loc)
    else:
        _check_source(name, to, pointer(values[1], loc), loc)
    made = [_named(state, "memory.to", to)]
    if source is None:  # bytes are what is copied: elements of the source are read as the target's type
        made.append(_named(state, "memory.from", replace(pointer(values[1], loc), to=to.to)))
    count = st.Variable("memory.count", I64, "hidden", loc, constant=True)
    steps = state.frame.entities[count.name] = _steps(state, values[2], to, element.width // 8, loc)
    if isinstance(steps, Sym) and steps.form.constant == 1:  # perhaps a variable, which has no subscripts
        return _loops(to.to, made, None, source, loc)
    return _loops(to.to, made, build.read(count, loc), source, loc)


def _named(state: State, name: str, value: Ptr) -> st.Variable:
    """A variable of the core for a pointer."""
    key = f"{state.frame.path}{name}"
    state.frame.entities[name] = Variable(key, PointerTo(value.to))
    state.values[key] = value
    return st.Variable(name, Pointer(_core(value.to)), "hidden", Loc(), constant=True)


def _core(t: CType) -> Type:
    """A type in the core; extents are not asked for."""
    if isinstance(t, ArrayOf):
        assert t.extent is not None
        return Array(_core(t.element), t.extent.constant)
    assert isinstance(t, Number)
    if t.kind == "bool":
        return BOOL
    return Float(t.width) if t.is_float else Int(t.width, t.signed)


def _check_source(name: str, to: Ptr, source: Ptr, loc: Loc) -> None:
    """`Refused` if elements cannot be copied one by one in order."""
    if name == "memmove" and to.array == source.array:
        raise Refused(loc, "memmove within an array")
    if _shape(to.to) != _shape(source.to):
        raise Refused(loc, f"{name} between elements of different sizes, or rows of different shapes")


def _shape(t: CType) -> tuple[object, ...]:
    """The bits of an element, and the extents of rows."""
    number = scalar_of(t)
    return (number.width if number else None, *extents(t))


def _filled(state: State, value: Value, element: Number, loc: Loc) -> ex.Expr:
    """What an element is when each of its bytes is the value."""
    byte, t = value.form.constant if isinstance(value, Sym) else None, _core(element)
    if byte is None and element.width == 8 and element.kind == "int":
        one = st.Variable("memory.byte", t, "hidden", loc, constant=True)
        state.frame.entities[one.name] = data(state, converted(state, value, element, loc), loc)
        return build.read(one, loc)
    if byte is None or byte % 256 and (element.is_float or element.kind == "bool"):
        raise Refused(loc, "memset to other than zero bytes")
    number = byte % 256 * sum(1 << 8 * k for k in range(element.width // 8))
    return build.convert(build.integer(number, U64, loc), t, loc)


def _steps(state: State, size: Value, to: Ptr, width: int, loc: Loc) -> Sym | Data:
    """A number of bytes as a number of what a pointer points to."""
    bytes_ = converted(state, size, SIZE, loc)
    unit = size_of(to.to, loc).constant
    if unit is None:
        raise Refused(loc, "bytes of rows whose length is not a constant")
    unit *= width
    if isinstance(bytes_, Sym):
        if any(c % unit for _, c in bytes_.form.terms):
            raise Refused(loc, f"bytes that are not known to be whole elements or rows of {unit}")
        return Sym(bytes_.form.floordiv(unit), LONG)
    zero = build.integer(0, U64, loc)
    divided = binary(state, ex.Binary("div", zero, zero, U64, loc), bytes_, Sym(const(unit), SIZE), SIZE)
    return data(state, converted(state, divided, LONG, loc), loc)


def _loops(
    to: CType, memory: list[st.Variable], count: ex.Expr | None, source: ex.Expr | None, loc: Loc
) -> tuple[st.Stmt, ...]:
    """The loops that store to every element, or to the first one alone, without a `count`.

    `source` is a value, or None for the elements of the second memory.
    """
    inner = [build.integer(int(e.constant or 0), I64, loc) for e in extents(to) if e is not None]
    ends = [*([] if count is None else [count]), *inner]
    variables = [st.Variable(f"i.memory{k}", I64, "hidden", loc) for k in range(len(ends))]
    at: list[ex.Expr] = [] if count is not None else [build.integer(0, I64, loc)]
    at += [build.read(variable, loc) for variable in variables]
    value = source or build.load(_element(memory[1], at, loc), loc)
    body: tuple[st.Stmt, ...] = (st.Assign(_element(memory[0], at, loc), value, loc),)
    for variable, end in zip(reversed(variables), reversed(ends), strict=True):
        body = build.count_to(variable, end, body, loc)
    return body


def _element(memory: st.Variable, subscripts: list[ex.Expr], loc: Loc) -> ex.Lvalue:
    found: ex.Lvalue = build.name(memory, loc)
    for subscript in subscripts:
        found = build.element(found, subscript, loc)
    return found
