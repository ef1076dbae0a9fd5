"""The values of expressions, one small function each, in a table by class."""

from __future__ import annotations

from collections.abc import Callable

from raising.affine.ir.integer_functions import COUNTS_BY_C
from raising.affine.ir.real_functions import BY_C
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import Bool, Complex, Int, Pointer
from raising.frontend.lower.from_core.complex_values import (
    as_complex,
    binary_complex,
    conjugate,
    made,
    negative_complex,
    part,
)
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.polynomial import const
from raising.frontend.lower.ir.types import Number
from raising.frontend.lower.known.data_positions import position
from raising.frontend.lower.known.followed_integers import binary, complement, converted, negative
from raising.frontend.lower.known.numbers_as_data import (
    comparison,
    computed,
    constant,
    data,
    distance,
    number_of,
    numeric,
    operation,
    real,
)
from raising.frontend.lower.known.pointers import cast_value, difference, moved, pointer
from raising.frontend.lower.known.resolved_types import resolved
from raising.frontend.lower.known.state import VALUES, State
from raising.frontend.lower.known.typed_values import Data, Extremum, Formula, Sym, Truth, Value
from raising.support.source import Loc


def _literal(state: State, node: ex.Literal) -> Value:
    if isinstance(node.type, Bool):
        return Formula(((),) if node.value else ())
    if isinstance(node.type, Pointer):
        raise Refused(node.loc, "a null pointer, or a pointer that is made of a number")
    t = number_of(node.type, node.loc)
    return real(state, float(node.value), t, node.loc) if t.is_float else Sym(const(int(node.value)), t)


def _unary(state: State, node: ex.Unary) -> Value:
    if isinstance(node.type, Complex):
        return negative_complex(state, node, state.value(node.operand))
    t, value = number_of(node.type, node.loc), state.value(node.operand)
    return negative(state, node, value, t) if node.op == "neg" else complement(state, node, value, t)


def _binary(state: State, node: ex.Binary) -> Value:
    splits = state.splits
    if _rounds_down(node):
        state.splits = None  # a multiple of a number is affine as it is
    left, right = state.value(node.left), state.value(node.right)
    state.splits = splits
    if isinstance(node.type, Complex):
        return binary_complex(state, node, left, right)
    t = number_of(node.type, node.loc)
    return (
        computed(state, node.op, left, right, t, node.loc) if t.kind != "int" else binary(state, node, left, right, t)
    )


def _rounds_down(node: ex.Binary) -> bool:
    """Whether this is `x / k * k` for a number k."""
    sides = (node.left, node.right), (node.right, node.left)
    return node.op == "mul" and any(
        isinstance(k, ex.Literal) and isinstance(q, ex.Binary) and _is_division(q, k) for q, k in sides
    )


def _is_division(quotient: ex.Binary, by: ex.Literal) -> bool:
    right = quotient.right
    return quotient.op in ("div", "floordiv") and isinstance(right, ex.Literal) and right.value == by.value


def _check(t: object, loc: Loc) -> None:
    if isinstance(t, Complex):
        raise Refused(loc, "this use of complex numbers is not supported")


def _convert(state: State, node: ex.Convert) -> Value:
    loc = node.loc
    if isinstance(node.type, Complex):
        return as_complex(state, node, state.value(node.operand))
    _check(node.operand.type, loc)
    if isinstance(node.type, Pointer):
        if not isinstance(node.operand.type, Pointer):
            raise Refused(loc, "a number is used as a pointer, or the pointer is not known")
        return cast_value(state, state.value(node.operand), resolved(state, node.type.to, loc), loc)
    if isinstance(node.operand.type, Pointer):
        raise Refused(loc, "a pointer is used as a number")
    return converted(state, state.value(node.operand), number_of(node.type, loc), loc)


def _offset(state: State, node: ex.Offset) -> Value:
    base = state.value(node.pointer)
    return moved(state, base, position(state, node.index), node.loc)


def _distance(state: State, node: ex.Distance) -> Value:
    a, b = (pointer(state.value(p), node.loc) for p in (node.left, node.right))
    return distance(state, difference(a, b, node.loc), node.loc)


# ---- functions without effects ------------------------------------------------------------------------

_SPELLED = {"abs": "math.absi"} | {name: row.op for name, row in BY_C.items()}
_EXTREMA = {"imax": "max", "imin": "min"}


