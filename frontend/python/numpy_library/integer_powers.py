"""Powers of integers: modulo 2^width where NumPy's integers wrap around; it is asked that Python's fit in 64 bits."""

from __future__ import annotations

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import F64, I64, Int
from raising.frontend.lower.ir.module import Refused
from raising.frontend.python.emission import Emission
from raising.frontend.python.numpy_library.numpy_quotients import shifted
from raising.frontend.python.typed_nodes import Typed
from raising.frontend.python.types import INT, Kind, of_both

_LARGEST = 2**63 - 1
_WRITTEN_OUT = 64  # a constant exponent up to this takes at most 12 products


def of_integers(of: Emission, base: Typed, power: Typed) -> Typed:
    """`base ** power` of integers or truth values; a negative exponent is an error of the call, or here."""
    kind, loc = of_both(base.kind, power.kind), base.node.loc
    if kind.is_bool:
        kind = INT if kind.weak else Kind("int8")
    one = Typed(build.integer(1, kind.core, loc), kind)
    if power.number is not None and power.number < 0:
        raise Refused(loc, "an integer to a negative power; NumPy has none, so convert it to a float first")
    a, b = of.kept(base.converted(kind, loc)), of.kept(power.converted(kind, loc))
    if power.number is None and isinstance(power.kind.core, Int) and power.kind.core.signed:
        _needed(of, "ge", b, 0, "the exponent of an integer is not negative")
    if kind.weak:
        _fitting(of, base, power, a, b)
    if power.number is not None and power.number <= _WRITTEN_OUT:
        return Typed(_written_out(of, a, int(power.number), one), kind)
    if base.number == -1 and isinstance(kind.core, Int) and kind.core.signed:
        odd = build.compare("ne", build.binary("and", b, one.node, loc), build.integer(0, kind.core, loc), loc)
        return Typed(ex.Select(odd, build.integer(-1, kind.core, loc), one.node, kind.core, loc), kind)
    if base.number == 2:
        return Typed(shifted("shl", one.node, b, Kind(kind.dtype), loc), kind)  # beyond its bits it is 0
    return Typed(_by_loop(of, a, b, one.node), kind)


def _needed(of: Emission, op: ex.CompareOp, value: ex.Expr, end: int, why: str) -> None:
    test = build.compare(op, build.convert(value, I64, value.loc), build.integer(end, I64, value.loc), value.loc)
    of.out.append(st.Assume(test, value.loc, why))


def _fitting(of: Emission, base: Typed, power: Typed, a: ex.Expr, b: ex.Expr) -> None:
    """A power of Python's integers has no more than 64 bits; what constants leave open is asked."""
    why, loc = "a power of integers fits in 64 bits", a.loc
    if base.number is not None:
        if abs(base.number) > 1:
            most = next(k for k in range(65) if abs(int(base.number)) ** (k + 1) > _LARGEST)
            _needed(of, "le", b, most, why)
    elif power.number is not None:
        if power.number > 1:
            root = int(_LARGEST ** (1.0 / power.number))
            while root**power.number > _LARGEST:
                root -= 1
            _needed(of, "le", a, root, why)
            _needed(of, "ge", a, -root, why)
    else:
        sizes = [build.convert(v, F64, loc) for v in (a, b)]
        size = build.intrinsic("fabs", (build.intrinsic("pow", tuple(sizes), loc),), loc)
        of.out.append(st.Assume(build.compare("lt", size, ex.Literal(2.0**63, F64, loc), loc), loc, why))


def _written_out(of: Emission, base: ex.Expr, power: int, one: Typed) -> ex.Expr:
    """The product of squares that the bits of the exponent name, from the highest one down."""
    loc, found = base.loc, base if power else one.node
    for bit in f"{power:b}"[1:]:
        found = of.kept(build.binary("mul", found, found, loc, one.kind.wraps))
        if bit == "1":
            found = of.kept(build.binary("mul", found, base, loc, one.kind.wraps))
    return found


def _by_loop(of: Emission, base: ex.Expr, power: ex.Expr, one: ex.Expr) -> ex.Expr:
    """A loop over the bits of the exponent, from the lowest one up."""
    t, loc = base.type, base.loc
    names = [of.hidden(name, t, loc) for name in ("power", "square", "bits")]
    for variable, start in zip(names, (one, base, power), strict=True):
        of.declare(variable, start, loc)
    found, square, bits = (build.read(v, loc) for v in names)

    def times(a: ex.Expr, b: ex.Expr) -> ex.Expr:
        return build.binary("mul", a, b, loc, wraps=True)

    zero = build.integer(0, t, loc)
    odd = build.compare("ne", build.binary("and", bits, one, loc), zero, loc)
    halved = build.binary("shr", bits, one, loc)
    following = (ex.Select(odd, times(found, square), found, t, loc), times(square, square), halved)
    body = [st.Assign(build.name(v, loc), new, loc) for v, new in zip(names, following, strict=True)]
    of.out.append(st.Loop((), build.compare("gt", bits, zero, loc), tuple(body), (), True, "while", loc))
    return of.kept(found)
