"""Functions of numbers, by their names: Python's, those of `math`, and NumPy's where it is given one element.

A function has a row in `_OF_NUMBERS` under its full name (`numpy.maximum`), and one that takes a complex number a row
in `_OF_COMPLEX`: what gives its value, or None where it is none of such arguments. Those with a row in
`affine.ir.real_functions` are in the first table by `_math`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from math import inf

import numpy as np

from raising.affine.ir.real_functions import BY_NUMPY, BY_PYTHON
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.intrinsics import INTRINSICS
from raising.frontend.core.types import I64
from raising.frontend.lower.ir.module import Refused
from raising.frontend.python.expressions import Expressions
from raising.frontend.python.numpy_library import complex_arithmetic
from raising.frontend.python.numpy_library.integer_powers import of_integers
from raising.frontend.python.numpy_library.numpy_quotients import absolute, quotient
from raising.frontend.python.typed_nodes import Typed, called, chosen, constant
from raising.frontend.python.types import BOOL, COMPLEX, FLOAT, INT, Kind, of_both, of_function
from raising.support.record import dataclass
from raising.support.source import Loc

_OF_BOTH = frozenset(["pow", "fmod", "fmax", "fmin"])  # NumPy gives integers for integers
_CONJUGATES = ("conj", "conjugate", "_conjugate")
_DIGITS = 22  # 10 to that power is a float
_ROUNDED = ("floor", "ceil", "trunc")  # of `math`, these give an integer


@dataclass(frozen=True)
class NumberCall:
    """A call of function `name` in module `home` (empty for Python's own), with the values of its arguments."""

    node: ast.Call
    home: str
    name: str
    values: list[Typed]
    loc: Loc

    @property
    def kind(self) -> Kind:
        """The kind of the first argument."""
        return self.values[0].kind


def of_numbers(of: Expressions, call: NumberCall) -> Typed | None:
    """The value of a function of integers and floats; None for one that is not known."""
    name = f"{call.home}.{call.name}" if call.home else call.name
    handler = _OF_NUMBERS.get(name)
    found = None if handler is None else handler(of, call)
    if handler is not None and found is None:
        raise Refused(call.loc, f"this call of '{name}' is not supported")
    return found


def of_complex_numbers(of: Expressions, call: NumberCall) -> Typed | None:
    """The value of a function of one complex number; None for one that is not known."""
    handler = _OF_COMPLEX.get(call.name) if len(call.values) == 1 and call.home in ("", "numpy") else None
    return None if handler is None else handler(of, call)


# ---- of a complex number ------------------------------------------------------------------------------


def _part(of: Expressions, call: NumberCall) -> Typed:
    return Typed(_parts(of, call)[call.name == "imag"], call.kind.part)


def _conjugate(of: Expressions, call: NumberCall) -> Typed:
    real, imaginary = _parts(of, call)
    negative = build.unary("neg", imaginary, call.loc)
    return Typed(complex_arithmetic.made(real, negative, call.kind, call.loc), Kind(call.kind.dtype))


def _magnitude(of: Expressions, call: NumberCall) -> Typed:
    part = call.kind.part
    kind = Kind(part.dtype, part.weak and not call.home)
    return _hypotenuse(of, [*_parts(of, call)], kind, call.loc)


def _squared(of: Expressions, call: NumberCall) -> Typed:
    """The square of the magnitude."""
    kind, loc = Kind(call.kind.part.dtype), call.loc
    squares = [build.binary("mul", part, part, loc) for part in map(of.kept, _parts(of, call))]
    return Typed(build.binary("add", squares[0], squares[1], loc), kind)


def _angle(of: Expressions, call: NumberCall) -> Typed:
    return called("atan2", [*_parts(of, call)][::-1], Kind(call.kind.part.dtype), call.loc)


def _exponential(of: Expressions, call: NumberCall) -> Typed | None:
    if call.home != "numpy":
        return None
    kind = Kind(call.kind.dtype)
    made = complex_arithmetic.exponential(*_parts(of, call), kind, call.loc, of.kept)
    return Typed(of.kept(made), kind)


def _root(of: Expressions, call: NumberCall) -> Typed | None:
    """The root in the right half: the larger part by the magnitude, the other one by a quotient."""
    if call.home != "numpy":
        return None
    kind, loc = Kind(call.kind.part.dtype), call.loc
    x, y = map(of.kept, _parts(of, call))
    nothing, two = (constant(n, loc).converted(kind, loc) for n in (0, 2))
    size, far = (of.kept(build.intrinsic("fabs", (part,), loc)) for part in (x, y))
    most = build.binary("add", _hypotenuse(of, [x, y], kind, loc).node, size, loc)
    large = of.kept(build.intrinsic("sqrt", (build.binary("div", most, two, loc),), loc))
    small = build.binary("div", far, build.binary("mul", two, large, loc), loc)
    least = of.keep(chosen(build.compare("eq", large, nothing, loc), Typed(far, kind), Typed(small, kind), kind, loc))
    left, larger = build.compare("lt", x, nothing, loc), Typed(large, kind)
    real, other = (chosen(left, a, b, kind, loc).node for a, b in ((least, larger), (larger, least)))
    turned = build.intrinsic("copysign", (other, y), loc)
    return Typed(complex_arithmetic.made(real, turned, call.kind, loc), Kind(call.kind.dtype))


def _logarithm(of: Expressions, call: NumberCall) -> Typed | None:
    if call.home != "numpy":
        return None
    size = build.intrinsic("log", (_magnitude(of, call).node,), call.loc)
    return Typed(complex_arithmetic.made(size, _angle(of, call).node, call.kind, call.loc), Kind(call.kind.dtype))


def _turned(of: Expressions, call: NumberCall) -> Typed | None:
    """A sine or cosine, of an angle or hyperbolic: products of such functions of the parts."""
    if call.home != "numpy":
        return None
    hyperbolic, loc = call.name.endswith("h"), call.loc
    x, y = map(of.kept, _parts(of, call))
    angle, other = (y, x) if hyperbolic else (x, y)
    sin, cos = (build.intrinsic(f, (angle,), loc) for f in ("sin", "cos"))
    sinh, cosh = (build.intrinsic(f, (other,), loc) for f in ("sinh", "cosh"))
    pairs = {"sin": ((sin, cosh), (cos, sinh)), "cos": ((cos, cosh), (sin, sinh))}
    pairs |= {"sinh": ((sinh, cos), (cosh, sin)), "cosh": ((cosh, cos), (sinh, sin))}
    real, imaginary = (of.kept(build.binary("mul", a, b, loc)) for a, b in pairs[call.name])
    imaginary = build.unary("neg", imaginary, loc) if call.name == "cos" else imaginary
    return Typed(complex_arithmetic.made(real, imaginary, call.kind, loc), Kind(call.kind.dtype))


def _classified_parts(of: Expressions, call: NumberCall) -> Typed | None:
    """Whether one part is a NaN or infinite; whether both are finite."""
    if call.home != "numpy":
        return None
    asked = [build.intrinsic(call.name, (part,), call.loc) for part in _parts(of, call)]
    joined = build.both if call.name == "isfinite" else build.either
    return Typed(joined(asked[0], asked[1], call.loc), Kind("bool"))


def _parts(of: Expressions, call: NumberCall) -> tuple[ex.Expr, ex.Expr]:
    return complex_arithmetic.parts(of.kept(call.values[0].node), call.loc)


# ---- of other numbers ---------------------------------------------------------------------------------


def _of_real(of: Expressions, call: NumberCall) -> Typed | None:
    """The parts and the conjugate."""
    if call.kind.is_bool:
        return None
    return (
        Typed(constant(0, call.loc).converted(call.kind, call.loc), call.kind)
        if call.name == "imag"
        else call.values[0]
    )


def _made_floating(of: Expressions, call: NumberCall) -> Typed:
    """A number in the type of another one, or else in that of NumPy's functions of floats (`_of_floats`)."""
    kind = call.kind
    if call.name == "_of_floats" and not kind.is_float:
        raise Refused(call.loc, f"this function of a {kind.dtype}; convert it first")
    made = call.values[-1].kind if len(call.values) > 1 else kind if kind.is_float else of_function(kind)
    if made.dtype == "float16":
        raise Refused(call.loc, f"a function of a {kind.dtype} has half precision; convert it first")
    return Typed(call.values[0].converted(made, call.loc), made)


def _pythons_extremum(of: Expressions, call: NumberCall) -> Typed | None:
    """`min` and `max`: the first of those that no other one goes beyond."""
    if len(call.values) < 2:
        return None
    kind, best, loc = of.same(call.values, call.node.args), call.values[0], call.loc
    for value in call.values[1:]:
        best = best if best is call.values[0] else of.keep(best)
        sides = [v.converted(kind, loc) for v in (value, best)]
        better = build.compare("lt" if call.name == "min" else "gt", sides[0], sides[1], loc)
        best = chosen(better, value, best, kind, loc)
    return best


def _extremum(of: Expressions, call: NumberCall) -> Typed | None:
    """`numpy.minimum` and `numpy.maximum`; a NaN goes beyond all."""
    if len(call.values) != 2:
        return None
    (a, b), loc = call.values, call.loc
    kind = of_both(a.kind, b.kind)
    of.check_fits(call.values, kind, loc)
    left, right = a.converted(kind, loc), b.converted(kind, loc)
    if kind.is_float:
        return called(call.name, [left, right], kind, loc)
    return chosen(build.compare("gt" if call.name == "maximum" else "lt", left, right, loc), a, b, kind, loc)


def _absolute(of: Expressions, call: NumberCall) -> Typed | None:
    kind = call.kind
    if kind.is_float or len(call.values) != 1:
        return _math(of, call)
    kind = INT if kind.is_bool and kind.weak else kind
    return Typed(absolute(call.values[0].converted(kind, call.loc), kind, call.loc), kind)


def _square(of: Expressions, call: NumberCall) -> Typed | None:
    kind = call.kind
    if kind.is_bool or len(call.values) != 1:
        return None
    factor = call.values[0].converted(kind, call.loc)
    return Typed(build.binary("mul", factor, factor, call.loc, kind.wraps), kind)


def _rounded(of: Expressions, call: NumberCall) -> Typed | None:
    """An integer is itof."""
    kind = call.kind
    if kind.is_float or kind.is_bool or len(call.values) != 1:
        return _math(of, call)
    return Typed(call.values[0].converted(kind, call.loc), Kind(kind.dtype))


def _to_digits(of: Expressions, call: NumberCall) -> Typed | None:
    """A number of NumPy's, rounded to some decimals: a quotient of an integer by a power of ten, as NumPy has it."""
    kind, digits, loc = call.kind, call.values[-1].number, call.loc
    if kind.is_float and kind.weak and not call.home:
        raise Refused(loc, "the decimals of a float of Python's, rounded; np.round is close to them")
    if not isinstance(digits, int) or abs(digits) > _DIGITS or not kind.is_float and (digits < 0 or kind.is_bool):
        raise Refused(loc, f"a {kind.dtype} rounded to {'so many' if digits is None else digits} decimals")
    if not kind.is_float:
        return call.values[0]
    made = _made_floating(of, replace(call, values=call.values[:1]))
    power = constant(10.0 ** abs(digits), loc).converted(made.kind, loc)
    ways: tuple[ex.BinaryOp, ex.BinaryOp] = ("mul", "div") if digits >= 0 else ("div", "mul")
    scaled = called("rint", [build.binary(ways[0], made.node, power, loc)], made.kind, loc)
    return Typed(build.binary(ways[1], scaled.node, power, loc), made.kind)


def _nearest(of: Expressions, call: NumberCall) -> Typed | None:
    """`round(x)` as an integer of Python's."""
    if len(call.values) == 2:
        return _to_digits(of, call)
    if len(call.values) != 1 or call.kind == Kind("bool"):
        return None
    value = call.values[0]
    if call.kind.is_float:
        value = called("rint", [value.converted(call.kind, call.loc)], call.kind, call.loc)
    return Typed(value.converted(INT, call.loc), INT)


def _math(of: Expressions, call: NumberCall) -> Typed | None:
    """A function of real numbers, in the kind of its arguments; of `math`, in float64."""
    kind, loc = reduce(of_both, [v.kind for v in call.values]), call.loc
    own = _intrinsic(call)
    if own is None or len(call.values) != INTRINSICS[own].arity:
        return None
    if call.home == "math":
        kind = FLOAT
    elif call.home == "numpy":
        if own == "pow" and not kind.is_float:
            return of_integers(of, *call.values)
        if own in _OF_BOTH and not kind.is_float:
            return _of_integers(of, call, Kind(kind.dtype))
        kind = Kind("float64") if kind.weak else kind if kind.is_float else _of_each(call)
        if kind.dtype == "float16":
            raise Refused(loc, f"'{call.name}' of a {call.kind.dtype} has half precision; convert it first")
    sides = [v.converted(kind, loc) for v in call.values]
    value = _hypotenuse(of, sides, kind, loc) if own == "hypot" else called(own, sides, kind, loc)
    to_integer = call.home == "math" and call.name in _ROUNDED
    return Typed(build.convert(value.node, I64, loc), INT) if to_integer else value


def _of_each(call: NumberCall) -> Kind:
    """The floats that hold each of some integers: float32 for an int16 and a uint16, which int32 would hold."""
    return reduce(of_both, [of_function(v.kind) for v in call.values if not v.kind.weak])


def _of_integers(of: Expressions, call: NumberCall, kind: Kind) -> Typed | None:
    """`np.fmod`, `np.fmax` and `np.fmin` of integers, of which none is a NaN."""
    if call.name != "fmod":
        return _extremum(of, replace(call, name={"fmax": "maximum", "fmin": "minimum"}[call.name]))
    if kind.is_bool:
        return None
    of.check_fits(call.values, kind, call.loc)
    a, b = (v.converted(kind, call.loc) for v in call.values)
    return Typed(quotient("rem", a, b, kind, call.loc, of.kept), kind)


def _intrinsic(call: NumberCall) -> str | None:
    """The function of the core that a function of Python's is."""
    if call.name == "hypot":
        return call.name
    rows = BY_PYTHON if call.home == "math" else BY_NUMPY
    row = rows.get("rint" if call.name == "_rounded" else call.name)
    return row.names_in_c[0] if row else None


def _hypotenuse(of: Expressions, sides: list[ex.Expr], kind: Kind, loc: Loc) -> Typed:
    """The longer side times the root of 1 + the square of the quotient: only the result can leave the range."""
    one, nothing, far = (constant(n, loc).converted(kind, loc) for n in (1, 0, inf))
    lengths = [of.kept(called("fabs", [side], kind, loc).node) for side in sides]
    most, least = (of.kept(called(name, lengths, kind, loc).node) for name in ("maximum", "minimum"))
    ratio = of.kept(build.binary("div", least, most, loc))
    root = called("sqrt", [build.binary("add", one, build.binary("mul", ratio, ratio, loc), loc)], kind, loc)
    found = Typed(build.binary("mul", most, root.node, loc), kind)
    found = chosen(build.compare("eq", most, nothing, loc), Typed(nothing, kind), found, kind, loc)
    for length in lengths:
        found = chosen(build.compare("eq", length, far, loc), Typed(far, kind), found, kind, loc)
    return found


def _classified(of: Expressions, call: NumberCall) -> Typed | None:
    """A question about a float; integers are finite."""
    if len(call.values) != 1:
        return None
    kind, result = call.kind, BOOL if call.home == "math" else Kind("bool")
    if kind.is_float and kind.dtype != "float16":
        return Typed(build.intrinsic(call.name, (call.values[0].converted(kind, call.loc),), call.loc), result)
    if call.name == "signbit" or kind.is_float:
        raise Refused(call.loc, f"'{call.name}' of a {kind.dtype}; convert it first")
    return Typed(build.truth(call.name == "isfinite", call.loc), result)


def _divisor(of: Expressions, call: NumberCall) -> Typed | None:
    """The greatest common divisor of two integers by Euclid's algorithm, or their least common multiple."""
    if len(call.values) != 2:
        return None
    kind, loc = reduce(of_both, [v.kind for v in call.values]), call.loc
    if kind.is_float or kind.is_complex or kind.is_bool:
        raise Refused(loc, f"'{call.name}' of other than integers")
    of.check_fits(call.values, kind, loc)
    sides = [of.kept(absolute(v.converted(kind, loc), kind, loc)) for v in call.values]
    one, other = (of.hidden("gcd", kind.core, loc) for _ in sides)
    for variable, side in zip((one, other), sides, strict=True):
        of.declare(variable, side, loc)
    a, b = build.read(one, loc), build.read(other, loc)

    def step() -> None:
        rest = of.kept(build.binary("floormod", a, b, loc, wraps=False))
        of.out += [st.Assign(build.name(one, loc), b, loc), st.Assign(build.name(other, loc), rest, loc)]

    body, _ = of.captured(step)
    more = build.compare("ne", b, constant(0, loc).converted(kind, loc), loc)
    of.out.append(st.Loop((), more, body, (), True, "while", loc))
    found = of.kept(absolute(a, kind, loc))  # the least integer has no magnitude, and leaves its sign
    result = kind if call.home == "math" else Kind(kind.dtype)
    if call.name == "gcd":
        return Typed(found, result)
    nothing = build.compare("eq", found, constant(0, loc).converted(kind, loc), loc)
    divisor = ex.Select(nothing, constant(1, loc).converted(kind, loc), found, kind.core, loc)
    part = build.binary("floordiv", sides[0], divisor, loc, wraps=False)
    return Typed(build.binary("mul", part, sides[1], loc, kind.wraps), result)


def _of_parts(of: Expressions, call: NumberCall) -> Typed | None:
    """`complex(a, b)` of two real numbers."""
    if len(call.values) != 2:
        return None
    real, imaginary = (value.converted(FLOAT, call.loc) for value in call.values)
    return Typed(complex_arithmetic.made(real, imaginary, COMPLEX, call.loc), COMPLEX)


_Handler = Callable[[Expressions, NumberCall], Typed | None]
_OF_COMPLEX: dict[str, _Handler] = {
    "_pythons": lambda of, call: Typed(call.values[0].node, COMPLEX),
    **dict.fromkeys(("real", "imag"), _part),
    **dict.fromkeys(_CONJUGATES, _conjugate),
    **dict.fromkeys(("abs", "absolute"), _magnitude),
    "_squared": _squared,
    "angle": _angle,
    "exp": _exponential,
    "sqrt": _root,
    "log": _logarithm,
    **dict.fromkeys(("sin", "cos", "sinh", "cosh"), _turned),
    **dict.fromkeys(("isnan", "isinf", "isfinite"), _classified_parts),
}
_OF_NUMBERS: dict[str, _Handler] = {
    **{f"math.{name}": _math for name in (*BY_PYTHON, "hypot")},
    **{f"numpy.{name}": _math for name in (*BY_NUMPY, "hypot")},
    **dict.fromkeys(("min", "max"), _pythons_extremum),
    "complex": _of_parts,
    "round": _nearest,
    **{f"{home}.{name}": _divisor for home in ("math", "numpy") for name in ("gcd", "lcm")},
    **dict.fromkeys(("numpy.minimum", "numpy.maximum"), _extremum),
    **{
        f"{home}.{name}": _classified
        for home in ("math", "numpy")
        for name in ("isnan", "isinf", "isfinite", "signbit")
    },
    **dict.fromkeys(("abs", "numpy.abs", "numpy.absolute"), _absolute),
    **{f"numpy.{name}": _rounded for name in (*_ROUNDED, "_rounded")},
    "numpy._decimals": _to_digits,
    **dict.fromkeys(("numpy.square", "numpy._squared"), _square),
    **{f"numpy.{name}": _of_real for name in ("real", "imag", *_CONJUGATES)},
    **{f"numpy.{name}": _made_floating for name in ("_as", "_floating", "_of_floats")},
    "numpy._greatest": lambda of, call: constant(float(np.finfo(call.values[0].kind.dtype).max), call.loc),
}