def _intrinsic(state: State, node: ex.Intrinsic) -> Value:
    name, loc = node.name, node.loc
    if name == "conj":
        return conjugate(state, node, state.value(node.arguments[0]))
    for argument in node.arguments:
        _check(argument.type, loc)
    t = number_of(node.arguments[0].type, loc)
    values = [state.value(a) for a in node.arguments]
    if name in _EXTREMA:
        return _extremum(state, _EXTREMA[name], values, t, loc)
    arguments = tuple(data(state, value, loc).id for value in values)
    if name == "pow" and (exponent := _known(node.arguments[1])) in _POWERS:
        return _POWERS[exponent](state, arguments[0], t, loc)
    if name in _SPELLED:
        return operation(state, _SPELLED[name], arguments, t, loc)
    if name in COUNTS_BY_C:
        return converted(
            state, operation(state, COUNTS_BY_C[name].op, arguments, t, loc), number_of(node.type, loc), loc
        )
    test = _CLASSES.get(name)
    if test is None:
        raise Refused(loc, f"calls '{name}', for which there is no operation")
    return test(state, arguments, t, loc)


def _known(node: ex.Expr) -> float | None:
    """The number that an exponent is written as."""
    node = node.operand if isinstance(node, ex.Convert) else node
    if isinstance(node, ex.Unary) and node.op == "neg" and isinstance(node.operand, ex.Literal):
        unsigned = isinstance(node.type, Int) and not node.type.signed
        return None if unsigned else -float(node.operand.value)
    return float(node.value) if isinstance(node, ex.Literal) else None


_POWERS: dict[float | None, Callable[[State, int, Number, Loc], Value]] = {
    -1.0: lambda state, x, t, loc: operation(state, "arith.divf", (real(state, 1.0, t, loc).id, x), t, loc),
    1.0: lambda state, x, t, loc: Data(x, t),
    2.0: lambda state, x, t, loc: operation(state, "arith.mulf", (x, x), t, loc),
}
"""Powers that are one operation, with the result that C's library has; other ones round more often than it does."""


def _extremum(state: State, kind: str, values: list[Value], t: Number, loc: Loc) -> Value:
    a, b = (numeric(value, loc) for value in values)
    if isinstance(a, Sym) and isinstance(b, Sym):
        return Extremum(kind, (a.form, b.form), t)
    parts = data(state, a, loc).id, data(state, b, loc).id
    return operation(state, f"arith.{kind}{'si' if t.signed else 'ui'}", parts, t, loc)


def _same_order(predicate: str, state: State, arguments: tuple[int, ...], t: Number, loc: Loc) -> Truth:
    x, y = arguments if len(arguments) == 2 else (arguments[0], arguments[0])
    return Truth(state.let(f"arith.cmpf {predicate}, {{0}}, {{1}} : {t.mlir}", (x, y), "i1", loc))


def _is_finite(state: State, arguments: tuple[int, ...], t: Number, loc: Loc) -> Truth:
    return Truth(state.let(f"math.isfinite {{0}} : {t.mlir}", arguments, "i1", loc))


def _is_infinite(state: State, arguments: tuple[int, ...], t: Number, loc: Loc) -> Truth:
    size = operation(state, "math.absf", arguments, t, loc).id
    infinite = real(state, float("inf"), t, loc).id
    return Truth(state.let(f"arith.cmpf oeq, {{0}}, {{1}} : {t.mlir}", (size, infinite), "i1", loc))


def _sign_bit(state: State, arguments: tuple[int, ...], t: Number, loc: Loc) -> Truth:
    whole = Number("int", t.width)
    bits = state.let(f"arith.bitcast {{0}} : {t.mlir} to {whole.mlir}", arguments, whole.mlir, loc)
    return Truth(comparison(state, "lt", bits, constant(state, 0, whole, loc), whole, loc))


_CLASSES = {
    "isnan": lambda *a: _same_order("uno", *a),
    "isunordered": lambda *a: _same_order("uno", *a),
    "islessgreater": lambda *a: _same_order("one", *a),
    "isinf": _is_infinite,
    "isfinite": _is_finite,
    "signbit": _sign_bit,
}


def _routine(state: State, node: ex.RoutineName) -> Value:
    raise Refused(node.loc, "a pointer to a function is not supported")


VALUES.update(
    {
        ex.Literal: _literal,
        ex.Unary: _unary,
        ex.Binary: _binary,
        ex.Convert: _convert,
        ex.Offset: _offset,
        ex.Distance: _distance,
        ex.Intrinsic: _intrinsic,
        ex.MakeComplex: made,
        ex.Part: part,
        ex.RoutineName: _routine,
    }
)
