"""Complex numbers: what NumPy computes of them, as operations on their parts."""

from __future__ import annotations

from collections.abc import Callable

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import inside, own_expressions, statements
from raising.frontend.core.types import BOOL, Complex
from raising.frontend.lower.ir.module import Refused
from raising.frontend.python.types import Kind
from raising.support.source import Loc

_DIRECT = ("add", "sub", "mul")
Keep = Callable[[ex.Expr], ex.Expr]


def parts(value: ex.Expr, loc: Loc) -> tuple[ex.Expr, ex.Expr]:
    """The real and the imaginary part."""
    return build.part(value, 0, loc), build.part(value, 1, loc)


def made(real: ex.Expr, imaginary: ex.Expr, kind: Kind, loc: Loc) -> ex.Expr:
    """A complex number of two parts."""
    return ex.MakeComplex(real, imaginary, kind.core, loc)


def equal(op: ex.CompareOp, a: ex.Expr, b: ex.Expr, loc: Loc) -> ex.Expr:
    """`a == b` or `a != b`."""
    pairs = zip(parts(a, loc), parts(b, loc), strict=True)
    sides = [build.compare("eq", x, y, loc) for x, y in pairs]
    same = ex.Binary("and", sides[0], sides[1], BOOL, loc)
    return same if op == "eq" else build.negated(same, loc)


def quotient(a: ex.Expr, b: ex.Expr, kind: Kind, loc: Loc, keep: Keep) -> ex.Expr:
    """`a / b` as NumPy divides (Smith 1962): by the quotient of the smaller part of `b` and the larger one."""
    x, y, c, d = (keep(part) for value in (a, b) for part in parts(value, loc))
    t, one = c.type, ex.Literal(1.0, c.type, loc)
    sizes = [build.intrinsic("fabs", (part,), loc) for part in (c, d)]
    first = keep(build.compare("ge", sizes[0], sizes[1], loc))

    def either(yes: ex.Expr, no: ex.Expr) -> ex.Expr:
        return keep(ex.Select(first, yes, no, t, loc))

    def times(p: ex.Expr, q: ex.Expr) -> ex.Expr:
        return build.binary("mul", p, q, loc)

    large, small = either(c, d), either(d, c)
    ratio = keep(build.binary("div", small, large, loc))
    scale = keep(build.binary("div", one, build.binary("add", large, times(small, ratio), loc), loc))
    real = either(build.binary("add", x, times(y, ratio), loc), build.binary("add", times(x, ratio), y, loc))
    other = either(build.binary("sub", y, times(x, ratio), loc), build.binary("sub", times(y, ratio), x, loc))
    zero = keep(build.compare("eq", build.binary("add", sizes[0], sizes[1], loc), ex.Literal(0.0, t, loc), loc))
    halves = [
        ex.Select(zero, build.binary("div", p, sizes[0], loc), times(q, scale), t, loc)
        for p, q in ((x, real), (y, other))
    ]
    return made(keep(halves[0]), keep(halves[1]), kind, loc)


def over_real(a: ex.Expr, b: ex.Expr, kind: Kind, loc: Loc) -> ex.Expr:
    """A complex number over a real one."""
    real, imaginary = (build.binary("div", part, b, loc) for part in parts(a, loc))
    return made(real, imaginary, kind, loc)


def exponential(real: ex.Expr, imaginary: ex.Expr, kind: Kind, loc: Loc, keep: Keep) -> ex.Expr:
    """`exp` by the sine and the cosine; of a number without an imaginary part, which may be infinite, that stays."""
    t = real.type
    size, other = keep(build.intrinsic("exp", (real,), loc)), keep(imaginary)
    alone = keep(build.compare("eq", other, ex.Literal(0.0, t, loc), loc))
    halves = [build.binary("mul", size, build.intrinsic(f, (other,), loc), loc) for f in ("cos", "sin")]
    found = [ex.Select(alone, own, half, t, loc) for own, half in zip((size, other), halves, strict=True)]
    return made(keep(found[0]), keep(found[1]), Kind(kind.dtype), loc)


def check(function: st.Function, inner: bool) -> None:
    """`Refused` for what is done to complex numbers beyond moving, adding and multiplying them; an `inner` function,
    which others of the file call, may return one.
    """
    for stmt in statements(function.body or ()):
        for node in own_expressions(stmt):
            for part in inside(node):
                if not _is_known(part):
                    raise Refused(part.loc, "this use of complex numbers is not supported")
    if isinstance(function.result, Complex) and not inner:
        raise Refused(function.loc, "a complex number is returned; write it to an array")


def _is_known(node: ex.Expr | ex.Lvalue | ex.Initial) -> bool:
    of = isinstance(getattr(node, "type", None), Complex)
    match node:
        case ex.Literal():
            return not of
        case ex.Binary(op=op):
            return not of or op in _DIRECT
        case ex.Unary(op=op):
            return not of or op == "neg"
        case ex.Compare(left=left):
            return not isinstance(left.type, Complex)
        case ex.Convert(operand=operand):
            return of or not isinstance(operand.type, Complex)
        case ex.Intrinsic(arguments=arguments):
            return not any(isinstance(a.type, Complex) for a in arguments)
    return True
