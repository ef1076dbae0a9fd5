"""Arithmetic of which one operand is complex and the other one real.

C has no imaginary types here, but it does not make the real operand complex either: that would turn infinities into
NaNs and lose the sign of zeros (C11 G.5.1). Under `-fcx-limited-range`, products and quotients of two complex numbers
are their formulas, too: no infinity is recovered from them.
"""

from __future__ import annotations

from raising.frontend.c.read.reader_state import Context
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import Complex, Float
from raising.support.source import Loc


def complex_binary(ctx: Context, op: ex.BinaryOp, left: ex.Expr, right: ex.Expr, loc: Loc) -> ex.Expr:
    """An operator of which at least one operand is complex."""
    parts = [x.type.part if isinstance(x.type, Complex) else x.type for x in (left, right)]
    t = Complex(max((p for p in parts if isinstance(p, Float)), key=lambda p: p.width))
    left, right = (build.convert(x, t if isinstance(x.type, Complex) else t.part, loc) for x in (left, right))
    if isinstance(left.type, Complex) and isinstance(right.type, Complex):
        if op in ("mul", "div") and ctx.unit.source.limited_range:
            return _formula(ctx, op, left, right, loc)
        return build.binary(op, left, right, loc)
    if op == "div" and isinstance(right.type, Complex):
        return build.binary(op, build.convert(left, t, loc), right, loc)
    left, right = _again(ctx, left, loc), _again(ctx, right, loc)
    real, imaginary = _parts(op, left, right, t, loc)
    return ex.MakeComplex(real, imaginary, t, loc)


def _parts(op: ex.BinaryOp, left: ex.Expr, right: ex.Expr, t: Complex, loc: Loc) -> tuple[ex.Expr, ex.Expr]:
    """The parts of the result: of sums only the real one has to do with a real operand."""
    a, b = ([build.part(x, k, loc) for k in (0, 1)] if x.type == t else [x] for x in (left, right))
    real = build.binary(op, a[0], b[0], loc)
    if op in ("mul", "div"):
        return real, build.binary(op, a[-1], b[-1], loc)
    if len(a) == 2:
        return real, a[1]
    return real, b[1] if op == "add" else build.unary("neg", b[1], loc)


def _formula(ctx: Context, op: ex.BinaryOp, left: ex.Expr, right: ex.Expr, loc: Loc) -> ex.Expr:
    """A product, or a quotient as that with the conjugate number by the square of its length."""
    (a, b), (c, d) = ([build.part(_again(ctx, x, loc), k, loc) for k in (0, 1)] for x in (left, right))

    def do(name: ex.BinaryOp, one: ex.Expr, other: ex.Expr) -> ex.Expr:
        return build.binary(name, one, other, loc)

    if op == "mul":
        real, imaginary = do("sub", do("mul", a, c), do("mul", b, d)), do("add", do("mul", a, d), do("mul", b, c))
    else:
        square = ctx.keep(do("add", do("mul", c, c), do("mul", d, d)), loc)
        real = do("div", do("add", do("mul", a, c), do("mul", b, d)), square)
        imaginary = do("div", do("sub", do("mul", b, c), do("mul", a, d)), square)
    assert isinstance(left.type, Complex)
    return ex.MakeComplex(real, imaginary, left.type, loc)


def _again(ctx: Context, value: ex.Expr, loc: Loc) -> ex.Expr:
    """A value that is used twice."""
    return value if isinstance(value, ex.Load | ex.Literal | ex.MakeComplex) else ctx.keep(value, loc)
