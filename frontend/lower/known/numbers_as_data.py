"""Numbers as data: numbered values, constants, conversions and operators on them."""

from __future__ import annotations

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import Bool, Float, Int, Type
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.polynomial import Poly, var
from raising.frontend.lower.ir.types import BOOL, INT, LONG, Number, float_text
from raising.frontend.lower.known.selections import affine_branch, split
from raising.frontend.lower.known.state import State
from raising.frontend.lower.known.typed_values import (
    Cases,
    Data,
    Demote,
    Extremum,
    Formula,
    Nothing,
    Pair,
    Places,
    Ptr,
    Sym,
    Truth,
    Value,
)
from raising.support.source import Loc

Numeric = Sym | Extremum | Cases | Data | Truth | Formula
TRUTH = Number("truth", 1, signed=False)

_FLOAT = {"add": "addf", "sub": "subf", "mul": "mulf", "div": "divf"}
_INT = {"add": "addi", "sub": "subi", "mul": "muli", "and": "andi", "or": "ori", "xor": "xori", "shl": "shli"}
_BY_SIGN = {
    "div": ("divsi", "divui"), "rem": ("remsi", "remui"), "shr": ("shrsi", "shrui"),
    "floordiv": ("floordivsi", "divui"),
}  # fmt: skip
_TRUTHS = {"and": "andi", "or": "ori", "xor": "xori"}


def number_of(t: Type, loc: Loc) -> Number:
    """A scalar type of the core as a type of the typed program."""
    match t:
        case Int() if t.width <= 64:
            return Number("int", t.width, t.signed)
        case Float() if t.width in (32, 64):
            return Number("float", t.width)
        case Bool():
            return BOOL
        case Float():
            what = "long double is" if t.width == 80 else f"floats of {t.width} bits are"
            raise Refused(loc, f"{what} not supported")
        case Int():
            raise Refused(loc, f"integers of {t.width} bits are not supported")
    raise Refused(loc, "a pointer is used as a number")


def numeric(value: Value, loc: Loc) -> Numeric:
    """The value if it is a number."""
    if isinstance(value, Ptr | Places):
        raise Refused(loc, "a pointer is used as a number")
    if isinstance(value, Pair):
        raise Refused(loc, "a complex number is used as a real one")
    if isinstance(value, Nothing):
        raise Refused(loc, "the value of a void function is used")
    return value


# ---- constants --------------------------------------------------------------------------------------


def constant(state: State, value: int, t: Number, loc: Loc) -> int:
    """An integer constant as data."""
    text = ("true" if value else "false") if t.width == 1 else f"{_wrapped(value, t)} : {t.mlir}"
    return state.let(f"arith.constant {text}", (), t.mlir, loc)


def _wrapped(value: int, t: Number) -> int:
    if t.kind == "bool":
        return int(value != 0)
    return wrapped(value, t)


def wrapped(value: int, t: Number) -> int:
    """An integer modulo 2^width, as the type reads it."""
    return build.wrapped(value, Int(t.width, t.signed))


def real(state: State, value: float, t: Number, loc: Loc) -> Data:
    """A constant of a floating type."""
    return Data(state.let(f"arith.constant {float_text(value, t)} : {t.mlir}", (), t.mlir, loc), t)


# ---- numbered values --------------------------------------------------------------------------------


def data(state: State, value: Value, loc: Loc) -> Data:
    """The number as a numbered value of its own type; a truth value as a byte that is 0 or 1."""
    number = numeric(value, loc)
    match number:
        case Data():
            return number
        case Truth() | Formula():
            wide = state.let("arith.extui {0} : i1 to i8", (truth_id(state, number, loc),), "i8", loc)
            return Data(wide, BOOL)
        case Cases():
            return _case_data(state, number, loc)
        case Extremum():
            parts = [data(state, Sym(f, number.type), loc).id for f in number.forms]
            name = f"arith.{number.kind}{'si' if number.type.signed else 'ui'}"
            while len(parts) > 1:
                parts[:2] = [operation(state, name, (parts[0], parts[1]), number.type, loc).id]
            return Data(parts[0], number.type)
    return Data(_polynomial(state, number.form, number.type, loc), number.type)


def _case_data(state: State, value: Cases, loc: Loc) -> Data:
    """A number in cases as what lies in a memory of its own; if it is a variable's, of the variable."""
    if value.key:
        raise Demote(value.key)
    cell, t = state.cell("case", value.type, loc), value.type
    split(state, value.cases, lambda form: state.write(cell, (), data(state, Sym(form, t), loc).id, loc), loc)
    return Data(state.read(cell, (), loc), t)


def _polynomial(state: State, form: Poly, t: Number, loc: Loc) -> int:
    if form.constant is not None:
        return constant(state, form.constant, t, loc)
    if form.is_affine(state.facts.free):
        return state.index_of(form, t.mlir, loc)
    # Exact also where the product wraps: both sides are taken modulo a power of two.
    total: int | None = None
    for mono, c in form.terms:
        factors = [state.index_of(var(a), t.mlir, loc) for a in mono]
        factors += [constant(state, c, t, loc)] if c != 1 or not mono else []
        product = factors[0]
        for factor in factors[1:]:
            product = operation(state, "arith.muli", (product, factor), t, loc).id
        total = product if total is None else operation(state, "arith.addi", (total, product), t, loc).id
    assert total is not None
    return total


def operation(state: State, name: str, args: tuple[int, ...], t: Number, loc: Loc) -> Data:
    """An operation whose operands and result have one type."""
    text = f"{name} {', '.join(f'{{{k}}}' for k in range(len(args)))} : {t.mlir}"
    return Data(state.let(text, args, t.mlir, loc), t)


def index(state: State, value: Value, loc: Loc) -> Poly:
    """A number as a subscript, where nothing is followed: a constant, or the name of a numbered value."""
    if isinstance(value, Sym):
        return value.form
    found = data(state, value, loc)
    name = "index_cast" if found.type.signed else "index_castui"
    return var(f"%{state.let(f'arith.{name} {{0}} : {found.type.mlir} to index', (found.id,), 'index', loc)}")


def distance(state: State, form: Poly, loc: Loc) -> Sym | Data:
    """A distance between pointers as a number."""
    if state.choices.literal and form.constant is None:
        return Data(state.index_of(form, LONG.mlir, loc), LONG)
    return Sym(form, LONG)


# ---- truth values -----------------------------------------------------------------------------------


def truth_id(state: State, value: Value, loc: Loc) -> int:
    """The number of an i1 of a truth value."""
    if isinstance(value, Truth):
        return value.id
    if isinstance(value, Formula):
        return _formula_id(state, value, loc)
    found = data(state, value, loc)
    zero = real(state, 0.0, found.type, loc).id if found.type.is_float else constant(state, 0, found.type, loc)
    return comparison(state, "ne", found.id, zero, found.type, loc)


def _formula_id(state: State, value: Formula, loc: Loc) -> int:
    if value.when == () or () in value.when:
        return constant(state, int(value.when != ()), TRUTH, loc)
    cell = state.cell("t", TRUTH, loc)

    def write(known: int) -> None:
        state.write(cell, (), constant(state, known, TRUTH, loc), loc)

    affine_branch(state, value.when, lambda: write(1), lambda: write(0), loc)
    return state.read(cell, (), loc)


def comparison(state: State, op: str, x: int, y: int, t: Number, loc: Loc) -> int:
    """A comparison of two numbered values of a type."""
    if t.is_float:
        text = f"arith.cmpf {'u' if op == 'ne' else 'o'}{op}, {{0}}, {{1}} : {t.mlir}"
    else:
        sign = "" if op in ("eq", "ne") else "s" if t.signed else "u"
        text = f"arith.cmpi {sign}{op}, {{0}}, {{1}} : {t.mlir}"
    return state.let(text, (x, y), "i1", loc)


# ---- conversions and operators ----------------------------------------------------------------------


def cast(state: State, value: Numeric, t: Number, loc: Loc) -> Data:
    """A number as data of another type."""
    if isinstance(value, Truth | Formula):
        wide = state.let("arith.extui {0} : i1 to i32", (truth_id(state, value, loc),), "i32", loc)
        return _cast(state, Data(wide, INT), t, loc)
    return _cast(state, data(state, value, loc), t, loc)


def _cast(state: State, value: Data, t: Number, loc: Loc) -> Data:
    a, b = value.type, t
    if a.mlir == b.mlir:
        return Data(value.id, t)
    sign = "s" if a.signed else "u"
    if a.is_float and b.is_float:
        name = "extf" if b.width > a.width else "truncf"
    elif b.is_float:
        name = f"{sign}itofp"
    elif a.is_float:
        # What C leaves undefined aside, a narrow or unsigned result is cut from a wider signed one.
        name = "fptosi" if b.signed or b.width < 64 else "fptoui"
        if b.width < 32 or (not b.signed and b.width == 32):
            wide = Number("int", 32 if b.width < 32 else 64)
            return _cast(state, _cast(state, value, wide, loc), t, loc)
    else:
        name = f"ext{sign}i" if b.width > a.width else "trunci"
    return Data(state.let(f"arith.{name} {{0}} : {a.mlir} to {b.mlir}", (value.id,), b.mlir, loc), t)


def computed(state: State, op: ex.BinaryOp, a: Value, b: Value, t: Number, loc: Loc) -> Data | Truth:
    """`a op b` on data of a type; the right operand of a shift is converted to it."""
    if t == BOOL and op in _TRUTHS:
        x, y = truth_id(state, a, loc), truth_id(state, b, loc)
        return Truth(state.let(f"arith.{_TRUTHS[op]} {{0}}, {{1}} : i1", (x, y), "i1", loc))
    if op == "floormod" and not t.is_float:
        return _floor_modulo(state, a, b, t, loc)
    x, y = data(state, a, loc).id, cast(state, numeric(b, loc), t, loc).id
    if t.is_float:
        if op not in _FLOAT:
            raise Refused(loc, f"operator '{op}' on floating numbers")
        return operation(state, f"arith.{_FLOAT[op]}", (x, y), t, loc)
    name = _INT[op] if op in _INT else _BY_SIGN[op][not t.signed]
    return operation(state, f"arith.{name}", (x, y), t, loc)


def _floor_modulo(state: State, a: Value, b: Value, t: Number, loc: Loc) -> Data | Truth:
    x, y = data(state, a, loc), data(state, b, loc)
    quotient = computed(state, "floordiv", x, y, t, loc)
    return computed(state, "sub", x, computed(state, "mul", quotient, y, t, loc), t, loc)
